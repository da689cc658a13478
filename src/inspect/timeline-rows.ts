/**
 * What both timelines show of an operation, in words and in shares of the whole time.
 *
 * @module
 */
import { isSurvivor, type Trace, type TraceOperation } from './trace.ts';

/** One lane. */
export interface TimelineRow {
  readonly operation: TraceOperation;
  /** Its kind and its name, each once: a turn is called "turn 1" as it is. */
  readonly title: string;
  /** How deep it stands in the tree, from 0. */
  readonly depth: number;
  /** Where it begins and how long it is, as shares of the whole from 0 to 1. */
  readonly from: number;
  readonly length: number;
  readonly outcome: string;
  /** When it was asked, looked and ended, from the start of the recording. */
  readonly notes: readonly string[];
}

/** The lanes of a trace, and where an instant stands on them. */
export interface TimelineRows {
  readonly rows: readonly TimelineRow[];
  readonly totalMs: number;
  readonly shareOf: (at: number) => number;
}

export function titleOf({ kind, name }: TraceOperation): string {
  return name === kind || name.startsWith(`${kind} `) ? name : `${kind} ${name}`;
}

/** A trace may come from a file. */
export function requireTrace(trace: Trace): void {
  const given = trace as Partial<Trace> | null | undefined;
  if (given?.version !== 1 || !Array.isArray(given.operations) || !Array.isArray(given.stops))
    throw new TypeError('not a trace of version 1; make one with recording.trace()');
}

/** Children stand below what they are part of, each in the order of the start. */
export function timelineRows({ startedAt, takenAt, operations }: Trace): TimelineRows {
  const totalMs = Math.max(1, takenAt - startedAt);
  const shareOf = (at: number): number => Math.min(1, Math.max(0, (at - startedAt) / totalMs));
  const known = new Set(operations.map(({ id }) => id));
  const children = new Map<string | undefined, TraceOperation[]>();
  for (const operation of operations) {
    const above = known.has(operation.parentId) ? operation.parentId : undefined;
    const siblings = children.get(above);
    if (siblings === undefined) children.set(above, [operation]);
    else siblings.push(operation);
  }
  const rows: TimelineRow[] = [];
  const add = (above: string | undefined, depth: number): void => {
    for (const operation of children.get(above) ?? []) {
      const from = shareOf(operation.startedAt);
      const end = isSurvivor(operation) ? takenAt : (operation.late?.at ?? operation.endedAt ?? takenAt);
      const length = shareOf(end) - from;
      rows.push({
        operation,
        title: titleOf(operation),
        depth,
        from,
        length,
        outcome: outcomeOf(operation),
        notes: notesOf(operation, startedAt),
      });
      add(operation.id, depth + 1);
    }
  };
  add(undefined, 0);
  return { rows, totalMs, shareOf };
}

function outcomeOf(operation: TraceOperation): string {
  if (isSurvivor(operation)) return 'still running';
  return operation.late === undefined ? operation.outcome : `late: ${operation.late.outcome}`;
}

function notesOf(operation: TraceOperation, start: number): string[] {
  const { askedAt, observedAt, endedAt, late, checkpoints } = operation;
  const at = (label: string, time: number | undefined): string[] =>
    time === undefined ? [] : [`${label} at ${formatMs(time - start)}`];
  return [
    ...at('asked', askedAt),
    ...at('noticed', observedAt),
    ...at(isSurvivor(operation) ? 'given up' : 'ended', late?.at ?? endedAt),
    ...(checkpoints?.isSwallowed === true ? ['swallowed the stop'] : []),
    ...(checkpoints?.isStarved === true ? ['no checkpoint in time'] : []),
  ];
}

/** Milliseconds for people. */
export function formatMs(ms: number): string {
  return ms < 10_000 ? `${String(Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}
