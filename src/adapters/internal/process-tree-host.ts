/**
 * Picks the process table of the machine we run on.
 * On this floor because the choice is the same for every door.
 *
 * @module
 */
import { existsSync } from 'node:fs';

import type { ProcessTable } from './process-tree.ts';
import { procfsTable } from './process-tree-procfs.ts';
import { psTable } from './process-tree-ps.ts';

/**
 * @param platform `process.platform`.
 * @param hasProcfs Whether `/proc` can be read.
 * @returns The table; `undefined` on a system whose process tree cannot be read by this package.
 */
export function hostProcessTable(
  platform: NodeJS.Platform = process.platform,
  hasProcfs: boolean = existsSync('/proc/self/stat'),
): ProcessTable | undefined {
  if (platform === 'win32') return undefined;
  // The BSDs can have a /proc too, with another content.
  return (platform === 'linux' || platform === 'android') && hasProcfs ? procfsTable() : psTable();
}
