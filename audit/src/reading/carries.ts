/**
 * Whether a call is given a signal: as an argument, in an object, or in an object that was made elsewhere.
 *
 * @module
 */
import type { TSESTree } from '@typescript-eslint/utils';

import type { Code } from './code.ts';
import { isLimit } from './limits.ts';
import { signalKey } from './names.ts';
import { bare, isFunction, keyName, propertyName } from './syntax.ts';

/** `limit`: only a limit of time; `unknown`: a value without a type may hold one. */
export type Carried = 'stop' | 'limit' | 'unknown' | 'none';

const strength: readonly Carried[] = ['none', 'unknown', 'limit', 'stop'];

function stronger(one: Carried, other: Carried): Carried {
  return strength.indexOf(one) >= strength.indexOf(other) ? one : other;
}

/** What a list of arguments carries. */
export function carriedBy(code: Code, args: readonly TSESTree.CallExpressionArgument[]): Carried {
  let all: Carried = 'none';
  for (const arg of args) {
    if (!isFunction(arg)) all = stronger(all, carriedIn(code, arg));
    if (all === 'stop') break;
  }
  return all;
}

function carriedIn(code: Code, arg: TSESTree.Node): Carried {
  if (
    arg.type !== 'SpreadElement' &&
    arg.type !== 'ObjectExpression' &&
    arg.type !== 'Identifier' &&
    code.types.signalPath(code.typeAt(arg)) !== undefined
  ) {
    return code.types.namesOf(code.typeAt(arg)).includes('Request') ? 'unknown' : 'stop';
  }
  let most: Carried = isUntyped(code, arg) ? 'unknown' : 'none';
  code.walk(arg, (node) => {
    if (most === 'stop') return false;
    const here = carriedAt(code, node);
    most = stronger(most, here);
    // A signal made of others, and an object that holds one, are found here; what they are made from is not asked again.
    return here === 'none' || here === 'unknown';
  });
  return most;
}

function isUntyped(code: Code, arg: TSESTree.Node): boolean {
  if (arg.type === 'SpreadElement') return true;
  if (arg.type === 'ObjectExpression') {
    return arg.properties.some((each) => each.type === 'SpreadElement' && code.types.isAny(code.typeAt(each.argument)));
  }
  return code.types.isAny(code.typeAt(arg));
}

function carriedAt(code: Code, node: TSESTree.Node): Carried {
  if (node.type === 'Property' && !node.computed && signalKey.test(keyName(node.key) ?? ''))
    return carriedByKey(code, node.value);
  if (node.type === 'CallExpression' || node.type === 'NewExpression') {
    const type = code.typeAt(node);
    return code.types.signalKind(type) !== undefined || code.types.isSource(type) ? stopOrLimit(code, node) : 'none';
  }
  if (node.type !== 'Identifier' && node.type !== 'MemberExpression' && node.type !== 'ThisExpression') return 'none';
  if (node.parent.type === 'MemberExpression' && (node.parent.property === node || node.parent.object === node)) {
    return 'none';
  }
  if (node.parent.type === 'Property' && node.parent.key === node && !node.parent.shorthand) return 'none';
  if (node.parent.type === 'CallExpression' && node.parent.callee === node) return 'none';
  const type = code.typeAt(node);
  if (code.types.signalKind(type) !== undefined || code.types.isSource(type)) return stopOrLimit(code, node);
  if (code.types.signalPath(type) === undefined) return 'none';
  if (node.type === 'Identifier') {
    const built = carriedByBuilt(code, node);
    if (built !== undefined) return built;
  }
  // Who gets a request gets its signal, and may have been given it for all else that is in it.
  return code.types.namesOf(type).includes('Request') ? 'unknown' : 'stop';
}

/** An object that is made in this function, key by key: what its signal is, is seen there. */
export function carriedByBuilt(code: Code, name: TSESTree.Identifier): Carried | undefined {
  const init = code.initOf(name);
  if (init?.type !== 'ObjectExpression' || init.properties.some((each) => each.type === 'SpreadElement'))
    return undefined;
  let all = carriedIn(code, init);
  for (const { identifier } of code.variable(name)?.references ?? []) {
    const { parent } = identifier;
    if (identifier === name || parent.type === 'VariableDeclarator') continue;
    if (parent.type !== 'MemberExpression') continue;
    const written =
      parent.parent.type === 'AssignmentExpression' && parent.parent.left === parent ? parent.parent.right : undefined;
    if (written !== undefined && signalKey.test(propertyName(parent) ?? ''))
      all = stronger(all, carriedByKey(code, written));
  }
  return all;
}

function carriedByKey(code: Code, value: TSESTree.Node): Carried {
  const type = code.typeAt(value);
  if (code.types.isAny(type) || code.types.signalPath(type) !== undefined) return 'stop';
  // `signal: undefined` was decided by somebody.
  if (code.types.signalKind(type) !== undefined || code.types.isSource(type) || code.types.isNothing(type)) {
    return stopOrLimit(code, value);
  }
  return 'none';
}

function stopOrLimit(code: Code, node: TSESTree.Node): Carried {
  return isLimit(code, bare(node)) ? 'limit' : 'stop';
}
