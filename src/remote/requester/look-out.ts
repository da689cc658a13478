/**
 * When stops of a run are looked at in the engine: where something hints that they got on, and now and then, since hints may be lost.
 *
 * Invariants: one look at a time; nobody looks while nobody wants to know; a hint that comes during a look leads to another one.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';

/** The first look comes after this many milliseconds; each further one after twice as long. */
const FIRST_LOOK_MS = 15;

/** Why a wait is over: a hint that something happened, a record that tells what, somebody who waits for it now, or time. */
export type Came = 'hint' | 'news' | 'watched' | 'time';

/** What is looked at, and for whom. */
export interface LookOutParts {
  readonly clock: Clock;
  /** The longest wait between two looks, in milliseconds. */
  readonly longestMs: number;
  /** Whether somebody waits for one in this process. */
  readonly isWatched: () => boolean;
  readonly isWanted: () => boolean;
  readonly look: () => Promise<void>;
  readonly ends: () => void;
}

/** Looks after the stops of one run. */
export class LookOut {
  readonly #parts: LookOutParts;
  #isLooking = false;
  /** Ends the wait for the next look, while there is one. */
  #wake: ((came: Came) => void) | undefined;
  /** A hint came while it was looking. */
  #isPoked = false;

  constructor(parts: LookOutParts) {
    this.#parts = parts;
  }

  /** Looks as long as somebody wants to know. */
  start(): void {
    if (this.#isLooking) return;
    if (!this.#parts.isWanted()) {
      this.#parts.ends();
      return;
    }
    this.#isLooking = true;
    void this.#looking().finally(() => {
      this.#isLooking = false;
      this.start();
    });
  }

  /** Something may have happened. */
  poke(came: Came): void {
    if (this.#wake !== undefined) this.#wake(came);
    else if (came === 'hint') this.#isPoked = true;
  }

  async #looking(): Promise<void> {
    const { longestMs, clock, isWatched, isWanted, look } = this.#parts;
    let tookMs = 0;
    // Many that look at once make each look slow, and must not look the more often for it; where nobody waits, none is in a hurry:
    // it would take the time of those who are to be told.
    for (
      let waitMs = isWatched() ? FIRST_LOOK_MS : longestMs;
      isWanted();
      waitMs = Math.min(Math.max(waitMs, tookMs) * 2, longestMs)
    ) {
      const came = await this.#wait(waitMs);
      if (!isWanted()) return;
      const sentAt = clock.now();
      // An engine that does not answer has not taken back what it said.
      if (came === 'hint' || came === 'time') await look().catch(() => undefined);
      tookMs = clock.now() - sentAt;
      if (came !== 'time') waitMs = FIRST_LOOK_MS / 2;
    }
  }

  #wait(ms: number): Promise<Came> {
    if (this.#isPoked) {
      this.#isPoked = false;
      return Promise.resolve('hint');
    }
    return new Promise((resolve) => {
      const end = (came: Came): void => {
        timer.release();
        this.#wake = undefined;
        resolve(came);
      };
      const timer = this.#parts.clock.setTimer(() => end('time'), ms, { ref: this.#parts.isWatched() });
      this.#wake = end;
    });
  }
}
