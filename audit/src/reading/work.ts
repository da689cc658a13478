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
    if (node.type === 'NewExpression' && calledName(node) === 'Promise') {
      return !isEnding(code, node) && promiseLasts(code, code.tsNode(node) as ts.NewExpression, 0);
    }
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
    if (name === 'Promise') return promiseLasts(code, node as ts.Node as ts.NewExpression, depth);
    if (code.types.isAsync(code.checker.getTypeAtLocation(node)) && lastsAt(code, node, name, depth)) return true;
  }
  // `forEachChild` stops at the first child that gives `true`.
  return node.forEachChild((child) => hasLong(code, child, depth) || undefined) === true;
}

/**
 * Whether a promise made by hand is settled by something that lasts – an answer of a person, a process, a timer – and not
 * by what is over at once or in the time of a disk. Where its functions are kept for somebody else, nobody knows who.
 */
function promiseLasts(code: Code, made: ts.NewExpression, depth: number): boolean {
  const executor = made.arguments?.[0];
  if (executor === undefined || !('parameters' in executor)) return true;
  const { parameters, body } = executor as ts.ArrowFunction;
  const settlers = new Set(parameters.map(({ name }) => name.getText()));
  const visit = (node: ts.Node): boolean => {
    if (isCall(node)) {
      const name = node.expression.getText().split('.').at(-1) ?? '';
      if (!settlers.has(name) && !passesOn.test(name) && lastsAt(code, node, name, depth)) return true;
    } else if (settlers.has(node.getText()) && !isSettled(code, node)) return true;
    return node.forEachChild((child) => visit(child) || undefined) === true;
  };
  return visit(body);
}

/** What calls a function at once, or when a promise is settled that is looked at itself. */
const passesOn = /^(?:then|catch|finally|setImmediate|nextTick|queueMicrotask)$/;

/** Whether a function that settles a promise is called here, or given to what calls it in the time of a disk. */
function isSettled(code: Code, { parent }: ts.Node): boolean {
  if (!isCall(parent)) return false;
  const name = parent.expression.getText().split('.').at(-1) ?? '';
  const file = code.checker.getResolvedSignature(parent)?.declaration?.getSourceFile().fileName ?? '';
  return packageOf(file) !== 'typescript' || passesOn.test(name) || parent.expression.getText() === name;
}

/** By its form: the numbers of kinds are others in other versions of TypeScript. */
function isCall(node: ts.Node): node is ts.CallExpression {
  return 'arguments' in node && 'expression' in node;
}

/** Files and names are read in the time of a disk. */
function isShort(file: string, name: string): boolean {
  if (packageOf(file) === 'typescript') return name !== 'fetch';
  return (
    packageOf(file) === '@types/node' &&
    !/child_process|events|globals|timers|readline|stream|http|net|web-globals/.test(file)
  );
}
