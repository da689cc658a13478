/**
 * Picks how a process tree is read and stopped on the machine we run on.
 *
 * @module
 */
import { nodeModule } from '../node-module.ts';
import type { ProcessTable } from './process-table.ts';
import { ownMarker } from './run-marker.ts';
import { ProcessDescendants } from './process-descendants.ts';
import type { RunPipe } from './process-table.ts';
import type { StoppableFamily } from './process-table.ts';
import { procfsTable } from './procfs-table.ts';
import { psTable } from './ps-table.ts';
import { TaskkillFamily } from './taskkill-tree.ts';

/**
 * @param platform `process.platform`.
 * @param hasProcfs Whether `/proc` can be read.
 * @returns The table, one for everybody; `undefined` on Windows, which keeps none that this package can read.
 */
export function hostProcessTable(
  platform: NodeJS.Platform = process.platform,
  hasProcfs: boolean = hasStat(),
): ProcessTable | undefined {
  if (platform === 'win32') return undefined;
  // The BSDs can have a /proc too, with another content.
  if ((platform === 'linux' || platform === 'android') && hasProcfs) return (procfs ??= procfsTable());
  return (ps ??= psTable());
}

// One table for all: what is read for one stop serves the others of the same turn.
let procfs: ProcessTable | undefined;
let ps: ProcessTable | undefined;

/** Known once and for all: without descriptors the file could not be seen, and is there all the same. */
let seenStat = false;
function hasStat(): boolean {
  seenStat ||= nodeModule('node:fs').existsSync('/proc/self/stat');
  return seenStat;
}

/**
 * Everything that came from one process.
 *
 * @param leaderPid Not yet reaped.
 * @param marker See {@link ProcessDescendants}.
 * @param table From {@link hostProcessTable}.
 * @param pipe The run's pipe, if it has one.
 */
export function hostFamily(
  leaderPid: number,
  marker: string | (() => string | undefined),
  table: ProcessTable | undefined = hostProcessTable(),
  pipe?: RunPipe,
): StoppableFamily {
  return table === undefined ? new TaskkillFamily(leaderPid) : new ProcessDescendants(table, leaderPid, marker, pipe);
}

/** The marker that a process carries and we do not: it was started with `markedEnvironment()`. */
export function carriedMarker(pid: number): string | undefined {
  return ownMarker(hostProcessTable()?.environmentOf(pid), process.env);
}
