/**
 * The process of a server on stdio: stopped with everything it started, also when our own program ends.
 *
 * Prior art: systemd's `KillMode=control-group`.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';

import type { Clock, Releasable } from '../../core/inside.ts';
import { onProcessEnd } from '../internal/process/process-hooks.ts';
import { markerVariable } from '../internal/process/process-snapshot.ts';
import { lineageOf, newMarker } from '../internal/process/run-marker.ts';
import { killFamily, stopFamily, StoppableProcess, type Survivors } from '../internal/process/stoppable-process.ts';
import type { StoppableFamily } from '../internal/process/process-table.ts';
import { rungsOf } from '../internal/process/stop-ladder.ts';
import { carriedMarker, hostFamily, hostProcessTable } from '../internal/process/tree-host.ts';
import { isRunning } from './spawned-children.ts';

/**
 * What became of a server that was given up.
 *
 * @since 0.1.0
 */
export interface McpServerStop {
  /** `undefined` if there was no process of ours: over HTTP only the connection is closed. */
  readonly pid: number | undefined;
  /** Why: it did not answer, it is always stopped after a cancel, or the client was closed. */
  readonly why: 'deaf' | 'cancelled' | 'closed';
  /** Processes that are alive all the same; `unknown` if that could not be found out. */
  readonly survivors: Survivors;
}

/** What a server that is going to be started is given, and by what it is found again. Nothing where there are no processes. */
export function markedServer(): { readonly marker: string | undefined; readonly env: Record<string, string> } {
  const host = (globalThis as { readonly process?: Partial<NodeJS.Process> }).process;
  if (host?.getBuiltinModule === undefined) return { marker: undefined, env: {} };
  const marker = newMarker();
  return { marker, env: { [markerVariable]: lineageOf(marker, process.env) } };
}

function familyOf(pid: number, marker: string | undefined): StoppableFamily {
  return hostFamily(pid, () => carriedMarker(pid) ?? marker);
}

/**
 * Has what is being started killed if our program ends meanwhile: a server is known by its number only when it has connected.
 *
 * @param spawned Grows while something is started.
 * @param marker See {@link ServerProcess}; `undefined` where there are no processes.
 */
export function killIfWeEnd(spawned: readonly ChildProcess[], marker: string | undefined): Releasable | undefined {
  if (marker === undefined) return undefined;
  const kill = (): (() => void) => {
    const after = spawned.filter(isRunning).map(({ pid = 0 }) => killFamily(familyOf(pid, marker)));
    return () => {
      for (const kill of after) kill();
    };
  };
  return onProcessEnd('mcp server that connects', kill, 'children');
}

/**
 * Stops what a server has left behind that ended before it had connected, and is found by what it was started with alone.
 *
 * @param server It has ended.
 * @param marker See {@link ServerProcess}; `undefined` where there are no processes.
 * @param graceMs Milliseconds from SIGTERM to SIGKILL.
 * @param clock Measures them.
 * @returns Who is alive all the same.
 */
export async function stopLeftBehind(
  { pid }: ChildProcess,
  marker: string | undefined,
  graceMs: number,
  clock: Clock,
): Promise<Survivors> {
  if (pid === undefined || marker === undefined || hostProcessTable() === undefined) return [];
  const family = hostFamily(pid, marker);
  if (family.isLeaderAlive()) return []; // it could not be ended, or its number has a new owner
  family.leaderReaped();
  return await stopFamily(family, rungsOf(['SIGTERM', 'SIGKILL'], graceMs), graceMs, clock);
}

/** One server's process. */
export class ServerProcess {
  readonly pid: number;
  readonly #process: StoppableProcess;
  readonly #hook: Releasable;

  /**
   * @param pid Alive now.
   * @param marker What it carries if it was started with our environment; one of the caller's is found out.
   */
  constructor(pid: number, marker: string | undefined) {
    this.pid = pid;
    this.#process = new StoppableProcess(pid, familyOf(pid, marker));
    this.#hook = onProcessEnd(`mcp server ${String(pid)}`, () => this.#process.killNow(), 'children');
  }

  /**
   * Stops it with everything it started.
   *
   * @param graceMs Milliseconds from SIGTERM to SIGKILL.
   * @param clock Measures them.
   * @param gone It went away by itself: only what it has left behind is stopped, where that is to be seen.
   * @returns Who is alive all the same.
   */
  async stop(graceMs: number, clock: Clock, gone?: 'gone'): Promise<Survivors> {
    try {
      // By now its number may be a stranger's, and where there is no table nothing tells.
      if (gone !== undefined && hostProcessTable() === undefined) return [];
      return await this.#process.stop(graceMs, clock);
    } finally {
      this.#hook.release();
    }
  }
}
