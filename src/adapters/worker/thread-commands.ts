/**
 * Stops the commands of a thread that has ended and could not stop them itself.
 *
 * They are found by the thread's name in their environment, so nothing has to be told while the thread lives.
 *
 * Prior art: Jenkins' `BUILD_ID` environment marker.
 *
 * @module
 */
import type { Clock } from '../../core/inside.ts';
import { markersIn } from '../internal/process/process-snapshot.ts';
import { threadMarker } from '../internal/process/run-marker.ts';
import { rungsOf } from '../internal/process/stop-ladder.ts';
import { stopFamily, type Survivors } from '../internal/process/stoppable-process.ts';
import { hostFamily, hostProcessTable } from '../internal/process/tree-host.ts';

/**
 * @param threadId Of a thread of this process that has ended.
 * @param graceMs Milliseconds from SIGTERM to SIGKILL.
 * @param clock Measures them.
 * @returns Who is alive all the same.
 */
export async function stopThreadCommands(threadId: number, graceMs: number, clock: Clock): Promise<Survivors> {
  const table = hostProcessTable();
  if (table === undefined) return []; // Windows keeps no table that could be asked
  const own = table.find(table.ownPid);
  const since = own === undefined || own === 'unreadable' ? 0 : own.startTime;
  const snapshot = await table.look(since);
  if (snapshot === undefined) return 'unknown';
  const thread = threadMarker(threadId);
  // One family for each run: what the thread started, and what had been started there carries the run's name, too.
  const leaders = new Map<string, number>();
  for (const { pid } of [...snapshot.marked(thread, since)].sort(
    (a, b) => a.startTime - b.startTime || a.pid - b.pid,
  )) {
    const markers = markersIn(table.environmentOf(pid) ?? '');
    const run = markers[markers.indexOf(thread) + 1];
    if (run !== undefined && !leaders.has(run)) leaders.set(run, pid);
  }
  const rungs = rungsOf(['SIGTERM', 'SIGKILL'], graceMs);
  const left = await Promise.all(
    [...leaders].map(([run, pid]) => stopFamily(hostFamily(pid, run, table), rungs, graceMs, clock)),
  );
  return left.includes('unknown') ? 'unknown' : left.flatMap((survivors) => (survivors === 'unknown' ? [] : survivors));
}
