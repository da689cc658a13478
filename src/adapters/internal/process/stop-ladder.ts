/**
 * When a process tree is sent which signal, and when to stop waiting for it.
 *
 * Invariants:
 * - **L1** A rung is climbed because time passed, never because an earlier signal was or was not "sent": whether
 *   somebody is alive is asked of the process table, each time.
 * - **L2** "Nobody is left" is said only after a full look, for members may have come since the last one. A look that
 *   could not be made says nothing, and is tried again until the end.
 * - **L3** It ends: at the last, one look after {@link lastLookMs} after the last rung.
 * - **L4** No rung waits for a look.
 * - **L5** Many ladders do not hold up the event loop: what their steps take in one turn of it is bounded, and the rest
 *   have the next turns.
 *
 * Prior art: execa `forceKillAfterDelay`, systemd `TimeoutStopSec`, Kubernetes `terminationGracePeriodSeconds`.
 *
 * @module
 */
import { type Clock, type Releasable, show } from '../../../core/inside.ts';
import { nodeModule } from '../node-module.ts';

/** What is being stopped. */
export interface StopTarget {
  /** Signals everybody who is alive. @returns `false` if only a full look would find the others. */
  signal(signal: NodeJS.Signals): boolean;
  /** Whether anybody seen so far is alive; cheap. */
  isAnyoneAlive(): boolean;
  /** A full look, newcomers included: whether anybody is alive, or that it could not be found out. */
  look(): Promise<'nobody' | 'somebody' | 'unknown'>;
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

/** How long the steps of all ladders may take in one turn of the event loop, in milliseconds. */
const turnMs = 8;
/** How many run at once all the same: on a busy machine one step alone may take that long. */
const leastSteps = 2;

/** L5: runs steps at once while this turn of the loop has time for them, and the others in order in the next turns. */
class Pacer {
  readonly #waiting: (() => void)[] = [];
  #spentMs = 0;
  #steps = 0;
  #turn: NodeJS.Immediate | undefined;

  run(step: () => void): void {
    if (this.#waiting.length > 0 || this.#isFull()) this.#waiting.push(step);
    else this.#time(step);
    this.#turn ??= setImmediate(() => this.#next());
    if (this.#waiting.length === 0) this.#turn.unref();
    else this.#turn.ref();
  }

  #next(): void {
    this.#spentMs = 0;
    this.#steps = 0;
    this.#turn = undefined;
    let done = 0;
    for (const step of this.#waiting) {
      if (this.#isFull()) break;
      done += 1;
      this.#time(step);
    }
    this.#waiting.splice(0, done);
    if (this.#waiting.length > 0) this.#turn = setImmediate(() => this.#next());
  }

  #isFull(): boolean {
    return this.#spentMs >= turnMs && this.#steps >= leastSteps;
  }

  #time(step: () => void): void {
    this.#steps += 1;
    const { performance } = nodeModule('node:perf_hooks');
    const startedAt = performance.now();
    step();
    this.#spentMs += performance.now() - startedAt;
  }
}

const pacer: Pacer = new Pacer();

/** One climb; the first signal is sent before the constructor returns, unless hundreds begin at the same time. */
export class StopLadder {
  /** Resolves with `true` when nobody is left, with `false` when there is nothing more to do about who is. */
  readonly done: Promise<boolean>;

  readonly #target: StopTarget;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #rungs: readonly Rung[];
  #endMs: number;
  #sent = 0;
  #pollMs = firstPollMs;
  #isLooking = false;
  #isPartial = false;
  #timer: Releasable | undefined;
  #finish: ((isEmpty: boolean) => void) | undefined;

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
    pacer.run(() => {
      const elapsed = this.#elapsed();
      this.#climb(elapsed);
      this.#goOn(elapsed);
    });
  }

  /** Skips the rest of the grace: SIGKILL now. */
  force(): void {
    pacer.run(() => this.#force());
  }

  #force(): void {
    if (this.#finish === undefined || this.#rungs[this.#sent - 1]?.signal === 'SIGKILL') return;
    const elapsed = this.#elapsed();
    this.#rungs = [{ signal: 'SIGKILL', afterMs: elapsed }];
    this.#sent = 0;
    this.#endMs = elapsed + lastLookMs;
    this.#climb(elapsed);
    this.#goOn(elapsed);
  }

  /** Looks now instead of at the next poll; for news that came by another way, such as the leader's exit. */
  check(): void {
    if (this.#finish === undefined || this.#sent === 0) return;
    const elapsed = this.#elapsed();
    if (this.#isLooking || this.#target.isAnyoneAlive()) {
      this.#climb(elapsed);
      this.#goOn(elapsed);
    } else {
      void this.#look();
    }
  }

  /** Waits for what comes next: a look that is due, the next rung, the next poll, the end. */
  #goOn(elapsed: number): void {
    if (this.#isLooking) {
      if (this.#sent < this.#rungs.length) this.#arm(elapsed); // L4
    } else if (this.#isPartial) {
      void this.#look();
    } else if (this.#sent === this.#rungs.length && elapsed >= this.#endMs) {
      this.#end(false); // L3
    } else {
      this.#arm(elapsed);
    }
  }

  /** L2. */
  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#isPartial = false;
    this.#goOn(this.#elapsed());
    const seen = await this.#target.look();
    if (seen === 'nobody') this.#end(true);
    else pacer.run(() => this.#goOnAfter(seen)); // many who share a look hear of it at the same time: L5
  }

  #goOnAfter(seen: 'somebody' | 'unknown'): void {
    this.#isLooking = false;
    // Members may be new, and no signal has reached those yet.
    const current = this.#rungs[this.#sent - 1];
    if (seen === 'somebody' && current !== undefined) this.#signalAgain(current.signal);
    const elapsed = this.#elapsed();
    this.#climb(elapsed);
    this.#goOn(elapsed);
  }

  /** Newcomers come in chains: who is looked for often is caught. */
  #signalAgain(signal: NodeJS.Signals): void {
    this.#target.signal(signal);
    this.#pollMs = firstPollMs;
  }

  #elapsed(): number {
    return this.#clock.now() - this.#startedAt;
  }

  /** L1: sends what is due. */
  #climb(elapsed: number): void {
    for (let rung = this.#rungs[this.#sent]; rung !== undefined && rung.afterMs <= elapsed;) {
      this.#sent += 1;
      this.#pollMs = firstPollMs;
      if (!this.#target.signal(rung.signal)) this.#isPartial = true;
      rung = this.#rungs[this.#sent];
    }
  }

  #arm(elapsed: number): void {
    this.#timer?.release();
    const nextMs = this.#rungs[this.#sent]?.afterMs ?? this.#endMs;
    const ms = Math.max(0, Math.min(this.#pollMs, nextMs - elapsed));
    this.#pollMs = Math.min(this.#pollMs * 2, slowestPollMs);
    // Kept alive: a program that ends now would leave the tree half stopped.
    this.#timer = this.#clock.setTimer(
      () => {
        pacer.run(() => this.check());
      },
      ms,
      { ref: true },
    );
  }

  #end(isEmpty: boolean): void {
    this.#timer?.release();
    this.#timer = undefined;
    const finish = this.#finish;
    this.#finish = undefined;
    finish?.(isEmpty);
  }
}
