/**
 * What becomes of an error that is caught: whether a stop gets through, or ends there.
 *
 * @module
 */
import type { TSESTree } from '@typescript-eslint/utils';

import type { Code } from './code.ts';
import { aboutStopping, writesDown } from './names.ts';
import {
  alwaysThrows,
  around,
  bare,
  calledName,
  functionAround,
  isFunction,
  propertyName,
  rootName,
} from './syntax.ts';

/** Functions that take an error as an error. */
const takesError =
  /^(?:reject|fail|raise|error|abort|destroy|callback|cb|done|next|onError|throw\w*|rethrow\w*|reject\w*)$/i;

/** Whether a stop gets out of the body of a catch, or somebody asks for it there. */
export function letsStopThrough(code: Code, body: TSESTree.Node, error: string | undefined): boolean {
  if (alwaysThrows(body)) return true;
  return code.has(
    body,
    (node) => {
      switch (node.type) {
        case 'ThrowStatement':
          return throwsOn(node, error);
        case 'Identifier':
          return aboutStopping.test(node.name);
        case 'Literal':
          return (
            typeof node.value === 'string' && aboutStopping.test(node.value) && node.parent.type !== 'CallExpression'
          );
        case 'CallExpression':
          return handsErrorOn(code, node, error);
        case 'AssignmentExpression':
          return keepsForLater(code, node.left, node.right, error);
        default:
          return false;
      }
    },
    true,
  );
}

/** `if (!known) throw error`, or an error made from it. */
function throwsOn({ argument }: TSESTree.ThrowStatement, error: string | undefined): boolean {
  return error !== undefined && argument.type === 'Identifier' && argument.name === error;
}

function handsErrorOn(code: Code, call: TSESTree.CallExpression, error: string | undefined): boolean {
  if (code.types.isNever(code.typeAt(call))) return true;
  const given = error !== undefined && call.arguments.some((each) => names(code, each, error));
  if (!given) return false;
  const callee = bare(call.callee);
  if (callee.type === 'MemberExpression' && isLog(callee)) return false;
  if (takesError.test(calledName(call))) return true;
  if (callee.type === 'MemberExpression' && /^(?:push|unshift|add)$/.test(calledName(call))) {
    return keepsForLater(code, callee.object, call.arguments[0], error);
  }
  return asksInside(code, call);
}

function isLog(callee: TSESTree.MemberExpression): boolean {
  const object = bare(callee.object);
  const name = object.type === 'MemberExpression' ? propertyName(object) : rootName(object);
  return writesDown.test(name ?? '');
}

/** Whether the function of this project that gets the error asks for a stop, or throws. */
function asksInside(code: Code, call: TSESTree.CallExpression): boolean {
  const text = code.declarationOf(call);
  return text !== undefined && text.length < 6_000 && /abort|cancel|interrupt|\bthrow\b/i.test(text);
}

function names(code: Code, node: TSESTree.Node, name: string): boolean {
  return code.has(node, (each) => each.type === 'Identifier' && each.name === name);
}

/** `last = error`, where `last` is thrown later, or belongs to an object that keeps its error to throw it. */
function keepsForLater(
  code: Code,
  left: TSESTree.Node,
  right: TSESTree.Node | undefined,
  error: string | undefined,
): boolean {
  if (error === undefined || right === undefined || !names(code, right, error)) return false;
  const kept = code.text(left);
  const from = left.type === 'Identifier' ? functionAround(outermost(left)) : classAround(left);
  return from !== undefined && code.has(from, (node) => throwsKept(code, node, kept), true);
}

function throwsKept(code: Code, node: TSESTree.Node, kept: string): boolean {
  if (node.type === 'ThrowStatement') return code.text(node.argument).includes(kept);
  return (
    node.type === 'CallExpression' &&
    takesError.test(calledName(node)) &&
    node.arguments.some((each) => code.text(each).includes(kept))
  );
}

/** A variable may be one of a function further out. */
function outermost(node: TSESTree.Node): TSESTree.Node {
  let found: TSESTree.Node = node;
  for (const [parent] of around(node)) if (isFunction(parent) && functionAround(parent) !== undefined) found = parent;
  return found;
}

function classAround(node: TSESTree.Node): TSESTree.Node | undefined {
  for (const [parent] of around(node)) if (parent.type === 'ClassBody') return parent;
  return undefined;
}

/** Whether the code after a try, or the loop around it, asks for a stop. */
export function isAskedAfter(code: Code, statement: TSESTree.Node): boolean {
  let at: TSESTree.Node = statement;
  for (const [parent, child] of around(statement)) {
    if (isFunction(parent)) return false;
    if (parent.type === 'BlockStatement' || parent.type === 'SwitchCase') {
      const list: readonly TSESTree.Node[] = parent.type === 'BlockStatement' ? parent.body : parent.consequent;
      if (list.slice(list.indexOf(child) + 1).some((each) => asks(code, each))) return true;
    }
    if (isLoop(parent)) {
      if ('test' in parent && parent.test !== null && aboutStopping.test(code.text(parent.test))) return true;
      // The next round begins with the question.
      const { body } = parent;
      if (
        body.type === 'BlockStatement' &&
        body.body.slice(0, body.body.indexOf(at as TSESTree.Statement)).some((each) => asks(code, each))
      )
        return true;
    }
    at = parent.type === 'BlockStatement' ? child : at;
  }
  return false;
}

function isLoop(
  node: TSESTree.Node,
): node is
  | TSESTree.DoWhileStatement
  | TSESTree.ForInStatement
  | TSESTree.ForOfStatement
  | TSESTree.ForStatement
  | TSESTree.WhileStatement {
  return /^(?:DoWhile|ForIn|ForOf|For|While)Statement$/.test(node.type);
}

function asks(code: Code, statement: TSESTree.Node): boolean {
  return code.has(
    statement,
    (node) => node.type === 'Identifier' && /aborted|throwIf|isCancel|cancelled|interrupted|isAbort/i.test(node.name),
  );
}

/** What happens to a caught error, as a sentence goes on. */
export function whatFollows(
  code: Code,
  body: TSESTree.Node,
  statement: TSESTree.Node,
): 'empty' | 'loop' | 'result' | 'runsOn' {
  if (body.type !== 'BlockStatement') return 'result';
  if (
    code.has(
      body,
      (node) => (node.type === 'ReturnStatement' && node.argument !== null) || node.type === 'YieldExpression',
    )
  )
    return 'result';
  for (const [parent] of around(statement)) {
    if (isFunction(parent)) break;
    if (isLoop(parent) && !code.has(body, (node) => node.type === 'BreakStatement' || node.type === 'ReturnStatement'))
      return 'loop';
  }
  return body.body.length === 0 ? 'empty' : 'runsOn';
}
