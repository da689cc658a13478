/**
 * Questions about syntax alone.
 *
 * @module
 */
import type { TSESLint, TSESTree } from '@typescript-eslint/utils';

export type FunctionNode =
  | TSESTree.ArrowFunctionExpression
  | TSESTree.FunctionDeclaration
  | TSESTree.FunctionExpression;

export function isFunction(node: TSESTree.Node): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'
  );
}

/** The expression without what only the compiler sees. */
export function bare(node: TSESTree.Node): TSESTree.Node {
  let at = node;
  while (
    at.type === 'TSNonNullExpression' ||
    at.type === 'TSAsExpression' ||
    at.type === 'TSSatisfiesExpression' ||
    at.type === 'ChainExpression'
  ) {
    at = at.expression;
  }
  return at;
}

function parentOf(node: TSESTree.Node): TSESTree.Node | undefined {
  return node.parent ?? undefined;
}

/** The nodes around a node, each with the child it was reached from, innermost first. */
export function* around(node: TSESTree.Node): Generator<readonly [parent: TSESTree.Node, child: TSESTree.Node]> {
  // At run time, the parent of a program is null.
  let child: TSESTree.Node = node;
  for (let parent = parentOf(child); parent !== undefined; parent = parentOf(parent)) {
    yield [parent, child];
    child = parent;
  }
}

export function functionAround(node: TSESTree.Node): FunctionNode | undefined {
  for (const [parent] of around(node)) if (isFunction(parent)) return parent;
  return undefined;
}

export function contains(outer: TSESTree.Node, inner: TSESTree.Node): boolean {
  return outer.range[0] <= inner.range[0] && inner.range[1] <= outer.range[1];
}

/**
 * Walks a node and what is in it, in source order.
 *
 * @param visit Returns `false` to go no deeper.
 * @param deep Whether to go into functions.
 */
export function walk(
  keys: TSESLint.SourceCode['visitorKeys'],
  node: TSESTree.Node,
  visit: (node: TSESTree.Node) => unknown,
  deep = false,
): void {
  if (visit(node) === false) return;
  for (const key of keys[node.type] ?? []) {
    const value = (node as unknown as Record<string, unknown>)[key];
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child) || (!deep && isFunction(child))) continue;
      walk(keys, child, visit, deep);
    }
  }
}

function isNode(value: unknown): value is TSESTree.Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** Whether no way leads past the end of a statement but an error. */
export function alwaysThrows(statement: TSESTree.Node | null | undefined): boolean {
  switch (statement?.type) {
    case 'ThrowStatement':
      return true;
    case 'BlockStatement':
      return statement.body.some(alwaysThrows);
    case 'IfStatement':
      return alwaysThrows(statement.consequent) && alwaysThrows(statement.alternate);
    case 'SwitchStatement': {
      const last = statement.cases.at(-1);
      const hasDefault = statement.cases.some((each) => each.test === null);
      return (
        hasDefault &&
        last !== undefined &&
        statement.cases.every((each) => each.consequent.length === 0 || each.consequent.some(alwaysThrows))
      );
    }
    case 'TryStatement':
      return (
        alwaysThrows(statement.finalizer) ||
        (alwaysThrows(statement.block) && (statement.handler === null || alwaysThrows(statement.handler.body)))
      );
    default:
      return false;
  }
}

/** The decisions before a statement whose branch leaves: after `if (known) return …;` it is the other branch. */
export function leftBefore(parent: TSESTree.Node, child: TSESTree.Node): readonly TSESTree.IfStatement[] {
  const list: readonly TSESTree.Node[] =
    parent.type === 'BlockStatement' ? parent.body : parent.type === 'SwitchCase' ? parent.consequent : [];
  return list
    .slice(0, list.indexOf(child))
    .filter((each) => each.type === 'IfStatement')
    .filter(({ consequent }) => leaves(consequent));
}

function leaves(statement: TSESTree.Node | undefined): boolean {
  if (statement?.type === 'BlockStatement') return leaves(statement.body.at(-1));
  return /^(?:Return|Throw|Break|Continue)Statement$/.test(statement?.type ?? '');
}

/** The last name of what is called: `create` of `client.messages.create(…)`. */
export function calledName(call: TSESTree.CallExpression | TSESTree.NewExpression): string {
  const callee = bare(call.callee);
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return propertyName(callee) ?? '';
  return '';
}

export function propertyName(member: TSESTree.MemberExpression): string | undefined {
  if (member.property.type === 'Identifier' && !member.computed) return member.property.name;
  return member.property.type === 'Literal' ? String(member.property.value) : undefined;
}

export function keyName(key: TSESTree.Node): string | undefined {
  if (key.type === 'Identifier' || key.type === 'PrivateIdentifier') return key.name;
  // `[Symbol.asyncDispose]`
  if (key.type === 'MemberExpression') return propertyName(key);
  return key.type === 'Literal' ? String(key.value) : undefined;
}

/** The first name of a chain: `client` of `client.messages.create`, `this` of `this.#client.create`. */
export function rootName(node: TSESTree.Node): string | undefined {
  let at = bare(node);
  for (;;) {
    if (at.type === 'MemberExpression') at = bare(at.object);
    else if (at.type === 'CallExpression') at = bare(at.callee);
    else if (at.type === 'AwaitExpression') at = bare(at.argument);
    else break;
  }
  if (at.type === 'Identifier') return at.name;
  return at.type === 'ThisExpression' ? 'this' : undefined;
}

/** What a function is called by who declares it: its own name, its variable, its key. */
export function nameOfFunction(fn: FunctionNode): string | undefined {
  if (fn.id !== null) return fn.id.name;
  const parent = fn.parent;
  if (parent.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name;
  if (parent.type === 'Property' || parent.type === 'MethodDefinition' || parent.type === 'PropertyDefinition') {
    return keyName(parent.key);
  }
  if (parent.type === 'AssignmentExpression' && parent.left.type === 'MemberExpression')
    return propertyName(parent.left);
  return parent.type === 'CallExpression' &&
    calledName(parent) === 'useCallback' &&
    parent.parent.type === 'VariableDeclarator'
    ? keyName(parent.parent.id)
    : undefined;
}
