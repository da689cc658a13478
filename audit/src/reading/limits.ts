/**
 * Signals that mean a limit of time, not a stop: `AbortSignal.timeout`, and a controller that a function makes for a
 * limit of its own. A controller that is handed out, stored or linked to another signal can be a stop.
 *
 * @module
 */
import type { TSESLint, TSESTree } from '@typescript-eslint/utils';

import type { Code } from './code.ts';
import { around, bare, calledName, isFunction, propertyName } from './syntax.ts';

/** Whether this expression is a signal or source that only a limit of time aborts. */
export function isLimit(code: Code, node: TSESTree.Node): boolean {
  const value = bare(node);
  if (value.type === 'CallExpression') return isTimeoutCall(value);
  if (value.type === 'MemberExpression' && propertyName(value) === 'signal')
    return isOwnTimer(code, bare(value.object));
  if (value.type !== 'Identifier') return false;
  const init = code.initOf(value);
  return init === undefined ? false : init.type === 'NewExpression' ? isOwnTimer(code, value) : isLimit(code, init);
}

function isTimeoutCall(call: TSESTree.CallExpression): boolean {
  return (
    call.callee.type === 'MemberExpression' &&
    call.callee.object.type === 'Identifier' &&
    call.callee.object.name === 'AbortSignal' &&
    propertyName(call.callee) === 'timeout'
  );
}

function isOwnTimer(code: Code, node: TSESTree.Node): boolean {
  if (node.type !== 'Identifier' || code.initOf(node)?.type !== 'NewExpression') return false;
  return code.variable(node)?.references.every((each) => each.init === true || isOfTimer(each)) === true;
}

/** `controller.signal`, or `controller.abort` in a timer. */
function isOfTimer({ identifier }: TSESLint.Scope.Reference): boolean {
  const member = identifier.parent;
  if (member.type !== 'MemberExpression') return false;
  const name = propertyName(member);
  if (name === 'signal') return !isLinked(member);
  return name === 'abort' && isInTimer(member);
}

/** `controller.signal.addEventListener` tells nothing; `controller.signal` given away as a value is how it is used. */
function isLinked(member: TSESTree.Node): boolean {
  return member.parent?.type === 'AssignmentExpression' && member.parent.right === member;
}

function isInTimer(node: TSESTree.Node): boolean {
  let inFunction = false;
  for (const [parent, child] of around(node)) {
    if (parent.type === 'CallExpression' && parent.callee !== child) return /^setTimeout$/.test(calledName(parent));
    if (!isFunction(parent)) continue;
    if (inFunction) return false;
    inFunction = true;
  }
  // In the function itself: `finally { controller.abort() }` releases what is left.
  return !inFunction;
}
