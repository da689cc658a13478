/**
 * Refuses options that are not what they should be, in the same words wherever they are given.
 *
 * @module
 */
import { requireText, requireFunction, requireOneOf, wrongType } from '../../core/foundation/check.ts';
import type { IdPolicy } from '../dialect.ts';
import type { ToolOutcome, ToolStatus } from '../from-core.ts';
import { requireRecord, requireRecords } from '../reading/require-messages.ts';
import { readable, type Render } from '../words/values.ts';

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

/** A list of rows. */
export function requireOutcomes(name: string, outcomes: unknown): readonly ToolOutcome[] {
  return requireRecords(name, outcomes).map((row, i) => requireOutcome(`${name}[${String(i)}]`, row));
}

/** One row. */
export function requireOutcome(name: string, outcome: unknown): ToolOutcome {
  const row = requireRecord(name, outcome);
  requireOneOf(`${name}.status`, row['status'], statuses);
  requireText(`${name}.id`, row['id']);
  requireWord(`${name}.name`, row['name']);
  const { call, reason } = row;
  // What completed is told, also where its call cannot be looked at.
  const isWhole = readable(call) === call && readable(reason) === reason;
  return (isWhole ? row : { ...row, call: {}, reason: undefined }) as unknown as ToolOutcome;
}

function requireWord(name: string, value: unknown): void {
  requireText(name, value);
  if (value === '') throw wrongType(name, 'a text that is not empty', value);
}

/** `normalise` unless it is said. */
export function requireIds(name: string, value: unknown): IdPolicy {
  return requireOneOf(name, value ?? 'normalise', ['keep', 'normalise'] as const);
}

/** A function, or nothing. */
export function requireRender(name: string, value: Render | undefined): Render | undefined {
  if (value !== undefined) requireFunction(name, value);
  return value;
}
