/**
 * Stops the commands of a thread that has ended and could not stop them itself.
 *
 * They are found by the thread's name in their environment, so nothing has to be told while the thread lives.
 *
 * Prior art: Jenkins' `BUILD_ID` environment marker.
 *
 * @module
 */
import type { Clock, Releasable } from '../../core/inside.ts';
import { onProcessEnd } from '../internal/process/process-hooks.ts';
import { markersIn, type ProcessSnapshot } from '../internal/process/process-snapshot.ts';
import { oldestFirst, type ProcessTable } from '../internal/process/process-table.ts';
import { threadMarker } from '../internal/process/run-marker.ts';
import { rungsOf } from '../internal/process/stop-ladder.ts';
import { killFamily, stopFamily, type Survivors } from '../internal/process/stoppable-process.ts';
import type { StoppableFamily } from '../internal/process/process-table.ts';
import { hostFamily, hostProcessTable } from '../internal/process/tree-host.ts';

/** One family for each run: what the thread started, and what had been started there carries the run's name, too. */
function familiesOf(threadId: number, snapshot: ProcessSnapshot, table: ProcessTable): StoppableFamily[] {
  const thread = threadMarker(threadId);
  const leaders = new Map<string, number>();
  for (const { pid } of [...snapshot.marked(thread, sinceUs(table))].sort(oldestFirst)) {
    const markers = markersIn(table.environmentOf(pid) ?? '');
    const run = markers[markers.indexOf(thread) + 1];
    if (run !== undefined && !leaders.has(run)) leaders.set(run, pid);
  }
  return [...leaders].map(([run, pid]) => hostFamily(pid, run, table));
}

/** Nothing of ours is older than we are. */
function sinceUs(table: ProcessTable): number {
  const own = table.find(table.ownPid);
  return own === undefined || own === 'unreadable' ? 0 : own.startTime;
}

/**
 * Has the commands of a thread killed when this process ends: the thread is ended then without a hook of its own.
 *
 * @param threadId Of a thread of this process.
 * @returns Forgets it.
 */
export function killThreadCommandsAtEnd(threadId: number): Releasable {
  const kill = (): (() => void) => {
    const table = hostProcessTable();
    const snapshot = table?.snapshot();
    const families = table === undefined || snapshot === undefined ? [] : familiesOf(threadId, snapshot, table);
    const newcomers = families.map((family) => killFamily(family));
    return () => {
      for (const killThem of newcomers) killThem();
    };
  };
  return onProcessEnd(`commands of thread ${String(threadId)}`, kill, 'children');
}

/**
 * @param threadId Of a thread of this process that has ended.
 * @param graceMs Milliseconds from SIGTERM to SIGKILL.
 * @param clock Measures them.
 * @returns Who is alive all the same.
 */
export async function stopThreadCommands(threadId: number, graceMs: number, clock: Clock): Promise<Survivors> {
  const table = hostProcessTable();
  if (table === undefined) return []; // Windows keeps no table that could be asked
  const snapshot = await table.look(sinceUs(table));
  if (snapshot === undefined) return 'unknown';
  const rungs = rungsOf(['SIGTERM', 'SIGKILL'], graceMs);
  const families = familiesOf(threadId, snapshot, table);
  const left = await Promise.all(families.map((family) => stopFamily(family, rungs, graceMs, clock)));
  return left.includes('unknown') ? 'unknown' : left.flatMap((survivors) => (survivors === 'unknown' ? [] : survivors));
}
