/**
 * How time grows with size: medians of a few rounds, for ratios between two sizes.
 *
 * @module
 */
import type { Row } from './workload.ts';

/** How many times as many the larger size has. */
export const GROWTH = 8;

/** Milliseconds. */
export function now(): number {
  return performance.now();
}

/** The median of five rounds, after one that warms up. */
export async function medianOf(round: () => Promise<number>): Promise<number> {
  await round();
  const times: number[] = [];
  for (let at = 0; at < 5; at++) times.push(await round());
  return times.toSorted((a, b) => a - b)[2] ?? 0;
}

/**
 * How much more each of many costs where there are eight times as many.
 *
 * @param cases What is done, with how many.
 * @param small The smaller size.
 */
export async function growthRows(
  cases: Readonly<Record<string, (count: number) => Promise<number>>>,
  small: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, run] of Object.entries(cases)) {
    const [least, most] = [await medianOf(() => run(small)), await medianOf(() => run(small * GROWTH))];
    rows.push({ what, value: most / least / GROWTH, unit: 'x', atMost: 1.5, floor: 3 });
  }
  return rows;
}
