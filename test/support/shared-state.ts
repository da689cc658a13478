/**
 * What every test file of a process shares: its timers, who listens to it, and what the package keeps there for all its copies.
 *
 * @module
 */
import * as timers from 'node:timers';

const names = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] as const;

/** By name: how many listeners an event has, how many entries each list that copies of the package share, and which timers are not Node's. */
export function sharedState(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) if (globalThis[name] !== timers[name]) counts.set(`another ${name}`, 1);
  for (const event of process.eventNames()) counts.set(`listener of ${String(event)}`, process.listenerCount(event));
  for (const key of Object.getOwnPropertySymbols(globalThis)) {
    const value = (globalThis as Record<symbol, unknown>)[key];
    const name = Symbol.keyFor(key) ?? '';
    if (name.startsWith('desist.') && Array.isArray(value)) counts.set(`entry of ${name}`, value.length);
  }
  return counts;
}

/** What there is more of than before, a line each. */
export function addedSince(before: ReadonlyMap<string, number>): string[] {
  return [...sharedState()]
    .map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const)
    .filter(([, more]) => more > 0)
    .map(([name, more]) => `${String(more)} × ${name}`);
}
