/**
 * What is found now and was not found then. Lines move and files are renamed: a finding is known again by its rule, its
 * sentence and its line of code, as many times as it was there.
 *
 * @module
 */
import type { Finding } from './audit.ts';

/** The findings that were not there before. */
export function added(now: readonly Finding[], before: readonly Finding[]): readonly Finding[] {
  const inPlace = counts(before, (finding) => `${finding.file}\0${keyOf(finding)}`);
  const unmatched = now.filter((finding) => !take(inPlace, `${finding.file}\0${keyOf(finding)}`));
  // What is left of then may stand in another file now.
  const moved = new Map<string, number>();
  for (const [key, count] of inPlace) {
    const withoutFile = key.slice(key.indexOf('\0') + 1);
    moved.set(withoutFile, (moved.get(withoutFile) ?? 0) + count);
  }
  return unmatched.filter((finding) => !take(moved, keyOf(finding)));
}

function keyOf({ rule, message, code }: Finding): string {
  return `${rule}\0${message}\0${code}`;
}

function counts(findings: readonly Finding[], keyFor: (finding: Finding) => string): Map<string, number> {
  const all = new Map<string, number>();
  for (const finding of findings) all.set(keyFor(finding), (all.get(keyFor(finding)) ?? 0) + 1);
  return all;
}

function take(left: Map<string, number>, key: string): boolean {
  const count = left.get(key) ?? 0;
  if (count > 0) left.set(key, count - 1);
  return count > 0;
}
