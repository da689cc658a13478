/**
 * A limit on silence: cancels when nothing has moved for too long. Progress is one clock read and one store: the
 * timer is not moved each time, it looks when it rings how long the silence has been. Time in which the process could not
 * run is given back. Prior art: Node's `socket.setTimeout`.
 *
 * @module
 */
import type { Clock } from '../../foundation/clock.ts';
import type { Releasable } from '../../foundation/disposable.ts';
import { givenBackMs } from './given-back.ts';

/** Watches for silence until it is released. */
export class IdleWatch implements Releasable {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #onIdle: () => void;
  #last: number;
  #timer: Releasable | undefined;
  #pauses = 0;

  constructor(clock: Clock, idleMs: number, onIdle: () => void) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
    this.#last = clock.now();
    this.#arm(idleMs);
  }

  /** Something moved. */
  progress(): void {
    this.#last = this.#clock.now();
  }

  /** From here on silence is expected; counted. */
  pause(): void {
    if (this.#pauses++ === 0) this.release();
  }

  /** Silence counts again, from now. */
  resume(): void {
    if (--this.#pauses > 0) return;
    this.progress();
    this.#arm(this.#idleMs);
  }

  release(): void {
    this.#timer?.release();
    this.#timer = undefined;
  }

  #arm(ms: number): void {
    const dueAt = this.#clock.now() + ms;
    this.#timer = this.#clock.setTimer(
      () => {
        this.#timer = undefined;
        const left = this.#last + this.#idleMs - this.#clock.now();
        // Frozen time is no silence: nobody who was awake was silent in it.
        const more = Math.max(left, givenBackMs(this.#clock, dueAt, this.#idleMs));
        if (more > 0) this.#arm(more);
        else this.#onIdle();
      },
      ms,
      { ref: false },
    );
  }
}
