/**
 * Signals that mean a limit of time, not a stop: `AbortSignal.timeout`, and a controller that a function makes for a
 * limit of its own, or to end its own work when it returns. A controller that is handed out, stored or linked to another
 * signal can be a stop.
 *
 * @module
 */
import type { TSESLint, TSESTree } from '@typescript-eslint/utils';

import type { Code } from './code.ts';
import { around, bare, calledName, functionAround, isFunction, propertyName, type FunctionNode } from './syntax.ts';

const givesSignal = /^(?:signal|token)$/;

/** Whether this expression is a signal or source that only a limit of time aborts. */
export function isLimit(code: Code, node: TSESTree.Node): boolean {
  const value = bare(node);
  if (value.type === 'CallExpression') return isTimeoutCall(value);
  if (value.type === 'MemberExpression' && givesSignal.test(propertyName(value) ?? '')) {
    const source = bare(value.object);
    // `new AbortController().signal`: nobody holds what would abort it.
    return (source.type === 'NewExpression' && source.arguments.length === 0) || isOwnTimer(code, source);
  }
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
  const made = node.type === 'Identifier' ? code.initOf(node) : undefined;
  if (node.type !== 'Identifier' || made?.type !== 'NewExpression') return false;
  // `new CancellationTokenSource({ parent: token })`: what stops the other stops this one.
  if (made.arguments.some((each) => code.has(each, (part) => isSignal(code, part)))) return false;
  const home = functionAround(made);
  return code.variable(node)?.references.every((each) => each.init === true || isOfTimer(each, home)) === true;
}

function isSignal(code: Code, node: TSESTree.Node): boolean {
  return node.type === 'Identifier' && code.types.signalKind(code.typeAt(node)) !== undefined;
}

/** `controller.signal`, or `controller.abort` in a timer or in the function itself. */
function isOfTimer({ identifier }: TSESLint.Scope.Reference, home: FunctionNode | undefined): boolean {
  const member = identifier.parent;
  if (member.type !== 'MemberExpression') return false;
  const name = propertyName(member);
  if (name === undefined) return false;
  if (givesSignal.test(name)) return !isLinked(member);
  return name === 'release' || (/^(?:abort|cancel)$/.test(name) && isInTimer(member, home));
}

/** `controller.signal.addEventListener` tells nothing; `controller.signal` given away as a value is how it is used. */
function isLinked(member: TSESTree.Node): boolean {
  return member.parent?.type === 'AssignmentExpression' && member.parent.right === member;
}

function isInTimer(node: TSESTree.Node, home: FunctionNode | undefined): boolean {
  for (const [parent, child] of around(node)) {
    if (parent.type === 'CallExpression' && parent.callee !== child) return /^setTimeout$/.test(calledName(parent));
    // In the function itself: `finally { controller.abort() }` releases what is left.
    if (isFunction(parent) && parent === home) return true;
    if (isFunction(parent) && parent.parent.type !== 'CallExpression') return false;
  }
  return home === undefined;
}
