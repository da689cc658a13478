/**
 * Finds out that an engine is back that was away. Whoever hosts something learns that from its heartbeat; a node that hosts
 * nothing sends nothing by itself, and one that refuses to host until the engine is back would never have a heartbeat.
 *
 * Invariants: nothing is asked while the engine is well; one question at a time.
 *
 * @module
 */
import type { Clock } from '../../../core/foundation/clock.ts';
import type { Releasable } from '../../../core/foundation/disposable.ts';

/** What a recovery works with. */
export interface RecoveryParts {
  readonly clock: Clock;
  /** Milliseconds between two questions. */
  readonly everyMs: number;
  /** Asks for a change, not for what an engine can say that takes no writes; rejects if it was not made. */
  readonly ask: () => Promise<unknown>;
  readonly failed: (error: unknown) => void;
}

/** Asks as long as the engine is away. */
export class Recovery {
  readonly #parts: RecoveryParts;
  #timer: Releasable | undefined;
  #isAway = false;
  #isAsking = false;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** The engine is away. */
  start(): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#later();
  }

  /** The engine is back, or nobody wants to know any more. */
  stop(): void {
    this.#isAway = false;
    this.#timer?.release();
  }

  /** Something has changed, so it may be worth to ask at once. */
  askNow(): void {
    if (this.#isAway && !this.#isAsking) void this.#ask();
  }

  #later(): void {
    const { clock, everyMs } = this.#parts;
    this.#timer?.release();
    this.#timer = clock.setTimer(() => void this.#ask(), everyMs, { ref: false });
  }

  /** The answer itself is heard elsewhere: it is an operation like any other. */
  async #ask(): Promise<void> {
    this.#timer?.release();
    this.#isAsking = true;
    try {
      await this.#parts.ask();
    } catch (error) {
      this.#parts.failed(error);
    }
    this.#isAsking = false;
    if (this.#isAway) this.#later();
  }
}
