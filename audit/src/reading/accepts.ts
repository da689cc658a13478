/**
 * Where a call could take a signal, if it could.
 *
 * @module
 */
import type { TSESTree } from '@typescript-eslint/utils';
import type * as ts from 'typescript';

import type { Code } from './code.ts';
import type { SignalKind } from './stop-types.ts';

/** The place of a call that a signal could go to. */
export interface Place {
  /** Which argument, from 0. */
  readonly index: number;
  /** The parameter itself takes the signal, or this property of it does. */
  readonly property: string | undefined;
  /** The name of the parameter. */
  readonly parameter: string;
  /** What it takes. */
  readonly takes: SignalKind;
}

/** What Node and a browser do at once, or in the time of a disk: a stop is not lost there. */
const atOnce =
  /^(?:fs|fs\/promises|dns|dns\/promises|crypto|util|test|events|stream|stream\/promises|readline|worker_threads|vm|zlib|perf_hooks)$/;

/** Libraries that only describe: their options happen to have a property of that name. */
const describing: ReadonlySet<string> = new Set([
  'zod',
  'react',
  '@types/react',
  'react-dom',
  '@types/react-dom',
  'ink',
  'vitest',
  'jest',
  '@jest/globals',
]);

/**
 * Finds the place of a signal in a call: of the overload that was chosen, or of one that takes an argument more.
 */
export function placeOf(code: Code, call: TSESTree.CallExpression): Place | undefined {
  if (call.callee.type === 'Super') return undefined;
  const chosen = code.checker.getResolvedSignature(code.tsNode(call) as ts.CallLikeExpression);
  if (chosen === undefined) return undefined;
  const place = placeIn(code, call, chosen);
  if (place !== undefined) return place;
  const others = code.types.callsOf(code.typeAt(call.callee));
  if (others.length < 2) return undefined;
  for (const other of others) {
    // The chosen one may be another object after type parameters were put in.
    if (other.declaration === chosen.declaration) continue;
    const longer = placeIn(code, call, other);
    if (longer !== undefined && longer.index === call.arguments.length) return longer;
  }
  return undefined;
}

/** `delay(undefined, 300)`: a signal could stand here, and somebody decided that there is none. */
export function isDecidedNone(code: Code, call: TSESTree.CallExpression): boolean {
  const chosen = code.checker.getResolvedSignature(code.tsNode(call) as ts.CallLikeExpression);
  return call.arguments.some((given, index) => {
    const parameter = chosen?.parameters[index];
    if (parameter === undefined || given.type !== 'Identifier' || given.name !== 'undefined') return false;
    const type = code.typeOf(parameter, call);
    return code.types.signalKind(type) !== undefined || code.types.signalPath(type) !== undefined;
  });
}

function placeIn(code: Code, call: TSESTree.CallExpression, signature: ts.Signature): Place | undefined {
  const file = signature.declaration?.getSourceFile().fileName ?? '';
  if (isIgnored(file)) return undefined;
  for (const [index, parameter] of signature.parameters.entries()) {
    const declared = parameter.valueDeclaration as ts.ParameterDeclaration | undefined;
    if (declared?.dotDotDotToken !== undefined || declared?.initializer !== undefined) continue;
    const type = code.typeOf(parameter, call);
    const kind = code.types.signalKind(type);
    if (kind !== undefined) {
      if (call.arguments.length > index) continue;
      return { index, property: undefined, parameter: parameter.name, takes: kind };
    }
    const property = code.types.signalPath(type);
    // A `Request` that is to be sent has its signal already, or is made from what is asked here.
    if (property === undefined || property.includes('.') || code.types.namesOf(type).includes('Request')) continue;
    return { index, property, parameter: parameter.name, takes: code.types.kindAt(type, property) ?? 'signal' };
  }
  return undefined;
}

/** The package that a file of types belongs to: the innermost, as package managers nest them. */
export function packageOf(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
}

function isIgnored(file: string): boolean {
  const name = packageOf(file);
  if (name === 'typescript') return !/lib\.(?:dom|webworker)/.test(file);
  if (name === '@types/node') return atOnce.test(/@types\/node\/(.+)\.d\.ts$/.exec(file)?.[1] ?? '');
  return name !== undefined && describing.has(name);
}
