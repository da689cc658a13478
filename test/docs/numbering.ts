/**
 * Numbered files count from 01, each number once.
 *
 * @module
 */

/**
 * Lists what is wrong with the numbers of files.
 *
 * @param names File names: `01-first-stop.ts`, in any order.
 */
export function numberingFaults(names: readonly string[]): string[] {
  const sorted = names.toSorted();
  const at = sorted.findIndex((name, index) => Number(name.slice(0, 2)) !== index + 1);
  if (at === -1) return [];
  return [`${sorted[at] ?? ''} should have the number ${String(at + 1).padStart(2, '0')}`];
}
