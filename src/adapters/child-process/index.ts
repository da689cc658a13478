/**
 * Door `desist/child-process`: processes that stop with everything they started.
 * A room of its own because only here `node:child_process` is imported.
 * Prior art: execa, systemd, Jenkins' process tree killer.
 *
 * @module
 */
export { cancellableExec, cancellableSpawn, type ProcessRun } from './spawn.ts';
export type { CancellableExecOptions, CancellableSpawnOptions } from './options.ts';
export type { ProcessResult } from './supervisor.ts';
export type { LiveProcess } from '../internal/process-tree-family.ts';
