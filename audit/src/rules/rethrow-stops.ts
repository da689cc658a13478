/**
 * A catch around work that was given a signal makes every error a value, a text or a log: a stop ends there.
 *
 * @module
 */
import type { TSESTree } from '@typescript-eslint/utils';

import { carriedBy } from '../reading/carries.ts';
import { isAskedAfter, letsStopThrough, whatFollows } from '../reading/catches.ts';
import { Code } from '../reading/code.ts';
import { isEnding } from '../reading/handed.ts';
import { inReach, type Reachable } from '../reading/reach.ts';
import type { SignalKind } from '../reading/stop-types.ts';
import { around, bare, calledName, functionAround } from '../reading/syntax.ts';
import { createRule } from './rule.ts';

export const rethrowStops = createRule({
  name: 'rethrow-stops',
  meta: {
    type: 'suggestion',
    docs: { description: 'A catch around work that was given a signal lets a stop through', recommended: true },
    hasSuggestions: true,
    schema: [],
    messages: {
      empty:
        'On Stop, the error of {{call}} vanishes in this catch: the code after it runs on as if the work were done.',
      runsOn: 'On Stop, the error of {{call}} ends in this catch as any failure does: the code after it runs on.',
      loop: 'On Stop, the error of {{call}} ends in this catch: the loop goes on to its next round.',
      result:
        'On Stop, the error of {{call}} becomes a result here: whoever gets it takes a stop for a failure, and goes on.',
      rethrow: 'Begin with {{check}}.',
    },
  },
  create(context) {
    const code = Code.of(context);

    function report(
      catchNode: TSESTree.Node,
      body: TSESTree.Node,
      call: TSESTree.CallExpression,
      from: TSESTree.Node,
    ): void {
      // The module itself has nobody to throw to.
      if (functionAround(from) === undefined) return;
      const signal = inReach(code, body).find(isAskable);
      const asks =
        signal &&
        { signal: 'throwIfAborted', controller: 'signal.throwIfAborted', token: 'throwIfCancelled' }[signal.kind];
      const check = signal && `${signal.text}${signal.optional ? '?' : ''}.${String(asks)}();`;
      context.report({
        node: catchNode,
        loc: { start: catchNode.loc.start, end: body.loc.start },
        messageId: whatFollows(code, body, from),
        data: { call: code.label(call) },
        suggest:
          check === undefined || body.type !== 'BlockStatement'
            ? []
            : [
                {
                  messageId: 'rethrow',
                  data: { check: `\`${check}\`` },
                  fix: (fixer) => fixer.insertTextAfterRange([body.range[0], body.range[0] + 1], ` ${check}`),
                },
              ],
      });
    }

    return {
      TryStatement(node) {
        const { handler } = node;
        if (handler === null) return;
        const call = stoppableIn(code, node.block);
        if (call === undefined) return;
        const error = handler.param?.type === 'Identifier' ? handler.param.name : undefined;
        if (letsStopThrough(code, handler.body, error) || isAskedAfter(code, node) || isEnding(code, call)) return;
        if (node.finalizer !== null && letsStopThrough(code, node.finalizer, undefined)) return;
        report(handler, handler.body, call, node);
      },
      CallExpression(node) {
        if (calledName(node) !== 'catch' || node.callee.type !== 'MemberExpression') return;
        const [given] = node.arguments;
        const recover = given && code.functionAt(given);
        if (recover === undefined || !isAwaited(code, node)) return;
        const call = callsIn(code, bare(node.callee.object)).find((each) => carriedBy(code, each.arguments) === 'stop');
        if (call === undefined) return;
        const [param] = recover.params;
        const error = param?.type === 'Identifier' ? param.name : undefined;
        if (letsStopThrough(code, recover.body, error) || isAskedAfter(code, node) || isEnding(code, node)) return;
        report(given === recover ? recover : node, recover.body, call, node);
      },
    };
  },
});

