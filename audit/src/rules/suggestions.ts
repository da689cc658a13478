/**
 * The suggestions: how to pass a signal. Never applied by themselves, as passing a signal changes what a program does.
 *
 * @module
 */
import type { TSESLint, TSESTree } from '@typescript-eslint/utils';

import type { Place } from '../reading/accepts.ts';
import type { Code } from '../reading/code.ts';
import type { Reachable } from '../reading/reach.ts';
import type { SignalKind } from '../reading/stop-types.ts';

/** The expression that gives a place what it takes; nothing where one kind does not become the other. */
export function expressionFor({ text, kind, optional }: Reachable, takes: SignalKind): string | undefined {
  if (kind === takes) return text;
  if (takes !== 'signal' || kind === 'foreign-token') return undefined;
  return `${text}${optional ? '?' : ''}.signal`;
}

/** Puts a signal into a call, where the place for it is plain to see. */
export function fixFor(
  code: Code,
  call: TSESTree.CallExpression,
  place: Place,
  expression: string,
): TSESLint.ReportFixFunction | undefined {
  const argument = call.arguments[place.index];
  if (argument === undefined) {
    if (call.arguments.length !== place.index) return undefined;
    const added = place.property === undefined ? expression : `{ ${property(place.property, expression)} }`;
    const last = call.arguments.at(-1);
    if (last !== undefined) return (fixer) => fixer.insertTextAfter(last, `, ${added}`);
    const close = code.source.getLastToken(call);
    return close === null ? undefined : (fixer) => fixer.insertTextBefore(close, added);
  }
  if (argument.type !== 'ObjectExpression' || place.property === undefined) return undefined;
  const added = property(place.property, expression);
  const last = argument.properties.at(-1);
  if (last !== undefined) return (fixer) => fixer.insertTextAfter(last, `, ${added}`);
  return (fixer) => fixer.replaceText(argument, `{ ${added} }`);
}

function property(name: string, expression: string): string {
  return name === expression ? name : `${name}: ${expression}`;
}
