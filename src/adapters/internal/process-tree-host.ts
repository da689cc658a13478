/**
 * Picks how a process tree is read and stopped on the machine we run on.
 * On this floor because the choice is the same for every door.
 *
 * @module
 */
import { nodeModule } from './node-module.ts';
import type { ProcessTable } from './process-tree.ts';
import { ProcessFamily, type StoppableFamily } from './process-tree-family.ts';
import { procfsTable } from './process-tree-procfs.ts';
import { psTable } from './process-tree-ps.ts';
import { TaskkillFamily } from './process-tree-taskkill.ts';

/**
 * @param platform `process.platform`.
 * @param hasProcfs Whether `/proc` can be read.
 * @returns The table; `undefined` on Windows, which keeps none that this package can read.
 */
export function hostProcessTable(
  platform: NodeJS.Platform = process.platform,
  hasProcfs: boolean = nodeModule('node:fs').existsSync('/proc/self/stat'),
): ProcessTable | undefined {
  if (platform === 'win32') return undefined;
  // The BSDs can have a /proc too, with another content.
  return (platform === 'linux' || platform === 'android') && hasProcfs ? procfsTable() : psTable();
}

/**
 * Everything that came from one process.
 *
 * @param leaderPid Not yet reaped.
 * @param marker See {@link ProcessFamily}.
 * @param table From {@link hostProcessTable}.
 */
export function hostFamily(
  leaderPid: number,
  marker: string | (() => string | undefined),
  table: ProcessTable | undefined = hostProcessTable(),
): StoppableFamily {
  return table === undefined ? new TaskkillFamily(leaderPid) : new ProcessFamily(table, leaderPid, marker);
}
