/**
 * Which signals a place in code can name: variables and parameters of the functions around it, and what those
 * hold. Fields of a class and variables of a module are not counted: they are mostly for longer than one piece of work.
 *
 * @module
 */
import type { TSESLint, TSESTree } from '@typescript-eslint/utils';
import type * as ts from 'typescript';

import { carriedByBuilt } from './carries.ts';
import type { Code } from './code.ts';
import { isLimit } from './limits.ts';
import type { SignalKind } from './stop-types.ts';
import { functionAround, type FunctionNode } from './syntax.ts';

/** A signal that can be named. */
export interface Reachable {
  /** The expression: `signal`, `options?.signal`, `this.controller.signal`. */
  readonly text: string;
  readonly kind: SignalKind;
  /** Whether it may be missing. */
  readonly optional: boolean;
  /** Whether callees find it by themselves. */
  readonly ambient: boolean;
  /** Whether it belongs to the function at hand and not to one around it. */
  readonly own: boolean;
}

const outermost: ReadonlySet<string> = new Set(['module', 'global']);

/** Not a class, an import or a type. */
const kept: ReadonlySet<string> = new Set(['Parameter', 'Variable']);

const found = new WeakMap<TSESLint.Scope.Variable, Omit<Reachable, 'own'> | null>();

/** The signals in reach of a place, the nearest first, a signal itself before an object that holds one. */
export function inReach(code: Code, node: TSESTree.Node): readonly Reachable[] {
  const here = functionAround(node);
  const reachable: Reachable[] = [];
  for (let scope: TSESLint.Scope.Scope | null = code.source.getScope(node); scope !== null; scope = scope.upper) {
    if (outermost.has(scope.type)) break;
    const level: Reachable[] = [];
    for (const variable of scope.variables) {
      const definition = variable.defs[0];
      if (definition === undefined || !isBefore(variable, definition, node)) continue;
      const value = valueOf(code, variable, definition);
      if (value !== undefined) level.push({ ...value, own: ownerOf(definition) === here });
    }
    reachable.push(...level.sort((one, other) => weight(one) - weight(other)));
  }
  return reachable;
}

function weight({ text }: Reachable): number {
  return text.includes('.') ? 1 : 0;
}

function ownerOf(definition: TSESLint.Scope.Definition): FunctionNode | undefined {
  return functionAround(definition.name);
}

function isBefore(
  { references }: TSESLint.Scope.Variable,
  definition: TSESLint.Scope.Definition,
  node: TSESTree.Node,
): boolean {
  const { name } = definition;
  if (name.range[0] >= node.range[0]) return false;
  const declared = definition.node;
  // `let token;` that gets its value later, or in the call itself.
  if (
    declared.type === 'VariableDeclarator' &&
    declared.init === null &&
    declared.parent.parent.type !== 'ForOfStatement'
  ) {
    if (!references.some((each) => each.isWrite() && each.identifier.range[0] < node.range[0])) return false;
  }
  // Not in what it is itself made from.
  return !(
    declared.type === 'VariableDeclarator' &&
    declared.range[0] <= node.range[0] &&
    node.range[1] <= declared.range[1]
  );
}

function valueOf(
  code: Code,
  variable: TSESLint.Scope.Variable,
  definition: TSESLint.Scope.Definition,
): Omit<Reachable, 'own'> | undefined {
  const known = found.get(variable);
  if (known !== undefined) return known ?? undefined;
  const value = findValue(code, variable, definition);
  found.set(variable, value ?? null);
  return value;
}

function findValue(
  code: Code,
  variable: TSESLint.Scope.Variable,
  definition: TSESLint.Scope.Definition,
): Omit<Reachable, 'own'> | undefined {
  const name = definition.name;
  if (name.type !== 'Identifier' || (definition.node.type === 'VariableDeclarator' && isLimit(code, name)))
    return undefined;
  if (!kept.has(definition.type)) return undefined;
  const type = code.typeAt(name);
  const optional = code.types.isOptional(type);
  const dot = optional ? '?.' : '.';
  const kind = code.types.signalKind(type);
  if (kind !== undefined) return { text: variable.name, kind, optional, ambient: false };
  if (code.types.isSource(type)) return sourceAs(code, type, variable.name, optional);
  const path = code.types.signalPath(type);
  if (path === undefined || isBuiltWithout(code, name)) return undefined;
  return {
    text: `${variable.name}${dot}${path}`,
    kind: code.types.kindAt(type, path) ?? 'signal',
    optional: optional || code.types.isOptionalAt(type, path),
    ambient: code.types.isAmbient(type),
  };
}

/** `const options: RequestInit = { method }`: there could be a signal in it, and there is none. */
function isBuiltWithout(code: Code, name: TSESTree.Identifier): boolean {
  const built = carriedByBuilt(code, name);
  return built !== undefined && built !== 'stop';
}

function sourceAs(code: Code, type: ts.Type, text: string, optional: boolean): Omit<Reachable, 'own'> {
  if (!code.types.namesOf(type).includes('CancellationTokenSource'))
    return { text, kind: 'controller', optional, ambient: false };
  return { text: `${text}${optional ? '?.' : '.'}token`, kind: 'token', optional, ambient: false };
}
