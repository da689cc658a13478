/**
 * The signal that the place of a function would give it: by the type a table of tools asks for, by the class or
 * interface that a method fulfils.
 *
 * @module
 */
import type { TSESTree } from '@typescript-eslint/utils';
import type * as ts from 'typescript';

import type { Code } from './code.ts';
import { keyName, type FunctionNode } from './syntax.ts';

/** A signal that a function would be given. */
export interface Offer {
  /** Which parameter, from 0. */
  readonly index: number;
  /** What the type calls it. */
  readonly parameter: string;
  /** Where in the parameter; nothing if it is the signal itself. */
  readonly path: string | undefined;
}

/** What an offer is called in a sentence. */
export function offerText({ parameter, path }: Offer): string {
  return path === undefined ? parameter : `${parameter}.${path}`;
}

/** The ways in which the place of a function calls it. */
export function callsWanted(code: Code, fn: FunctionNode): readonly ts.Signature[] {
  if (fn.type === 'FunctionDeclaration') return [];
  const { parent } = fn;
  if (parent.type === 'MethodDefinition') return callsOfClass(code, parent);
  if (parent.type === 'Property' && parent.method) {
    const table = code.wantedType(parent.parent);
    return table === undefined ? [] : callsOfProperty(code, table, keyName(parent.key), parent);
  }
  const wanted = code.wantedType(fn);
  if (wanted !== undefined) return code.types.callsOf(wanted);
  return parent.type === 'PropertyDefinition' ? callsOfClass(code, parent) : [];
}

function callsOfClass(
  code: Code,
  method: TSESTree.MethodDefinition | TSESTree.PropertyDefinition,
): readonly ts.Signature[] {
  const { superClass, implements: interfaces } = method.parent.parent;
  const name = keyName(method.key);
  const heirs = interfaces.map((each) => code.checker.getTypeAtLocation(code.tsNode(each)));
  // `extends Base<T>`: the clause has the type of an instance, the expression in it that of the class.
  if (superClass !== null) heirs.push(code.checker.getTypeAtLocation(code.tsNode(superClass).parent));
  return heirs.flatMap((type) => callsOfProperty(code, type, name, method));
}

function callsOfProperty(
  code: Code,
  type: ts.Type,
  name: string | undefined,
  at: TSESTree.Node,
): readonly ts.Signature[] {
  const property = name === undefined ? undefined : code.checker.getPropertyOfType(type, name);
  return property === undefined ? [] : code.types.callsOf(code.typeOf(property, at));
}

/** The signal in a list of parameters, from one of them on. */
export function offerIn(
  code: Code,
  calls: readonly ts.Signature[],
  at: TSESTree.Node,
  from: number,
): Offer | undefined {
  for (const { parameters } of calls) {
    for (const [index, parameter] of parameters.entries()) {
      if (index < from) continue;
      const type = code.typeOf(parameter, at);
      if (code.types.signalKind(type) !== undefined || code.types.isSource(type))
        return { index, parameter: parameter.name, path: undefined };
      const path = code.types.signalPath(type);
      if (path !== undefined) return { index, parameter: parameter.name, path };
    }
  }
  return undefined;
}

/** The signal that a function is offered behind its last parameter. */
export function leftOut(code: Code, fn: FunctionNode): Offer | undefined {
  if (fn.params.at(-1)?.type === 'RestElement') return undefined;
  return offerIn(code, callsWanted(code, fn), fn, fn.params.length);
}
