/**
 * Door `desist/child-process`: processes that stop with everything they started.
 * A room of its own because only here `node:child_process` is imported.
 * Prior art: execa, systemd, Jenkins' process tree killer.
 *
 * @module desist/child-process
 */
export { adopt, type AdoptedProcess, type AdoptedResult, type AdoptOptions } from './adopt.ts';
export { markedEnvironment } from './environment.ts';
export { cancellableExec, cancellableSpawn, type ProcessRun } from './spawn.ts';
export type { CancellableExecOptions, CancellableSpawnOptions } from './options.ts';
export { runSubprocessTool, type SubprocessTool, type SubprocessToolOptions } from './subprocess-tool.ts';
export type { ProcessResult } from './process-result.ts';
