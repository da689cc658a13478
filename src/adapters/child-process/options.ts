/**
 * What a run can be told: Node's options, how to stop, and their check. Prior art: Node's `SpawnOptions`, execa's
 * options.
 *
 * @module
 */
import type { SpawnOptions, StdioOptions } from 'node:child_process';

import {
  DEFAULT_GRACE_MS,
  type Clock,
  requireFunction,
  requireMs,
  requireOneOf,
  show,
  type TokenLike,
  type OptionsOnly,
} from '../../core/inside.ts';
import type { LiveProcess } from '../internal/process/process-table.ts';
import { rungsOf, type Rung } from '../internal/process/stop-ladder.ts';

type OwnedOption = 'signal' | 'timeout' | 'killSignal';

/** Options of Node's `spawn` that have an owner here: the token stops, the ladder signals, the group is always its own. */
const owned = {
  signal: 'pass the signal as `token`',
  timeout: 'pass `timeoutMs`',
  killSignal: 'pass `stopSignals`',
} as const satisfies Record<OwnedOption, string>;

/**
 * Options of `cancellableSpawn`: those of Node's `spawn`, and how to stop.
 *
 * @since 0.1.0
 */
export interface CancellableSpawnOptions extends OptionsOnly, Omit<SpawnOptions, OwnedOption | 'detached'> {
  /** Stops the run. */
  readonly token?: TokenLike | null | undefined;
  /** From the first signal to SIGKILL, in milliseconds; 1000 by default. The polite signals share it evenly. */
  readonly graceMs?: number | undefined;
  /** Milliseconds for the whole run; then it is stopped, and `stoppedBy` has kind `deadline`. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds without any output; then it is stopped, and `stoppedBy` has kind `idle`. Needs an output that is piped. */
  readonly idleMs?: number | undefined;
  /**
   * What is sent to whoever is still alive, in this order; `['SIGTERM', 'SIGKILL']` by default. With
   * `['SIGINT', 'SIGTERM', 'SIGKILL']` SIGTERM follows after half the grace. Without SIGKILL at the end, who resists is
   * left alive and named when the grace is over.
   */
  readonly stopSignals?: readonly NodeJS.Signals[] | undefined;
  /**
   * What happens to processes that outlive the command's own normal end, such as `server &`: by default they are kept
   * and listed in `result.background`; `'stop'` stops them before the result.
   */
  readonly background?: 'keep' | 'stop' | undefined;
  /**
   * How many bytes to keep of each output, 1 MiB by default; `Infinity` for all. Unlike in Node, more output does not
   * kill the process: the first and the last half are kept, with a line that says how much is missing in between.
   */
  readonly maxBuffer?: number | undefined;
  /** Of the captured text; `'utf8'` by default. */
  readonly encoding?: BufferEncoding | undefined;
  /**
   * Puts a long-lived server out of reach of the turn that starts it: once started, neither the token nor Ctrl+C stops
   * it. `run.stop()` does, and so does the end of this program.
   */
  readonly detached?: boolean | undefined;
  /**
   * Has the run killed even if this program is killed itself – SIGKILL, out of memory – and no hook of it can run: by one
   * small helper process for all such runs of the program. On Linux; `run.guardian` says whether it is there.
   */
  readonly guardian?: boolean | undefined;
  /** Told of each process that a stop left alive, before the result. */
  readonly onSurvivor?: ((process: LiveProcess) => void) | undefined;
}

/**
 * Options of `cancellableExec`: `shell` is the path of another shell than `/bin/sh`.
 *
 * @since 0.1.0
 */
export interface CancellableExecOptions extends Omit<CancellableSpawnOptions, 'shell'> {
  readonly shell?: string | undefined;
}

/** What the options of a run come down to. */
export interface SupervisionPlan {
  readonly clock: Clock;
  readonly rungs: readonly Rung[];
  readonly graceMs: number;
  readonly timeoutMs?: number | undefined;
  readonly idleMs?: number | undefined;
  readonly background: 'keep' | 'stop';
  readonly maxBuffer: number;
  readonly encoding: BufferEncoding;
  readonly onSurvivor: ((process: LiveProcess) => void) | undefined;
  readonly onCallbackError: (error: unknown) => void;
}

/**
 * The checked options, with their defaults.
 *
 * @param options As the caller gave them.
 * @param surroundings What comes from the token.
 * @throws TypeError, RangeError – an option that makes no sense, or one that would do nothing here.
 */
export function planOf(
  options: CancellableSpawnOptions,
  surroundings: Pick<SupervisionPlan, 'clock' | 'onCallbackError'>,
): SupervisionPlan {
  refuseOwned(options);
  const { onSurvivor, maxBuffer = 1024 * 1024, encoding = 'utf8' } = options;
  const graceMs = requireMs('graceMs', options.graceMs ?? DEFAULT_GRACE_MS, 'finite');
  if (options.detached !== undefined && typeof options.detached !== 'boolean') {
    throw new TypeError(`detached must be true or false, got ${show(options.detached)}`);
  }
  if (options.guardian !== undefined && typeof options.guardian !== 'boolean') {
    throw new TypeError(`guardian must be true or false, got ${show(options.guardian)}`);
  }
  if (onSurvivor !== undefined) requireFunction('onSurvivor', onSurvivor);
  if (typeof maxBuffer !== 'number') throw new TypeError(`maxBuffer must be a number of bytes, got ${show(maxBuffer)}`);
  if (maxBuffer < 0 || (maxBuffer !== Infinity && !Number.isSafeInteger(maxBuffer))) {
    throw new RangeError(`maxBuffer must be a whole number of bytes, 0 or more, got ${String(maxBuffer)}`);
  }
  if (!Buffer.isEncoding(encoding))
    throw new TypeError(`encoding must be one that Buffer knows, got ${show(encoding)}`);
  const { timeoutMs, idleMs } = options;
  if (timeoutMs !== undefined) requireMs('timeoutMs', timeoutMs, 'infinity-allowed');
  if (idleMs !== undefined) requireMs('idleMs', idleMs, 'infinity-allowed');
  if (idleMs !== undefined && !isHeard(options.stdio)) {
    throw new TypeError('idleMs needs an output that is piped, and stdio has none');
  }
  return {
    ...surroundings,
    graceMs,
    timeoutMs,
    idleMs,
    rungs: rungsOf(options.stopSignals ?? ['SIGTERM', 'SIGKILL'], graceMs),
    background: requireOneOf('background', options.background ?? 'keep', ['keep', 'stop']),
    maxBuffer,
    encoding,
    onSurvivor,
  };
}

/** An option that would silently do nothing – a stop that does not stop – is refused. */
function refuseOwned(options: object): void {
  for (const [name, instead] of Object.entries(owned)) {
    if ((options as Record<string, unknown>)[name] !== undefined) {
      throw new TypeError(`options.${name} is not taken here: ${instead}`);
    }
  }
}

/** Whether any output comes to us. */
function isHeard(stdio: StdioOptions | undefined): boolean {
  const pipes: unknown[] = ['pipe', 'overlapped', undefined, null];
  return Array.isArray(stdio) ? [stdio[1], stdio[2]].some((one) => pipes.includes(one)) : pipes.includes(stdio);
}

/** Tools get no input unless the caller provides one: what waits for a person would wait for ever. */
export function withoutInput(stdio: StdioOptions | undefined): StdioOptions {
  if (stdio === undefined) return ['ignore', 'pipe', 'pipe'];
  if (!Array.isArray(stdio)) return stdio;
  const [input = 'ignore', ...outputs] = stdio;
  return [input, ...outputs];
}
