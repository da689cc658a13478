/**
 * The deadlines of a node's operations. All are of one length, so they pass in the order in which they began, and one timer is
 * enough for all of them: many thousands are under way when an engine is back.
 *
 * Invariants: the timer is armed while somebody waits, and for no later than the first of them; nobody is late twice, or after
 * having been answered.
 *
 * Prior art: the lists of Node's own timers, one for each length.
 *
 * @module
 */
import type { Clock } from '../../../core/foundation/clock.ts';
import type { Releasable } from '../../../core/foundation/disposable.ts';

/** One that waits. */
export interface Deadline {
  readonly at: number;
  readonly late: () => void;
}

/** The deadlines of one node. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #ms: number;
  /** In the order in which they began. */
  readonly #open = new Set<Deadline>();
  #timer: Releasable | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** From now on `late` is called when it is time, unless it is taken back. */
  begin(late: () => void): Deadline {
    const deadline = { at: this.#clock.now() + this.#ms, late };
    this.#open.add(deadline);
    if (this.#timer === undefined) this.#arm(this.#ms);
    return deadline;
  }

  /** It was answered. */
  end(deadline: Deadline): void {
    this.#open.delete(deadline);
    if (this.#open.size > 0) return;
    this.#timer?.release();
    this.#timer = undefined;
  }

  #arm(ms: number): void {
    this.#timer = this.#clock.setTimer(() => this.#pass(), ms, { ref: true });
  }

  /** The timer is not moved when the first is answered: it comes early then, and goes on to the next. */
  #pass(): void {
    const now = this.#clock.now();
    for (const deadline of this.#open) {
      if (deadline.at > now) break;
      this.#open.delete(deadline);
      deadline.late();
    }
    // Whoever was late may have begun something new.
    this.#timer?.release();
    this.#timer = undefined;
    const [first] = this.#open;
    if (first !== undefined) this.#arm(Math.max(0, first.at - now));
  }
}
