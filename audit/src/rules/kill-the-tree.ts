/**
 * A shell is started and then killed, or aborted, alone: what it started lives on.
 *
 * @module
 */
import type { TSESTree } from '@typescript-eslint/utils';

import { carriedBy } from '../reading/carries.ts';
import { Code } from '../reading/code.ts';
import { startOf, startsShell } from '../reading/shells.ts';
import { calledName, functionAround } from '../reading/syntax.ts';
import { createRule } from './rule.ts';

export const killTheTree = createRule({
  name: 'kill-the-tree',
  meta: {
    type: 'suggestion',
    docs: { description: 'A shell is stopped with all it started', recommended: true },
    schema: [],
    messages: {
      killed: 'On Stop, {{kill}} ends the shell alone: what {{start}} started runs on.',
      aborted: 'On Stop, the signal ends the shell alone: what {{start}} started runs on.',
    },
  },
  create(context) {
    const code = Code.of(context);
    return {
      CallExpression(call) {
        if (startsShell(code, call)) {
          if (carriedBy(code, call.arguments) !== 'stop') return;
          context.report({ node: call, messageId: 'aborted', data: { start: code.label(call) } });
          return;
        }
        if (calledName(call) !== 'kill' || call.callee.type !== 'MemberExpression') return;
        const started = startOf(code, call.callee.object);
        if (started === undefined || !startsShell(code, started) || killsTree(code, call)) return;
        context.report({
          node: call,
          messageId: 'killed',
          data: { kill: code.label(call), start: code.label(started as TSESTree.CallExpression) },
        });
      },
    };
  },
});

const ofTree = /process\.kill\(\s*-|taskkill|tree-?kill|killTree|killProcessTree/i;

/** Whether the same function kills a group, or by a program that knows the tree. */
function killsTree(code: Code, call: TSESTree.CallExpression): boolean {
  const fn = functionAround(call);
  if (fn === undefined) return false;
  if (ofTree.test(code.text(fn))) return true;
  // A function of the project that is called beside it.
  return code.has(fn.body, (node) => node.type === 'CallExpression' && ofTree.test(code.declarationOf(node) ?? ''));
}
