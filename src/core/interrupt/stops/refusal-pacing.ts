/**
 * How starts are refused that come after a stop, or after the body of their turn.
 *
 * From the second on each takes one turn of the event loop: a body that only tries again and again would otherwise never
 * let the grace, or a key press, be heard.
 *
 * @module
 */
import type { Clock } from '../../foundation/clock.ts';

/** How many refusals a turn answers at once after its end, and how often its body may put off the end of its grace. */
export const REFUSALS_WAITED_FOR = 32;

/** What one turn has refused. */
export class Refusals {
  readonly #clock: Clock;
  #count = 0;
  #isTurnOver: boolean;
  /** Answers what was refused and waits for its time. */
  readonly #pending = new Set<() => void>();

  constructor(clock: Clock, isTurnOver: boolean) {
    this.#clock = clock;
    this.#isTurnOver = isTurnOver;
  }

  /** Counts one; resolves when it may be answered. */
  async add(): Promise<void> {
    if (this.#count++ === 0) return;
    await new Promise<void>((resolve) => {
      const answer = (): void => {
        timer.release();
        this.#pending.delete(answer);
        resolve();
      };
      // Not 0: on a clock that is moved by hand, time has to pass for a body that never gives up.
      const ms = this.#isTurnOver && this.#count <= REFUSALS_WAITED_FOR ? 0 : 1;
      const timer = this.#clock.setTimer(answer, ms, { ref: true });
      if (!this.#isTurnOver) this.#pending.add(answer);
    });
  }

  /** Whether one is being answered now. */
  get isAnswering(): boolean {
    return this.#pending.size > 0;
  }

  /** Whether there was one. */
  get isAny(): boolean {
    return this.#count > 0;
  }

  /** The turn is over: answers what waits. */
  turnEnded(): void {
    this.#isTurnOver = true;
    for (const answer of [...this.#pending]) answer();
  }
}
