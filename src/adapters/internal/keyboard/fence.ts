/**
 * On a slow line the rest of an arrow key may be seconds behind its ESC. The terminal is asked for a sign instead of
 * waiting for a silence: what it had sent before arrives before its answer.
 *
 * Invariants:
 * - **F1** One question at a time; its answer is nobody's key.
 * - **F2** A terminal that has not answered in time is not asked again, until it does answer after all.
 * - **F3** Who gives the terminal away waits for the answer, so that nobody else reads it.
 *
 * Prior art: vim's request for the version, the double `DSR` of mosh.
 *
 * @module
 */
import type { Clock, Releasable } from '../../../core/inside.ts';
import type { KeyEvent } from './decoder/key-event.ts';

/** A satellite answers within this; what does not is no terminal that answers. */
export const fenceMs = 1000;

/** What it answers: "I am". */
export const fenceAnswer = '\x1b[0n';

/** One per keyboard. */
export class Fence {
  readonly #clock: Clock;
  readonly #ask: () => boolean;
  /** Questions without an answer so far. */
  #open = 0;
  #isGivenUp = false;
  readonly #waiting = new Set<() => void>();
  #patience: Releasable | undefined;

  /** @param ask Writes the question, if that may be done at this moment; whether it was. */
  constructor(clock: Clock, ask: () => boolean) {
    this.#clock = clock;
    this.#ask = ask;
  }

  get isOpen(): boolean {
    return this.#open > 0 && !this.#isGivenUp;
  }

  /** Asks, unless an answer is on its way already; whether one is. */
  ask(): boolean {
    if (this.isOpen) return true;
    if (this.#isGivenUp || !this.#ask()) return false;
    this.#open += 1;
    return true;
  }

  /** Whether this is the answer. */
  hears(event: KeyEvent): boolean {
    if (this.#open === 0 || event.type !== 'reply' || !fenceAnswer.endsWith(`[${event.sequence}`)) return false;
    this.#open -= 1;
    this.#isGivenUp = false; // F2
    if (this.#open === 0) this.#tell();
    return true;
  }

  /** No answer came in time. */
  giveUp(): void {
    if (!this.isOpen) return;
    this.#isGivenUp = true;
    this.#tell();
  }

  /** F3: runs `fn` as soon as no answer is awaited; at once if none is. */
  whenClosed(fn: () => void): void {
    if (!this.isOpen) {
      fn();
      return;
    }
    this.#waiting.add(fn);
    this.#patience ??= this.#clock.setTimer(() => this.giveUp(), fenceMs, { ref: true });
  }

  #tell(): void {
    this.#patience?.release();
    this.#patience = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const fn of waiting) fn();
  }
}
