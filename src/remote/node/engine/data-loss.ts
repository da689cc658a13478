/**
 * What a node knows of an engine that has lost what it had confirmed. Whoever works for a run writes itself down again by its next
 * heartbeat; until all had the time for it, nobody can say who is left.
 *
 * Invariant: D5, as long as a loss is recent no work is said to be over.
 *
 * @module
 */
import type { Clock } from '../../../core/foundation/clock.ts';
import type { Releasable } from '../../../core/foundation/disposable.ts';

/** What losses are measured with. */
export interface DataLossParts {
  readonly clock: Clock;
  /** Milliseconds within which those who live come back: a heartbeat, and another try. */
  readonly returnMs: number;
  /** The last one is recent no longer. */
  readonly over: () => void;
}

/** The losses of one engine, as one node finds them. */
export class DataLoss {
  readonly #parts: DataLossParts;
  #timer: Releasable | undefined;
  #until = 0;
  #waiting: (() => void)[] = [];

  constructor(parts: DataLossParts) {
    this.#parts = parts;
  }

  /** Whether those who live may not all be back yet. */
  get isRecent(): boolean {
    return this.#timer !== undefined;
  }

  /**
   * Whether those who live may not all be back yet, as far as the engine's own age tells: it is new, or has started again with
   * nothing. Whoever holds no lease has nothing else to miss.
   *
   * @param ageMs Milliseconds for which the engine has kept what it was given.
   */
  mayBeRecent(ageMs: number): boolean {
    return this.isRecent || ageMs < this.#parts.returnMs;
  }

  /** Something that the engine had confirmed is not there. */
  readonly noticed = (): void => {
    const { clock, returnMs } = this.#parts;
    this.#until = clock.now() + returnMs;
    // Noticed by each of ten thousand runs, in one go: the timer that there is goes on to the last.
    if (this.#timer === undefined) this.#arm(returnMs);
  };

  #arm(ms: number): void {
    const { clock, over } = this.#parts;
    const end = (): void => {
      const left = this.#until - clock.now();
      if (left > 0) this.#arm(left);
      else {
        this.stop();
        over();
      }
    };
    this.#timer = clock.setTimer(end, ms, { ref: false });
  }

  /** Resolves when none is recent, or nobody looks any more. */
  async passed(): Promise<void> {
    if (this.isRecent) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  stop(): void {
    this.#timer?.release();
    this.#timer = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
