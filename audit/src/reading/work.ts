/**
 * Whether there is work in a function that a stop would have to reach: not only what is over in the time of a disk, by
 * itself or in functions of the project that it calls.
 *
 * @module
 */
import type { TSESTree } from '@typescript-eslint/utils';
import type * as ts from 'typescript';

import { isDecidedNone, packageOf } from './accepts.ts';
import { carriedBy } from './carries.ts';
import type { Code } from './code.ts';
import { isEnding, receiverCarries } from './handed.ts';
import { calledName, type FunctionNode } from './syntax.ts';

/** Functions of the project that are read one after the other; what is deeper counts as work. */
const deepest = 4;

const longInside = new WeakMap<ts.Node, boolean>();

/** Whether a function waits for something that lasts, and that it does not give its signal to. */
export function goesOn(code: Code, fn: FunctionNode): boolean {
  return code.has(fn.body, (node) => {
    if (node.type === 'ForOfStatement' && node.await) return true;
    if (node.type !== 'CallExpression' || !code.types.isAsync(code.typeAt(node))) return false;
    return (
      !isEnding(code, node) &&
      !isDecidedNone(code, node) &&
      carriedBy(code, node.arguments) !== 'stop' &&
      !receiverCarries(code, node) &&
      lasts(code, node)
    );
  });
}

function lasts(code: Code, call: TSESTree.CallExpression): boolean {
  return lastsAt(code, code.tsNode(call) as ts.CallLikeExpression, calledName(call), 0);
}

function lastsAt(code: Code, call: ts.CallLikeExpression, name: string, depth: number): boolean {
  const declared = code.checker.getResolvedSignature(call)?.declaration;
  const file = declared?.getSourceFile().fileName ?? '';
  if (isShort(file, name)) return false;
  const body = declared !== undefined && 'body' in declared ? (declared.body as ts.Node | undefined) : undefined;
  if (packageOf(file) !== undefined || depth >= deepest) return true;
  if (declared === undefined || body === undefined) return !isSilentMethod(code, declared);
  const known = longInside.get(body);
  if (known !== undefined) return known;
  // A function may call itself: the rest of it says how long it lasts.
  longInside.set(body, false);
  const long = hasLong(code, body, depth + 1);
  longInside.set(body, long);
  return long;
}

/** A method of an interface of the project that takes no signal: nothing says how long it lasts. */
function isSilentMethod(code: Code, declared: ts.Signature['declaration']): boolean {
  if (declared === undefined || !('members' in declared.parent)) return false;
  return !declared.parameters.some((each) => {
    const type = code.checker.getTypeAtLocation(each);
    return code.types.signalKind(type) !== undefined || code.types.signalPath(type) !== undefined;
  });
}

function hasLong(code: Code, node: ts.Node, depth: number): boolean {
  if (isCall(node)) {
    const name = node.expression.getText().split('.').at(-1) ?? '';
    // What settles it is not seen here: an answer of a person, a process, a timer.
    if (name === 'Promise') return true;
    if (code.types.isAsync(code.checker.getTypeAtLocation(node)) && lastsAt(code, node, name, depth)) return true;
  }
  // `forEachChild` stops at the first child that gives `true`.
  return node.forEachChild((child) => hasLong(code, child, depth) || undefined) === true;
}

/** By its form: the numbers of kinds are others in other versions of TypeScript. */
function isCall(node: ts.Node): node is ts.CallExpression {
  return 'arguments' in node && 'expression' in node;
}

/** Files and names are read in the time of a disk. */
function isShort(file: string, name: string): boolean {
  if (packageOf(file) === 'typescript') return name !== 'fetch';
  return packageOf(file) === '@types/node' && !/child_process|globals|timers|http|net|web-globals/.test(file);
}
