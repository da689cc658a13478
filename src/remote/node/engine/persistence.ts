/**
 * Tries again until it is done: what a node has to write is written however long the engine is away.
 *
 * @module
 */
import type { Clock } from '../../../core/foundation/clock.ts';
import type { Releasable } from '../../../core/foundation/disposable.ts';
import { NotWantedError } from './send-window.ts';

/** The first wait, in milliseconds; each further one is twice as long, up to the longest, or to so much for each that waits. */
const FIRST_WAIT_MS = 20;
const WAIT_MS_EACH = 1;

/** What waits for the engine. */
export class Persistence {
  readonly #clock: Clock;
  readonly #longestMs: number;
  readonly #failed: (error: unknown) => void;
  readonly #waits = new Set<() => void>();
  #isClosed = false;
  #retried = 0;

  constructor(clock: Clock, longestMs: number, failed: (error: unknown) => void) {
    this.#clock = clock;
    this.#longestMs = longestMs;
    this.#failed = failed;
  }

  /** How many things wait to be tried again. */
  get waiting(): number {
    return this.#waits.size;
  }

  /** How often anything was tried again. */
  get retried(): number {
    return this.#retried;
  }

  /**
   * Runs `work` until it does not reject.
   *
   * @param isPointless Asked before each further try.
   * @returns Whether it was done; it is not when it became pointless, or everything was closed.
   */
  async until(work: () => Promise<unknown>, isPointless: () => boolean): Promise<boolean> {
    for (let waitMs = FIRST_WAIT_MS; !isPointless(); waitMs = this.#longer(waitMs)) {
      try {
        await work();
        return true;
      } catch (error) {
        if (error instanceof NotWantedError) continue;
        this.#failed(error);
      }
      if (this.#isClosed) return false;
      await this.#wait(waitMs);
      this.#retried++;
    }
    return false;
  }

  /** The engine is there again: nobody waits any longer. */
  retryNow(): void {
    for (const go of [...this.#waits]) go();
  }

  /** From here on everything is tried once more, and no further. */
  close(): void {
    this.#isClosed = true;
    this.retryNow();
  }

  /** However many wait, an engine that is away is tried about as often. */
  #longer(waitMs: number): number {
    return Math.min(waitMs * 2, Math.max(this.#longestMs, this.#waits.size * WAIT_MS_EACH));
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      let timer: Releasable | undefined = undefined;
      const go = (): void => {
        timer?.release();
        this.#waits.delete(go);
        resolve();
      };
      this.#waits.add(go);
      timer = this.#clock.setTimer(go, ms, { ref: false });
    });
  }
}
