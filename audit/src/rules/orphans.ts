/**
 * An awaited request that could take a signal, in reach of none at all.
 *
 * @module
 */
import { placeOf } from '../reading/accepts.ts';
import { carriedBy } from '../reading/carries.ts';
import { Code } from '../reading/code.ts';
import { leftOut } from '../reading/offers.ts';
import { inReach } from '../reading/reach.ts';
import { functionAround } from '../reading/syntax.ts';
import { isLost, isWaitedFor, placeText } from './pass-signal.ts';
import { createRule } from './rule.ts';

export const orphans = createRule({
  name: 'orphans',
  meta: {
    type: 'suggestion',
    docs: { description: 'An awaited request is in reach of a signal', recommended: false },
    schema: [],
    messages: {
      orphan: 'On Stop, {{call}} runs on to its end: it takes {{place}}, and no signal is in reach of this place.',
    },
  },
  create(context) {
    const code = Code.of(context);
    return {
      CallExpression(call) {
        if (!isWaitedFor(call)) return;
        const place = placeOf(code, call);
        if (place === undefined || inReach(code, call).length > 0) return;
        if (carriedBy(code, call.arguments) === 'limit' || !isLost(code, call)) return;
        const fn = functionAround(call);
        // A signal is offered to it: that is for take-signal to say.
        if (fn !== undefined && leftOut(code, fn) !== undefined) return;
        context.report({ node: call, messageId: 'orphan', data: { call: code.label(call), place: placeText(place) } });
      },
    };
  },
});
