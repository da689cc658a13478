/**
 * A signal is in reach, an awaited call could take one and gets none.
 *
 * @module
 */
import type { TSESTree } from '@typescript-eslint/utils';

import { isDecidedNone, placeOf, type Place } from '../reading/accepts.ts';
import { carriedBy } from '../reading/carries.ts';
import { Code } from '../reading/code.ts';
import {
  callbacksCarry,
  isEnding,
  isHandedOver,
  isStoppedByListener,
  otherBranchCarries,
  receiverCarries,
} from '../reading/handed.ts';
import { inReach, type Reachable } from '../reading/reach.ts';
import { createRule } from './rule.ts';
import { expressionFor, fixFor } from './suggestions.ts';

export const passSignal = createRule({
  name: 'pass-signal',
  meta: {
    type: 'suggestion',
    docs: { description: 'A signal in reach is passed on to calls that take one', recommended: true },
    hasSuggestions: true,
    schema: [],
    messages: {
      lost: 'On Stop, {{call}} runs on to its end: it takes {{place}} and gets none, though {{signal}} is in reach.',
      limitOnly:
        'On Stop, {{call}} runs on until its time limit: its signal is only the limit, and not joined with {{signal}}.',
      pass: 'Pass {{expression}}.',
    },
  },
  create(context) {
    const code = Code.of(context);
    return {
      CallExpression(call) {
        if (!isWaitedFor(call)) return;
        const signals = inReach(code, call);
        if (signals.length === 0 || signals.some((each) => each.ambient)) return;
        const place = placeOf(code, call);
        if (place === undefined || !isLost(code, call)) return;
        const signal = choose(signals, place);
        const data = { call: code.label(call), place: placeText(place), signal: signal.text };
        if (carriedBy(code, call.arguments) === 'limit') {
          context.report({ node: call, messageId: 'limitOnly', data });
          return;
        }
        const expression = expressionFor(signal, place.takes);
        const fix = expression === undefined ? undefined : fixFor(code, call, place, expression);
        context.report({
          node: call,
          messageId: 'lost',
          data,
          suggest:
            expression === undefined || fix === undefined ? [] : [{ messageId: 'pass', data: { expression }, fix }],
        });
      },
    };
  },
});

/** A statement of its own is not waited for: it is let go on purpose, or another rule's finding. */
export function isWaitedFor(call: TSESTree.CallExpression): boolean {
  const { parent } = call;
  return parent.type !== 'ExpressionStatement' && !(parent.type === 'UnaryExpression' && parent.operator === 'void');
}

/** Whether a call that could take a signal goes on after a stop. */
export function isLost(code: Code, call: TSESTree.CallExpression): boolean {
  const carried = carriedBy(code, call.arguments);
  if (carried === 'stop' || carried === 'unknown') return false;
  return (
    code.types.isAsync(code.typeAt(call)) &&
    !isEnding(code, call) &&
    !isDecidedNone(code, call) &&
    !receiverCarries(code, call) &&
    !callbacksCarry(code, call) &&
    !isHandedOver(code, call) &&
    !otherBranchCarries(code, call) &&
    !isStoppedByListener(code, call)
  );
}

/** The nearest that fits; the nearest if none does. */
function choose(signals: readonly Reachable[], place: Place): Reachable {
  const fitting = signals.find((each) => expressionFor(each, place.takes) !== undefined);
  return fitting ?? (signals[0] as Reachable);
}

export function placeText({ property, parameter }: Place): string {
  return property === undefined ? `\`${parameter}\`` : `\`${parameter === '__0' ? '' : `${parameter}.`}${property}\``;
}
