/**
 * Ledgers, cut replies and reasons at random, and the words of the properties that hold for every dialect.
 *
 * @module
 */
import fc from 'fast-check';
import { expect } from 'vitest';

import { createReason, type CancelReason } from '../../../src/core/foundation/reason.ts';
import { cancelKinds } from '../../../src/core/foundation/cancel-kind.ts';
import type { ToolOutcome } from '../../../src/core/interrupt/public-types/outcomes.ts';
import {
  refuseAnthropic,
  refuseGemini,
  refuseOpenAIChat,
  refuseResponsesItems,
} from '../../../src/testing/model-server/transcript-rules/index.ts';
import type { AnyFormat } from '../../../src/testing/fast-check/transcripts/transcript.ts';
import { repairWith } from './repair-with.ts';
import type { RepairedTranscript, TranscriptDialect } from '../../../src/transcript/index.ts';
import type { RepairWithOptions } from './repair-with.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** A dialect, whatever it adds and gives. */
export type AnyDialect<M> = TranscriptDialect<M, unknown>;

/** How many histories each property of a dialect's own generators reads. */
export const runs = { numRuns: propertyRuns(700) };

/** How many conversations with the ids that servers give each dialect reads. */
export const oddRuns = { numRuns: propertyRuns(600) };

export const reasons: fc.Arbitrary<CancelReason> = fc
  .constantFrom(...cancelKinds)
  .map((kind) => createReason({ kind, at: 1_000 }));

/** A row of the ledger for a call of this id; a completed one holds a value that can be found again. */
export function outcomeOf(id: string): fc.Arbitrary<ToolOutcome> {
  const base = { id, name: `tool_${id}`, call: undefined, ms: 1 };
  return fc.oneof(
    fc.constantFrom<ToolOutcome>(
      { ...base, status: 'completed', value: `done<${id}>` },
      { ...base, status: 'completed', value: { text: `done<${id}>`, list: [1, null] } },
      { ...base, status: 'completed', value: undefined },
      { ...base, status: 'failed', error: new Error('it broke') },
      { ...base, status: 'failed', error: new Error('') },
      { ...base, status: 'failed', error: 7n },
      { ...base, status: 'declined' },
      { ...base, status: 'declined', userMessage: 'not today' },
    ),
    fc
      .tuple(fc.constantFrom('not-started', 'skipped', 'stopped', 'unknown'), reasons)
      .map(([status, reason]) => ({ ...base, status, reason })),
    reasons.map((reason): ToolOutcome => ({
      ...base,
      status: 'stopped',
      reason,
      partial: { half: true },
      by: 'child',
    })),
  );
}

/** Rows for some of these ids, in any order and also twice. */
export function rowsOf(ids: readonly string[]): fc.Arbitrary<ToolOutcome[]> {
  const id = ids.length === 0 ? fc.constant('x0') : fc.constantFrom(...ids);
  return fc.array(id.chain(outcomeOf), { maxLength: 4 });
}

/** Freezes everything inside, so that whoever writes to it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) deepFreeze((value as Record<PropertyKey, unknown>)[key]);
  }
  return value;
}

/** Repairs a history and holds the result to every promise that needs no knowledge of the dialect. */
export function settleAndVerify<M>(
  dialect: AnyFormat<M>,
  messages: readonly M[],
  known: Omit<RepairWithOptions<M>, 'dialect'>,
): readonly M[] {
  const before = JSON.stringify(messages);
  const options = { ...known, dialect };
  const settle = (given: readonly M[]): RepairedTranscript<M> =>
    repairWith<M, unknown, M>(given, options) as RepairedTranscript<M>;
  deepFreeze(known);
  const first = settle(deepFreeze(messages));
  expect(dialect.check(first.messages, { ids: known.ids }), 'a legal transcript').toEqual([]);

  expect(refusal(dialect.name, first.messages), 'a second judge').toBeUndefined();

  const again = settle(deepFreeze(first.messages));
  expect(again.changes, 'nothing left to do').toEqual([]);
  const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
    one.length === other.length && one.every((message, i) => message === other[i]);
  if (!isSameList(again.messages, first.messages)) {
    expect(again.messages, 'the same transcript').toEqual(first.messages);
    expect.unreachable('the same objects');
  }

  if (isSameList(messages, first.messages) !== (first.changes.length === 0)) {
    expect.unreachable(`objects are the same exactly if nothing changed: ${JSON.stringify(first.changes)}`);
  }
  expect(JSON.stringify(messages), 'the input').toBe(before);

  const other = settle(messages);
  expect(JSON.stringify(other), 'the same bytes').toBe(JSON.stringify(first));
  return first.messages;
}

/** What the scripted model server would answer; its rules were written apart from ours. */
function refusal(dialect: string, messages: readonly unknown[]): string | undefined {
  const fields = messages as readonly Readonly<Record<string, unknown>>[];
  if (fields.length === 0) return undefined;
  const isUnknownToIt = (one: object): boolean =>
    /"type":"custom"|"refusal":"No|"audio":\{|"function_call":\{/.test(JSON.stringify(one));
  const body = { model: 'm', max_tokens: 1, messages };
  switch (dialect) {
    case 'anthropic':
      return fields.some((one) => one['role'] === 'system') ? undefined : refuseAnthropic(body);
    case 'openai-chat':
      return fields.some(isUnknownToIt) ? undefined : refuseOpenAIChat(body);
    case 'openai-responses':
      return refuseResponsesItems(fields);
    case 'gemini':
      return refuseGemini({ contents: messages });
    default:
      return undefined;
  }
}

/** The marks `<…>` of a value in the order in which they stand; those the caller put there. */
export function marksIn(value: unknown): string[] {
  return JSON.stringify(value).match(/[a-z]+<\w+>/g) ?? [];
}
