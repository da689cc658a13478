/**
 * Signals that end a server become a drain: nothing new starts, what runs may end, the rest is stopped and named, and
 * then the process ends with a code that says which.
 *
 * Invariants: one drain for each handle; while it is on, something holds the process open; the process is ended once, by
 * the last of its drains, and never by one after its `release()`.
 *
 * Prior art: Kubernetes' termination; nginx, whose second signal is the fast shutdown.
 *
 * @module
 */
import {
  CancellationTokenSource,
  type Clock,
  isObject,
  type OptionNames,
  type Releasable,
  requireFunction,
  requireMs,
  requireOneOf,
  requireOptions,
  show,
  systemClock,
} from '../../core/inside.ts';
import { claimSignal, endProcess, type ProcessHooks } from '../internal/process/process-hooks.ts';
import { drainOfAgent, isAgent, type DrainableAgent } from './drain-agent.ts';
import type { DrainEnd, DrainTarget } from './drain-target.ts';
import { drainsOfThisProcess, leaveDrains, type DrainsOfProcess, type DrainSignal } from './process-drains.ts';

/**
 * Options of {@link drainOnSignals}.
 *
 * @since 0.1.0
 */
export interface DrainOnSignalsOptions {
  /**
   * Milliseconds that what runs has to end by itself; 10,000 by default, and 0 for an agent: a person waits. What is then stopped has
   * its grace besides.
   */
  readonly timeoutMs?: number | undefined;
  /** A queue tries again what was stopped: a stop that has reached it, or still does, holds for the next attempt. */
  readonly willRetry?: boolean | undefined;
  /** Which signals; SIGINT, SIGTERM and SIGHUP by default. */
  readonly signals?: readonly DrainSignal[] | undefined;
  /** A repetition within so many milliseconds is the same signal, as `npm run` sends it; 200 by default. */
  readonly repeatMs?: number | undefined;
  /** Called at once when the drain begins: the place to stop listening. */
  readonly onSignal?: ((signal: DrainSignal) => void) | undefined;
  /** Called when the drain is over; what it returns is waited for, a second signal apart. */
  readonly onDrained?: ((end: DrainEnd) => unknown) | undefined;
  /**
   * The code to end with; `undefined` ends as the signal would have, with 128+n. By default 0 if everything ended by
   * itself, and else as the signal.
   */
  readonly exitCode?: ((end: DrainEnd) => number | undefined) | undefined;
  /** Told what `onSignal`, `onDrained`, `exitCode` or the target threw; `console.error` by default. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Signals that are being listened for.
 *
 * @since 0.1.0
 */
export interface DrainHandle extends Releasable {
  readonly isDraining: boolean;
  /** Gives the signals back. A drain that is on goes on, and does not end the process any more. */
  release(): void;
  /** The same as `release()`, for `using`. */
  [Symbol.dispose](): void;
}

/** What a drain does to the process. */
export interface EndOfProcess {
  readonly drains: DrainsOfProcess;
  readonly claimSignal: ProcessHooks['claimSignal'];
  readonly endProcess: ProcessHooks['endProcess'];
  readonly exit: (code: number) => unknown;
}

/** Every option there is; one more is a mistake. */
const optionNames: OptionNames<DrainOnSignalsOptions> = {
  ...{ timeoutMs: 1, willRetry: 1, signals: 1, repeatMs: 1 },
  ...{ onSignal: 1, onDrained: 1, exitCode: 1, onError: 1, clock: 1 },
};

const allSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const satisfies readonly DrainSignal[];

/** Longer than any drain; only there to hold the process open. */
const HOLD_MS = 2_147_483_647;

interface Settings extends DrainOnSignalsOptions {
  readonly timeoutMs: number;
  readonly repeatMs: number;
  readonly clock: Clock;
}

class Draining implements DrainHandle {
  readonly #target: DrainTarget;
  readonly #settings: Settings;
  readonly #process: EndOfProcess;
  readonly #claims: readonly Releasable[];
  readonly #hurry = new CancellationTokenSource();
  #first: DrainSignal | undefined;
  #lastAt = -Infinity;
  #isReleased = false;
  #hold: Releasable | undefined;

