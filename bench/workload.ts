/**
 * What a workload is, and what it says: rows of the table, each with a goal or without.
 *
 * @module
 */
import type { Effort } from './harness.ts';

/** The goal on the newer majors, and on Node 20, where everything native is slower. */
export type Goal = number | { readonly node24: number; readonly node20: number };

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly value: number;
  /** `x` a ratio; all else is absolute. */
  readonly unit: 'x' | 'ns' | 'µs' | 'ms' | 'bytes' | 'microtasks' | 'count';
  /** How good it has to be; a row without a goal informs. */
  readonly atLeast?: Goal | undefined;
  readonly atMost?: Goal | undefined;
  /** What `--check` insists on where the goal is not reached: the table says the miss, a regression still fails. */
  readonly floor?: Goal | undefined;
}

/** One line of performance goals and how it is measured. */
export interface Workload {
  readonly id: string;
  readonly title: string;
  measure(effort: Effort): Promise<Row[]>;
}

/** The goal that counts on this major. */
export function goalOn(major: number, goal: Goal): number {
  if (typeof goal === 'number') return goal;
  return major >= 24 ? goal.node24 : goal.node20;
}

/** Whether a row reaches its goal; one without a goal always does. */
export function passes(row: Row, major: number): boolean {
  if (row.atLeast !== undefined && !(row.value >= goalOn(major, row.atLeast))) return false;
  return row.atMost === undefined || row.value <= goalOn(major, row.atMost);
}

/** Whether a row is at least as good as its floor: the goal, unless the row states another. */
export function holds(row: Row, major: number): boolean {
  if (row.floor === undefined) return passes(row, major);
  const side = row.atLeast === undefined ? { atMost: row.floor } : { atLeast: row.floor };
  return passes({ what: row.what, value: row.value, unit: row.unit, ...side }, major);
}
