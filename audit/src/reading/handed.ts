/**
 * Ways in which a call that gets no signal is stopped all the same, or must not be.
 *
 * @module
 */
import type { TSESTree } from '@typescript-eslint/utils';

import { carriedBy, type Carried } from './carries.ts';
import type { Code } from './code.ts';
import { aboutEnding, aboutStopping, registersListener } from './names.ts';
import { callsWanted, offerIn } from './offers.ts';
import {
  around,
  bare,
  calledName,
  contains,
  functionAround,
  isFunction,
  leftBefore,
  nameOfFunction,
  propertyName,
  rootName,
  type FunctionNode,
} from './syntax.ts';

const gives = (carried: Carried): boolean => carried === 'stop';

/** Whether this work ends something: it belongs to a stop, or comes after it. */
export function isEnding(code: Code, call: TSESTree.CallExpression | TSESTree.NewExpression): boolean {
  if (aboutEnding.test(calledName(call))) return true;
  for (const [parent, child] of around(call)) {
    if (parent.type === 'TryStatement' && parent.finalizer === child) return true;
    if (parent.type === 'IfStatement' && parent.test !== child) {
      if (isStopped(code, parent.test) === (parent.consequent === child)) return true;
    }
    if (leftBefore(parent, child).some((branch) => isStopped(code, branch.test) === false)) return true;
    if (!isFunction(parent)) continue;
    if (aboutEnding.test(nameOfFunction(parent) ?? '')) return true;
    if (isListener(parent)) return true;
  }
  return false;
}

/** Whether a condition holds because of a stop, or because there was none; nothing if it asks for something else. */
function isStopped(code: Code, test: TSESTree.Node): boolean | undefined {
  const asked = bare(test);
  if (asked.type === 'UnaryExpression' && asked.operator === '!') {
    const opposite = isStopped(code, asked.argument);
    return opposite === undefined ? undefined : !opposite;
  }
  if (asked.type === 'LogicalExpression') return isStopped(code, asked.left) ?? isStopped(code, asked.right);
  return code.has(asked, (node) => tellsOfStop(code, node)) ? true : undefined;
}

/** A name or a text; the name of a signal only says that there may be a stop. */
function tellsOfStop(code: Code, node: TSESTree.Node): boolean {
  if (node.type === 'Literal') return aboutStopping.test(String(node.value));
  if (node.type !== 'Identifier' || !aboutStopping.test(node.name)) return false;
  const type = code.typeAt(node);
  return code.types.signalKind(type) === undefined && !code.types.isSource(type);
}

function isListener(fn: FunctionNode): boolean {
  return (
    fn.parent.type === 'CallExpression' && fn.parent.callee !== fn && registersListener.test(calledName(fn.parent))
  );
}

/**
 * Whether somebody who has the signal waits for the call: it is an argument beside the signal, or stands in a function
 * that is given away with the signal and is itself offered none (`race(signal, call())`, `withSignal(signal, () => call())`).
 */
export function isHandedOver(code: Code, call: TSESTree.CallExpression): boolean {
  let fn: FunctionNode | undefined;
  for (const [parent, child] of around(call)) {
    if (isFunction(parent)) {
      fn = parent;
      continue;
    }
    if (parent.type !== 'CallExpression' && parent.type !== 'NewExpression') continue;
    if (parent.callee === child) continue;
    const others = parent.arguments.filter((each) => each !== child);
    if (!gives(carriedBy(code, others)) && !(fn === undefined && isRacedByHand(code, parent))) continue;
    if (fn === undefined || fn !== child) return true;
    return offerIn(code, callsWanted(code, fn), fn, 0) === undefined;
  }
  return isHandedOverByName(code, call);
}

/** `Promise.race([call(), aborted])`. */
function isRacedByHand(code: Code, parent: TSESTree.CallExpression | TSESTree.NewExpression): boolean {
  return calledName(parent) === 'race' && parent.arguments.some((each) => aboutStopping.test(code.text(each)));
}

/** `const answer = call(); await race(signal, answer)`. */
function isHandedOverByName(code: Code, call: TSESTree.CallExpression): boolean {
  const name = resultName(call);
  if (name === undefined) return false;
  return (
    code.variable(name)?.references.some(({ identifier }) => {
      for (const [parent, child] of around(identifier)) {
        if (isFunction(parent)) return false;
        if (parent.type !== 'CallExpression' || parent.callee === child) continue;
        if (gives(carriedBy(code, parent.arguments)) || isRacedByHand(code, parent)) return true;
      }
      return false;
    }) === true
  );
}