  constructor(target: DrainTarget, signals: readonly DrainSignal[], settings: Settings, process: EndOfProcess) {
    this.#target = target;
    this.#settings = settings;
    this.#process = process;
    const received = (signal: DrainSignal): true => (this.#received(signal), true);
    this.#claims = signals.map((signal) => process.claimSignal(signal, () => received(signal), 'drain'));
  }

  get isDraining(): boolean {
    return this.#first !== undefined;
  }

  release(): void {
    this.#isReleased = true;
    for (const claim of this.#claims) claim.release();
    this.#hold?.release();
    const end = leaveDrains(this.#process.drains, this);
    if (end === undefined) return;
    if (Number.isInteger(end.code)) this.#process.exit(end.code as number);
    else this.#process.endProcess(end.signal);
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #received(signal: DrainSignal): void {
    const { clock, repeatMs, onSignal } = this.#settings;
    const now = clock.now();
    if (this.#first === undefined) {
      this.#first = signal;
      this.#lastAt = now;
      this.#process.drains.on.add(this);
      this.#hold = clock.setTimer(() => undefined, HOLD_MS, { ref: true });
      // First, so that nothing can start in the callback any more.
      void this.#drain(signal);
      this.#guarded(() => onSignal?.(signal));
      return;
    }
    if (now - this.#lastAt < repeatMs) return;
    this.#lastAt = now;
    if (this.#hurry.token.isKilled) this.#process.endProcess(signal);
    else this.#hurry.kill({ kind: 'shutdown', message: `A second signal came: ${signal}` });
  }

  async #drain(signal: DrainSignal): Promise<void> {
    const { timeoutMs, willRetry = false, onDrained, exitCode = codeOf } = this.#settings;
    const { token } = this.#hurry;
    const report = await this.#awaited(() => this.#target.drain({ timeoutMs, token, willRetry }));
    const end: DrainEnd = { signal, wasKilled: token.isKilled, report };
    // A second signal is somebody who does not want to wait.
    const told = this.#awaited(() => onDrained?.(end));
    if (!token.isKilled) await new Promise<void>((resolve) => this.#untilKilled(told, resolve));
    if (this.#isReleased) return;
    const code = this.#guarded(() => exitCode({ ...end, wasKilled: token.isKilled }));
    this.#process.drains.ends.push({ signal, code });
    this.release();
  }

  #untilKilled(told: Promise<unknown>, done: () => void): void {
    const registration = this.#hurry.token.onKilled(done);
    void told.then(() => {
      registration.unregister();
      done();
    });
  }

  #guarded<T>(fn: () => T): T | undefined {
    try {
      return fn();
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  async #awaited<T>(fn: () => T): Promise<Awaited<T> | undefined> {
    try {
      return await fn();
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  #failed(error: unknown): void {
    try {
      // eslint-disable-next-line no-console -- the process is about to end, and nobody else would hear of it
      (this.#settings.onError ?? console.error)(error);
    } catch {
      // There is nobody left to tell.
    }
  }
}

/** 0 says that nothing was cut off. */
function codeOf({ report, wasKilled }: DrainEnd): number | undefined {
  return report !== undefined && report.stopped.length === 0 && !wasKilled ? 0 : undefined;
}

/** As {@link drainOnSignals}, for a process of the caller's. */
export function drainProcess(
  process: EndOfProcess,
  target: DrainTarget | DrainableAgent,
  options: DrainOnSignalsOptions = {},
): DrainHandle {
  const drains = isObject(target) && typeof Reflect.get(target, 'drain') === 'function';
  if (!drains && !isAgent(target)) {
    throw new TypeError(`target must have drain(), as a SessionRegistry does, or be an agent, got ${show(target)}`);
  }
  requireOptions(options, optionNames);
  const { timeoutMs = drains ? 10_000 : 0, repeatMs = 200, signals = allSignals, clock = systemClock } = options;
  requireMs('timeoutMs', timeoutMs, 'infinity-allowed');
  requireMs('repeatMs', repeatMs, 'finite');
  const { willRetry = false } = options;
  if (typeof willRetry !== 'boolean') throw new TypeError(`willRetry must be true or false, got ${show(willRetry)}`);
  if (!Array.isArray(signals) || signals.length === 0) {
    throw new TypeError(`signals must be a list of signals, got ${show(signals)}`);
  }
  for (const signal of signals) requireOneOf('signals', signal, allSignals);
  for (const name of ['onSignal', 'onDrained', 'exitCode', 'onError'] as const) {
    if (options[name] !== undefined) requireFunction(name, options[name]);
  }
  const drained = drains ? (target as DrainTarget) : drainOfAgent(target as DrainableAgent, clock);
  return new Draining(drained, [...new Set(signals)], { ...options, timeoutMs, repeatMs, clock }, process);
}

/**
 * Drains on SIGINT, SIGTERM and SIGHUP, and then ends the process. The second signal kills: graces end at once. The third
 * ends the process as it stands. Where a terminal's watcher has the keyboard, Ctrl+C is its own. Several registries of one
 * process are all drained, and the last drain ends it.
 *
 * @cleanup `release()` gives the signals back; what the child-process door has to stop is stopped at the end.
 * @param target What is drained: a `SessionRegistry`, or the one agent of a program, which is then closed.
 * @param options How long, which signals, what to do before and after.
 * @returns The handle; keep it for as long as the server lives.
 * @throws TypeError, RangeError – an argument that makes no sense.
 * @example Drain a server
 * ```ts
 * import { drainOnSignals } from 'desist/process-signals'
 * import { SessionRegistry } from 'desist/sessions'
 *
 * const sessions = new SessionRegistry()
 * const signals = drainOnSignals(sessions, { timeoutMs: 20_000, onSignal: () => console.log('draining') })
 * signals.isDraining // => false
 * signals.release()
 * ```
 * @source Kubernetes' `terminationGracePeriodSeconds`; nginx' fast shutdown
 * @since 0.1.0
 */
export function drainOnSignals(target: DrainTarget | DrainableAgent, options: DrainOnSignalsOptions = {}): DrainHandle {
  const exit = (code: number): unknown => process.exit(code);
  return drainProcess({ claimSignal, endProcess, exit, drains: drainsOfThisProcess() }, target, options);
}
