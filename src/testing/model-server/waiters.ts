/**
 * Waiting for a condition without polling: everybody who waits is asked again after each change.
 *
 * Invariant: a waiter that settled holds no timer and is asked no more.
 *
 * @module
 */

interface Waiter {
  readonly ask: () => void;
  readonly fail: (error: unknown) => void;
}

/** The waiters of one server. */
export class Waiters {
  readonly #waiters = new Set<Waiter>();

  /** Resolves with the condition's first truthy value; rejects when the limit passes, or when asking throws. */
  waitFor<T>(condition: () => T, limitMs: number): Promise<NonNullable<T>> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const fail = (error: unknown): void => {
        end();
        reject(error instanceof Error ? error : new Error(String(error)));
      };
      const ask = (): void => {
        try {
          const value = condition();
          if (!value) return;
          end();
          resolve(value);
        } catch (error) {
          fail(error);
        }
      };
      const timer = setTimeout(() => {
        fail(new Error(`The condition did not hold within ${String(limitMs)} ms`));
      }, limitMs);
      const waiter = { ask, fail };
      this.#waiters.add(waiter);
      ask();
    });
  }

  /** Asks everybody again. */
  changed(): void {
    for (const waiter of this.#waiters) waiter.ask();
  }

  /** Sends everybody home. */
  failAll(error: Error): void {
    for (const waiter of this.#waiters) waiter.fail(error);
  }
}
