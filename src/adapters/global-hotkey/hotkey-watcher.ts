/**
 * Keeps the process that hears the key running, and says how it is.
 *
 * Invariants:
 * - **W1** One process at a time, and none after `stop()`.
 * - **W2** A process that was ready and ended is started again, up to three times a minute, later each time.
 *
 * Prior art: Erlang's supervisors, with their intensity and period.
 *
 * @module
 */
import type { Clock, Releasable } from '../../core/inside.ts';
import type { HookEvents, HookProcess } from './hook-process.ts';
import { unavailable, type HotkeyUnavailable } from './unavailable.ts';

/**
 * What a hotkey does: `starting`, also again · `watching` · `unavailable` it will not come · `stopped` by `stop()`.
 *
 * @since 0.1.0
 */
export type HotkeyState = 'starting' | 'watching' | 'unavailable' | 'stopped';

/**
 * A watched key, until it is stopped. Every function may be taken off the object.
 *
 * @cleanup `stop()` leaves no process, timer or handle.
 * @since 0.1.0
 */
export interface HotkeyWatcher {
  readonly state: HotkeyState;
  /** Why, if the state is `unavailable`. */
  readonly unavailable: HotkeyUnavailable | undefined;
  /**
   * Resolves with the first state that is not `starting`; never rejects. Until then it keeps the program alive, once it has
   * been read.
   */
  readonly ready: Promise<HotkeyState>;
  /** Stops watching; resolves when its process is gone. Stopping twice is harmless. */
  stop(): Promise<void>;
  /** The same as `stop()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the watcher is made of. */
export interface HotkeyWatcherOptions {
  readonly clock: Clock;
  /** Known before anything was started. */
  readonly problem: HotkeyUnavailable | undefined;
  readonly start: (events: HookEvents) => HookProcess;
  readonly down: () => void;
  /** Once, at the stop. */
  readonly close: () => void;
}

/** W2. */
const restarts = { most: 3, withinMs: 60_000, firstDelayMs: 250 } as const;

/** Starts it. */
export function watchHook(options: HotkeyWatcherOptions): HotkeyWatcher {
  const { clock } = options;
  let state: HotkeyState = 'starting';
  let problem: HotkeyUnavailable | undefined;
  let process: HookProcess | undefined;
  let restart: Releasable | undefined;
  let restartedAt: number[] = [];
  let stopped: Promise<void> | undefined;
  let settle: (state: HotkeyState) => void = () => undefined;
  const ready = new Promise<HotkeyState>((resolve) => {
    settle = resolve;
  });

  let isSettled = false;

  function become(next: HotkeyState, why?: HotkeyUnavailable): void {
    state = next;
    problem = why;
    if (next === 'starting') return;
    isSettled = true;
    settle(next);
  }

  function begin(): void {
    restart = undefined;
    const events: HookEvents = {
      ready: () => {
        become('watching');
      },
      down: options.down,
      ended: (why) => {
        if (why === undefined) again();
        else become('unavailable', why);
      },
    };
    try {
      process = options.start(events);
    } catch (error) {
      become('unavailable', unavailable('failed', String(error)));
    }
  }

  function again(): void {
    const now = clock.now();
    restartedAt = restartedAt.filter((at) => now - at < restarts.withinMs);
    if (restartedAt.length >= restarts.most) {
      become('unavailable', unavailable('failed', 'its process ended again and again'));
      return;
    }
    become('starting');
    const delayMs = restarts.firstDelayMs * 2 ** restartedAt.length;
    restartedAt.push(now);
    restart = clock.setTimer(begin, delayMs, { ref: false });
  }

  async function end(): Promise<void> {
    become('stopped');
    restart?.release();
    options.close();
    await process?.stop();
  }
  const stop = (): Promise<void> => (stopped ??= end());

  if (options.problem === undefined) begin();
  else become('unavailable', options.problem);
  return {
    get state() {
      return state;
    },
    get unavailable() {
      return problem;
    },
    get ready() {
      if (!isSettled) process?.awaitStart();
      return ready;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
