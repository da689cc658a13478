/**
 * How time grows with size: medians of a few rounds, for ratios between two sizes.
 *
 * @module
 */

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
