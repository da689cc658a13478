/**
 * The drains of one process, of all copies of this package: each ends work of its own, and the last of them that is over
 * ends the process.
 *
 * Prior art: Go's `sync.WaitGroup` before `os.Exit`.
 *
 * @module
 */

/**
 * A signal that asks a server to end.
 *
 * @since 0.1.0
 */
export type DrainSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** How a drain that is over would end the process: with a code, or as the signal would have. */
export interface DueEnd {
  readonly signal: DrainSignal;
  readonly code: number | undefined;
}

/** What the drains know of each other. */
export interface DrainsOfProcess {
  /** Begun, and neither over nor given back. */
  readonly on: Set<unknown>;
  /** Of those that are over. */
  readonly ends: DueEnd[];
}

const key = Symbol.for('desist.process-drains.v1');

/** Made on first use. */
export function drainsOfThisProcess(): DrainsOfProcess {
  const home = globalThis as { [key]?: DrainsOfProcess | undefined };
  return (home[key] ??= { on: new Set(), ends: [] });
}

/**
 * Tells that a drain is over or given back.
 *
 * @returns How the process is to be ended now, with 0 only if all say so; `undefined` while others drain, and where no drain
 * is over.
 */
export function leaveDrains({ on, ends }: DrainsOfProcess, drain: unknown): DueEnd | undefined {
  on.delete(drain);
  if (on.size > 0) return undefined;
  const due = ends.splice(0);
  return due.find(({ code }) => code !== 0) ?? due[0];
}
