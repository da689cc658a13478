/**
 * The clock of a process that can be stopped by its system: while it is, nothing of it happens, and when it goes on,
 * everything that fell due happens at once. It may show another time than the engine's.
 *
 * @module
 */
import type { Clock, Releasable } from '../../../../src/index.ts';
import type { TimerOptions } from '../../../../src/core/foundation/clock.ts';

export class PausedClock implements Clock {
  readonly #clock: Clock;
  readonly #skewMs: number;
  #held: (() => void)[] = [];
  #isPaused = false;
  #isDead = false;

  constructor(clock: Clock, skewMs: number) {
    this.#clock = clock;
    this.#skewMs = skewMs;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  now(): number {
    return this.#clock.now() + this.#skewMs;
  }

  setTimer(fn: () => void, ms: number, options: TimerOptions): Releasable {
    let isReleased = false;
    const timer = this.#clock.setTimer(
      () => {
        this.whenRunning(() => {
          if (!isReleased) fn();
        });
      },
      ms,
      options,
    );
    return {
      release: () => {
        isReleased = true;
        timer.release();
      },
    };
  }

  /** Now, or when the process goes on, or never if it is dead. */
  whenRunning(fn: () => void): void {
    if (this.#isDead) return;
    if (this.#isPaused) this.#held.push(fn);
    else fn();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    // One after the other, with its promise reactions in between, as an event loop does.
    for (const fn of this.#held.splice(0)) this.#clock.setTimer(() => { this.whenRunning(fn); }, 0, { ref: true }); // prettier-ignore
  }

  /** Nothing of it will happen any more. */
  kill(): void {
    this.#isDead = true;
    this.#held = [];
  }
}
