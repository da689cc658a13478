/**
 * Ends a thread that does not end by itself after a cancel. Prior art: `worker.terminate()`; execa's
 * `forceKillAfterDelay`.
 *
 * @module
 */
import {
  callSafely,
  type CancelReason,
  type Clock,
  clockOf,
  DEFAULT_GRACE_MS,
  type OptionNames,
  type Releasable,
  requireMs,
  requireOptions,
  show,
  type TokenLike,
  tokenOf,
} from '../../core/inside.ts';
import type { Survivors } from '../internal/process/stoppable-process.ts';

/**
 * What of a worker is used: that of `node:worker_threads` or of the web.
 *
 * @since 0.1.0
 */
export interface WorkerLike {
  /** Ends the thread by force. */
  terminate(): unknown;
  /** In Node: its number, −1 when it has ended. */
  readonly threadId?: number | undefined;
  /** In Node: tells of its end. */
  on?(event: 'exit', listener: (exitCode: number) => void): unknown;
  /** Stops listening. */
  off?(event: 'exit', listener: (exitCode: number) => void): unknown;
}

/**
 * How a worker ended.
 *
 * @since 0.1.0
 */
export interface WorkerEnd {
  /** In Node; `undefined` on the web, and for a thread that has not ended. */
  readonly exitCode: number | undefined;
  /** Whether it was ended by force. */
  readonly terminated: boolean;
  /** `false` for a thread that even force did not end in time: it is stuck outside of JavaScript. */
  readonly ended: boolean;
  /** Why it was told to stop. */
  readonly stoppedBy: CancelReason | undefined;
  /**
   * Commands that it had started with `desist/child-process` or `runBlocking` and that are alive although they were stopped
   * with it; `unknown` if that could not be found out.
   */
  readonly survivors: Survivors;
}

/**
 * Options of {@link superviseWorker}.
 *
 * @since 0.1.0
 */
export interface SuperviseWorkerOptions {
  /** Milliseconds from the cancel until the thread is terminated, 1,000 by default. */
  readonly graceMs?: number | undefined;
}

/** For the commands of a thread whose own grace has no end. */
const longestGraceMs = 1000;

/** What its end means for the commands of a thread. */
interface ThreadEnd {
  /** Whether it could not stop them itself, as far as is known. */
  readonly areLeft: boolean;
  readonly graceMs: number;
}

/**
 * Sees to the commands of a thread: they are killed at the end of our own process, and stopped when the thread has `ended`
 * and could not. What they need is loaded when it is needed: this door opens in browsers, too.
 */
async function superviseCommands(threadId: number, ended: Promise<ThreadEnd>, clock: Clock): Promise<Survivors> {
  const { killThreadCommandsAtEnd, stopThreadCommands } = await import('./thread-commands.ts');
  const atEnd = killThreadCommandsAtEnd(threadId);
  try {
    const { areLeft, graceMs } = await ended;
    return areLeft ? await stopThreadCommands(threadId, graceMs, clock) : [];
  } finally {
    atEnd.release();
  }
}

/** How long a terminated thread may take to be gone: one that spins takes 2 ms. */
const lastLookMs = 500;

const optionNames: OptionNames<SuperviseWorkerOptions> = { graceMs: 1 };

/**
 * Waits for a worker to end, and terminates it if it has not when the grace after a cancel is over.
 *
 * A thread that is terminated, by whomever, cannot stop the commands it has started, nor can one that our own end takes
 * along; in Node they are stopped here, with everything they started. A worker of the web does not tell that it has ended; it is over for this function when it was terminated.
 *
 * @checkpoint never – the worker runs already; with a cancelled token its grace begins now.
 * @fairness A worker that ended within its grace is not terminated.
 * @cleanup No listener and no timer is left when the promise settles.
 * @param token Whose stop, and whose clock; a kill ends the grace.
 * @param worker Just started.
 * @param options The grace in milliseconds.
 * @returns How it ended; never rejects for a cancel or for a worker that failed.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example A loop that never asks
 * ```ts
 * import { Worker } from 'node:worker_threads'
 * import { CancellationTokenSource } from 'desist'
 * import { superviseWorker } from 'desist/worker'
 *
 * const source = new CancellationTokenSource()
 * const end = superviseWorker(source.token, new Worker('for (;;);', { eval: true }), { graceMs: 20 })
 * source.cancel('user')
 * const { terminated, stoppedBy } = await end
 * terminated // => true
 * stoppedBy?.kind // => 'user'
 * ```
 * @source execa `forceKillAfterDelay`
 * @since 0.1.0
 */
export function superviseWorker(
  token: TokenLike | null | undefined,
  worker: WorkerLike,
  options: SuperviseWorkerOptions = {},
): Promise<WorkerEnd> {
  return new Promise((resolve) => {
    const node = tokenOf(token);
    requireOptions(options, optionNames);
    const graceMs = requireMs('graceMs', options.graceMs ?? DEFAULT_GRACE_MS, 'infinity-allowed');
    if (typeof (worker as Partial<WorkerLike> | null | undefined)?.terminate !== 'function') {
      throw new TypeError(`worker must be a worker, got ${show(worker)}`);
    }
    const clock = clockOf(node);
    const { threadId } = worker;
    if (threadId === -1) {
      resolve({ exitCode: undefined, terminated: false, ended: true, stoppedBy: node.reason, survivors: [] });
      return;
    }
    let terminated = false;
    let isOver = false;
    let timer: Releasable | undefined;

    function end(exitCode: number | undefined, ended: boolean): void {
      isOver = true;
      onCancelled.unregister();
      onKilled.unregister();
      timer?.release();
      worker.off?.('exit', onExit);
      const stoppedBy = node.reason;
      const settle = (survivors: Survivors): void => resolve({ exitCode, terminated, ended, stoppedBy, survivors });
      if (commands === undefined) settle([]);
      else void commands.then(settle);
      // Who terminates a thread, or that its memory has run out, shows in its code alone.
      const areLeft = stoppedBy !== undefined || terminated || exitCode !== 0;
      tellEnd({ areLeft, graceMs: Math.min(graceMs, longestGraceMs) });
    }
    function onExit(exitCode: number): void {
      end(exitCode, true);
    }
    function arm(ms: number, fn: () => void): void {
      timer?.release();
      timer = clock.setTimer(fn, ms, { ref: true });
    }
    function terminate(): void {
      if (terminated) return;
      terminated = true;
      callSafely(node, () => worker.terminate());
      if (isOver) return;
      // Who tells of no exit has none that could be waited for.
      if (worker.on === undefined) end(undefined, true);
      else arm(lastLookMs, () => end(undefined, false));
    }

    let tellEnd: (end: ThreadEnd) => void = () => undefined;
    const ended = new Promise<ThreadEnd>((tell) => (tellEnd = tell));
    // Of a worker of the web there is nothing to be found.
    const commands =
      threadId === undefined ? undefined : superviseCommands(threadId, ended, clock).catch(() => 'unknown' as const);

    worker.on?.('exit', onExit);
    const onCancelled = node.onCancelled(() => {
      // A turn later at the earliest: these registrations are not there yet when a cancelled token answers at once.
      if (graceMs !== Infinity && !node.isKilled) arm(graceMs, terminate);
    });
    const onKilled = node.onKilled(() => arm(0, terminate));
  });
}