function isAskable(signal: Reachable): signal is Reachable & { readonly kind: Exclude<SignalKind, 'foreign-token'> } {
  return signal.kind !== 'foreign-token';
}

/** The first call in a block that is waited for and was given a signal. */
function stoppableIn(code: Code, block: TSESTree.BlockStatement): TSESTree.CallExpression | undefined {
  let found: TSESTree.CallExpression | undefined;
  code.walk(block, (node) => {
    if (found !== undefined) return false;
    // What an inner catch keeps does not get here.
    if (node.type === 'TryStatement' && node.handler !== null) {
      const { handler } = node;
      if (!code.has(handler.body, (each) => each.type === 'ThrowStatement')) return false;
    }
    const waited = waitedFor(node);
    if (waited === undefined) return true;
    found = callsIn(code, waited).find((call) => carriedBy(code, call.arguments) === 'stop');
    return found === undefined;
  });
  return found;
}

/** Whether the function at hand waits for a promise: at once, in a list, under a name, or as what it returns itself. */
function isAwaited(code: Code, promise: TSESTree.Node): boolean {
  for (const [parent, child] of around(promise)) {
    if (parent.type === 'AwaitExpression' || parent.type === 'ReturnStatement') return true;
    if (parent.type === 'VariableDeclarator') return isAwaitedByName(code, parent.id);
    if (parent.type === 'ArrowFunctionExpression') {
      const { type } = parent.parent;
      if (type === 'CallExpression' && /^(?:map|flatMap)$/.test(calledName(parent.parent))) continue;
      return type === 'VariableDeclarator' || type === 'Property' || type === 'PropertyDefinition';
    }
    const isLinked =
      parent.type === 'MemberExpression' ||
      parent.type === 'ArrayExpression' ||
      (parent.type === 'CallExpression' && (parent.callee === child || /^(?:all|race|any)$/.test(calledName(parent))));
    if (!isLinked && bare(parent) === parent) return false;
  }
  return false;
}

function isAwaitedByName(code: Code, name: TSESTree.Node): boolean {
  if (name.type !== 'Identifier') return false;
  return code.variable(name)?.references.some((each) => /^(?:Await|Return)/.test(each.identifier.parent.type)) === true;
}

function waitedFor(node: TSESTree.Node): TSESTree.Node | undefined {
  if (node.type === 'AwaitExpression') return bare(node.argument);
  if (node.type === 'ForOfStatement' && node.await) return bare(node.right);
  return node.type === 'YieldExpression' && node.delegate ? bare(node.argument) : undefined;
}

/** A call, what it is chained to, and what `Promise.all` waits for. */
function callsIn(code: Code, waited: TSESTree.Node): TSESTree.CallExpression[] {
  if (waited.type === 'Identifier') {
    const init = code.initOf(waited);
    return init === undefined ? [] : callsIn(code, bare(init));
  }
  if (waited.type !== 'CallExpression') return [];
  const calls = [waited];
  if (waited.callee.type === 'MemberExpression') {
    calls.push(...callsIn(code, bare(waited.callee.object)).filter((each) => each !== waited));
    const [list] = waited.arguments;
    if (/^(?:all|race|any)$/.test(calledName(waited)) && list?.type === 'ArrayExpression') {
      for (const each of list.elements) if (each !== null) calls.push(...callsIn(code, bare(each)));
    } else if (calledName(waited) === 'map' && list !== undefined) {
      calls.push(...callsOfEach(code, list));
    } else if (/^(?:all|race|any)$/.test(calledName(waited)) && list?.type === 'CallExpression') {
      calls.push(...callsIn(code, list));
    }
  }
  return calls;
}

/** `calls.map((call) => runTool(call, { signal }))`. */
function callsOfEach(code: Code, given: TSESTree.Node): TSESTree.CallExpression[] {
  const each = code.functionAt(given);
  if (each === undefined) return [];
  if (each.body.type !== 'BlockStatement') return callsIn(code, bare(each.body));
  const found = stoppableIn(code, each.body);
  return found === undefined ? [] : [found];
}