/** The variable that a call's result is kept in. */
function resultName(call: TSESTree.CallExpression): TSESTree.Identifier | undefined {
  for (const [parent] of around(call)) {
    if (parent.type === 'VariableDeclarator') return parent.id.type === 'Identifier' ? parent.id : undefined;
    if (parent.type === 'AssignmentExpression') return parent.left.type === 'Identifier' ? parent.left : undefined;
    if (parent.type !== 'AwaitExpression' && bare(parent) === parent) return undefined;
  }
  return undefined;
}

/** Whether the object that is called has the signal already: `turn.model(…)`, `new Runner({ signal }).run(…)`. */
export function receiverCarries(code: Code, call: TSESTree.CallExpression): boolean {
  let at = bare(call.callee);
  while (at.type === 'MemberExpression') {
    const object = bare(at.object);
    const type = code.typeAt(object);
    if (
      code.types.signalPath(type) !== undefined ||
      code.types.signalKind(type) !== undefined ||
      code.types.isSource(type)
    )
      return true;
    if (object.type === 'ThisExpression') break;
    const made = code.givenTo(object) ?? object;
    const from = made.type === 'AwaitExpression' ? bare(made.argument) : made;
    if ((from.type === 'CallExpression' || from.type === 'NewExpression') && gives(carriedBy(code, from.arguments)))
      return true;
    at = object.type === 'CallExpression' ? bare(object.callee) : object;
  }
  if (at.type !== 'Identifier') return false;
  const pattern = code.variable(at)?.defs[0]?.name.parent.parent;
  // `({ model, token }) => model(…)`: taken out of an object that has it.
  if (pattern?.type === 'ObjectPattern' && code.types.signalPath(code.typeAt(pattern)) !== undefined) return true;
  const made = code.initOf(at);
  // `const ask = askWith(signal)`: a function that was made with the signal.
  return made?.type === 'CallExpression' && gives(carriedBy(code, made.arguments));
}

/** Whether the call runs functions that give the signal on themselves: `retry(() => fetch(url, { signal }))`. */
export function callbacksCarry(code: Code, call: TSESTree.CallExpression): boolean {
  return call.arguments.some((each) => {
    const callback = code.functionAt(each);
    return callback !== undefined && hasCarrying(code, callback.body, () => true);
  });
}

/** Whether another branch of the same decision calls the same with a signal. */
export function otherBranchCarries(code: Code, call: TSESTree.CallExpression): boolean {
  const name = code.text(call.callee);
  const isSame = (other: TSESTree.CallExpression): boolean => other !== call && code.text(other.callee) === name;
  for (const [parent, child] of around(call)) {
    if (isFunction(parent)) return false;
    const branches = /^(?:ConditionalExpression|IfStatement|SwitchStatement)$/.test(parent.type)
      ? [parent]
      : leftBefore(parent, child);
    if (branches.some((branch) => hasCarrying(code, branch, isSame))) return true;
  }
  return false;
}

function hasCarrying(code: Code, node: TSESTree.Node, wanted: (call: TSESTree.CallExpression) => boolean): boolean {
  return code.has(
    node,
    (each) => each.type === 'CallExpression' && wanted(each) && gives(carriedBy(code, each.arguments)),
    true,
  );
}

/** Whether the function stops what the call is about when it hears of a stop: `signal.onabort = () => run.cancel()`. */
export function isStoppedByListener(code: Code, call: TSESTree.CallExpression): boolean {
  const fn = functionAround(call);
  if (fn === undefined) return false;
  const names = new Set(
    [resultName(call)?.name, rootName(call.callee)].filter((name) => name !== undefined && name !== 'this'),
  );
  // `new Promise((resolve, reject) => …)`: a listener that settles it lets go of what it waits for.
  if (fn.parent.type === 'NewExpression' && calledName(fn.parent) === 'Promise') {
    for (const settle of fn.params) if (settle.type === 'Identifier') names.add(settle.name);
  }
  if (names.size === 0) return false;
  return code.has(
    fn.body,
    (node) =>
      heardOnStop(code, node).some((heard) => {
        const listener = code.functionAt(heard) ?? heard;
        if (contains(listener, call)) return false;
        return code.has(listener, (each) => each.type === 'Identifier' && names.has(each.name), true);
      }),
    true,
  );
}

/** What is called on a stop: `signal.addEventListener('abort', heard)`, `signal.onabort = heard`. */
function heardOnStop(code: Code, node: TSESTree.Node): readonly TSESTree.Node[] {
  if (node.type === 'AssignmentExpression') {
    const { left, right } = node;
    return left.type === 'MemberExpression' && propertyName(left) === 'onabort' ? [right] : [];
  }
  if (node.type !== 'CallExpression') return [];
  if (calledName(node) === 'onCancelled') return node.arguments;
  if (!/^(?:addEventListener|onAbort|once)$/.test(calledName(node))) return [];
  return /abort/i.test(code.text(node.arguments[0] ?? node)) ? node.arguments : [];
}
