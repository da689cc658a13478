/**
 * Under what key a run is kept: an index holds no long text, a notification less, and no text the character 0.
 *
 * Invariants: two ids never have one key; a record under a key that is not the id itself says whose it is.
 *
 * @module
 */
import { nodeModule } from '../internal/node-module.ts';

/** The longest id that is its own key, in bytes of JSON: an entry of an index has some 2,700, and a notification 8,000. */
const LONGEST = 2_000;
const HASHED = 'sha256:';

/** A run, and its record. */
export interface Kept {
  readonly runId: string;
  readonly value: string;
}

/** Whether a key stands for an id that is none itself. */
export function isHashed(key: string): boolean {
  return key.startsWith(HASHED);
}

/** The key of a run. */
export function keyOf(runId: string): string {
  const isOwn = !isHashed(runId) && !runId.includes('\0') && Buffer.byteLength(JSON.stringify(runId)) <= LONGEST;
  if (isOwn) return runId;
  return HASHED + nodeModule('node:crypto').createHash('sha256').update(runId).digest('hex');
}

/** A record as it is kept under the key of its run. */
export function keptAs(runId: string, value: string): string {
  return keyOf(runId) === runId ? value : JSON.stringify([runId, value]);
}

/** A run and its record, as they were kept; `undefined` if something else wrote there. */
export function keptIn(key: string, kept: string): Kept | undefined {
  if (!isHashed(key)) return { runId: key, value: kept };
  const [runId, value] = listIn(kept);
  return typeof runId === 'string' && typeof value === 'string' ? { runId, value } : undefined;
}

/** The list that a text holds as JSON; one that somebody else has written is empty. */
export function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
