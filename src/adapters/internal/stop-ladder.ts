/**
 * When a process tree is sent which signal, and when to stop waiting for it.
 * In the inner room because several doors stop processes; it sees them through a port and time through a `Clock`, so
 * every rung is tested without a process.
 *
 * Invariants:
 * - **L1** A rung is climbed because time passed, never because an earlier signal was or was not "sent": whether
 *   somebody is alive is asked of the process table, each time.
 * - **L2** "Nobody is left" is said only after a full look, for members may have come since the last one.
 * - **L3** It ends: at the last, {@link lastLookMs} after the last rung.
 *
 * Prior art: execa `forceKillAfterDelay`, systemd `TimeoutStopSec`, Kubernetes `terminationGracePeriodSeconds`.
 *
 * @module
 */
import { show } from '../../core/foundation/check.ts';
import type { Clock } from '../../core/foundation/clock.ts';
import type { Releasable } from '../../core/foundation/disposable.ts';
import { nodeModule } from './node-module.ts';

/** What is being stopped. */
export interface StopTarget {
  /** Signals everybody who is alive. */
  signal(signal: NodeJS.Signals): void;
  /** Whether anybody seen so far is alive; cheap. */
  isAnyoneAlive(): boolean;
  /** A full look: whether anybody is alive, newcomers included. */
  look(): boolean;
}

/** One rung: a signal and when it is sent, in milliseconds from the start. */
export interface Rung {
  readonly signal: NodeJS.Signals;
  readonly afterMs: number;
}

/** How long the kernel is given to carry out a SIGKILL: 0.5 s is plenty for a process that is not stuck in the kernel. */
export const lastLookMs = 500;

const firstPollMs = 5;
const slowestPollMs = 50;

/**
 * Spreads the signals over the grace: the polite ones share it evenly, SIGKILL comes when it is over.
 *
 * @throws TypeError – not a list of signal names. RangeError – an empty list, or SIGKILL before the end of it.
 */
export function rungsOf(signals: readonly NodeJS.Signals[], graceMs: number): Rung[] {
  if (!isSignalList(signals)) {
    throw new TypeError(`stopSignals must be a list of signal names, got ${show(signals)}`);
  }
  if (signals.length === 0) throw new RangeError('stopSignals must name at least one signal, got an empty array');
  const kill = signals.indexOf('SIGKILL');
  if (kill !== -1 && kill !== signals.length - 1) {
    throw new RangeError(`stopSignals must have SIGKILL last and once, got ${signals.join(', ')}`);
  }
  const polite = kill === -1 ? signals.length : kill;
  return signals.map((signal, index) => ({ signal, afterMs: polite === 0 ? 0 : (graceMs * index) / polite }));
}

function isSignalList(value: unknown): boolean {
  const { signals } = nodeModule('node:os').constants;
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && Object.hasOwn(signals, name));
}

/** One climb; the first signal is sent before the constructor returns. */
export class StopLadder {
  /** Resolves when nobody is left, or when there is nothing more to do about who is. */
  readonly done: Promise<void>;

  readonly #target: StopTarget;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #rungs: readonly Rung[];
  #endMs: number;
  #sent = 0;
  #pollMs = firstPollMs;
  #timer: Releasable | undefined;
  #finish: (() => void) | undefined;

  /**
   * @param target What to stop.
   * @param rungs From {@link rungsOf}.
   * @param graceMs When to give up if the last rung is not SIGKILL, in milliseconds.
   * @param clock Measures all of it.
   */
  constructor(target: StopTarget, rungs: readonly Rung[], graceMs: number, clock: Clock) {
    this.#target = target;
    this.#clock = clock;
    this.#rungs = rungs;
    const last = rungs.at(-1);
    this.#endMs = last?.signal === 'SIGKILL' ? last.afterMs + lastLookMs : graceMs;
    this.#startedAt = clock.now();
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#climb(0);
    this.#arm(0);
  }

  /** Skips the rest of the grace: SIGKILL now. */
  force(): void {
    if (this.#finish === undefined || this.#rungs[this.#sent - 1]?.signal === 'SIGKILL') return;
    const elapsed = this.#elapsed();
    this.#rungs = [{ signal: 'SIGKILL', afterMs: elapsed }];
    this.#sent = 0;
    this.#endMs = elapsed + lastLookMs;
    this.check();
  }

  /** Looks now instead of at the next poll; for news that came by another way, such as the leader's exit. */
  check(): void {
    if (this.#finish === undefined) return;
    this.#timer?.release();
    const elapsed = this.#elapsed();
    if (!this.#target.isAnyoneAlive()) {
      if (!this.#target.look()) {
        this.#end(); // L2
        return;
      }
      // Everybody we knew is gone, so these are new, and no signal has reached them yet.
      const current = this.#rungs[this.#sent - 1];
      if (current !== undefined) this.#target.signal(current.signal);
    }
    this.#climb(elapsed);
    if (this.#sent === this.#rungs.length && elapsed >= this.#endMs) {
      this.#end(); // L3
      return;
    }
    this.#arm(elapsed);
  }

  #elapsed(): number {
    return this.#clock.now() - this.#startedAt;
  }

  /** L1: sends what is due. */
  #climb(elapsed: number): void {
    for (let rung = this.#rungs[this.#sent]; rung !== undefined && rung.afterMs <= elapsed;) {
      this.#sent += 1;
      this.#pollMs = firstPollMs;
      this.#target.signal(rung.signal);
      rung = this.#rungs[this.#sent];
    }
  }

  #arm(elapsed: number): void {
    const nextMs = this.#rungs[this.#sent]?.afterMs ?? this.#endMs;
    const ms = Math.max(0, Math.min(this.#pollMs, nextMs - elapsed));
    this.#pollMs = Math.min(this.#pollMs * 2, slowestPollMs);
    // Kept alive: a program that ends now would leave the tree half stopped.
    this.#timer = this.#clock.setTimer(
      () => {
        this.check();
      },
      ms,
      { ref: true },
    );
  }

  #end(): void {
    this.#timer = undefined;
    const finish = this.#finish;
    this.#finish = undefined;
    finish?.();
  }
}
