/**
 * Refuses options that are not what they should be, in the same words wherever they are given.
 *
 * @module
 */
import { requireText, requireFunction, requireOneOf, wrongType } from '../../core/foundation/check.ts';
import type { IdPolicy, ToolResultsOptions } from '../dialect.ts';
import type { PartialOutput, ToolOutcome, ToolStatus } from '../from-core.ts';
import { isRecord } from '../reading/fields.ts';
import { requireRecords } from '../reading/require-messages.ts';
import { reasonKind } from '../words/reason-kind.ts';
import { readable, readableAll, type Render } from '../words/values.ts';
import { createWords } from '../words/wording.ts';
import type { DialectRules, Telling } from './rules.ts';

const statuses: readonly ToolStatus[] = [
  'completed',
  'failed',
  'not-started',
  'stopped',
  'unknown',
  'skipped',
  'declined',
  'detached',
];

/** A list of rows of the ledger. */
export function requireOutcomes(name: string, outcomes: unknown): readonly ToolOutcome[] {
  return requireRecords(name, outcomes).map((row, i) => {
    const place = `${name}[${String(i)}]`;
    requireOneOf(`${place}.status`, row['status'], statuses);
    requireText(`${place}.id`, row['id']);
    // A call that only this row has is no call to any provider without one.
    requireWord(`${place}.name`, row['name']);
    const { call, reason } = row;
    // What completed is told, also where its call cannot be looked at.
    const isWhole = readable(call) === call && readable(reason) === reason;
    return (isWhole ? row : { ...row, call: {}, reason: undefined }) as unknown as ToolOutcome;
  });
}

function requireWord(name: string, value: unknown): void {
  requireText(name, value);
  if (value === '') throw wrongType(name, 'a text that is not empty', value);
}

/** Cut replies, in the order of the model calls. */
export function requirePartials(name: string, partials: unknown): readonly PartialOutput[] {
  const rows = requireRecords(name, partials).map((row) => {
    const value = readableAll(row['value']);
    // Of what cannot be looked at at all nothing is left but a word of ours.
    const left = typeof value === 'string' ? {} : value;
    const read = value === row['value'] ? row : { ...row, value: left };
    // One that was stored by somebody else may have lost its reason.
    const reason = isRecord(read['reason']) ? read['reason'] : { kind: 'unknown' };
    return (reason === read['reason'] ? read : { ...read, reason }) as unknown as PartialOutput;
  });
  return rows.sort((a, b) => a.modelCall - b.modelCall);
}

/** `normalise` unless it is said. */
export function requireIds(name: string, value: unknown): IdPolicy {
  return requireOneOf(name, value ?? 'normalise', ['keep', 'normalise'] as const);
}

/** What the words about a call depend on. */
export function requireTelling({ reason, wording, render }: ToolResultsOptions): Telling {
  const kind = reasonKind('options.reason', reason);
  const words = createWords(wording);
  return { reason: kind && { kind }, words, render: requireRender('options.render', render) };
}

/** A function, or nothing. */
export function requireRender(name: string, value: Render | undefined): Render | undefined {
  if (value !== undefined) requireFunction(name, value);
  return value;
}

/**
 * An index of a list, or its end; `undefined` if it is not given. A turn does not begin with a result: that is of a call
 * before it.
 */
export function requireTurnStart<M>(
  { turnStart: value, held }: { readonly turnStart?: unknown; readonly held?: unknown },
  messages: readonly M[],
  rules: Pick<DialectRules<M>, 'check' | 'turns'>,
): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number') throw wrongType('options.turnStart', 'a number', value);
  const { length } = messages;
  const refusal = (wanted: string): RangeError =>
    new RangeError(`options.turnStart must be ${wanted}, got ${String(value)}`);
  if (!Number.isInteger(value) || value < 0 || value > length) {
    throw refusal(`an index of messages, 0 to ${String(length)}`);
  }
  const first = messages[value];
  if (value === 0 || first === undefined || held !== undefined || rules.turns.isPrompt(first)) return value;
  if (!isResult(first, rules)) return value;
  throw refusal(`where the turn begins, and messages[${String(value)}] holds the result of a call before it`);
}

/** Whether a message answers a call of another one. */
export function isResult<M>(message: M, { check }: Pick<DialectRules<M>, 'check'>): boolean {
  const broken: string[] = [];
  check([message], (_at, rule) => broken.push(rule), 'keep');
  return broken.includes('result-has-call');
}
