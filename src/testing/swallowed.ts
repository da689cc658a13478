/**
 * Whether a function was told of its stop by an error, and went on as if nothing had been said.
 *
 * Prior art: Trio's `Cancelled`, which is lost in the same way by a bare `except`.
 *
 * @module
 */
import { CancelledError, type CancellationToken } from '../index.ts';

/** Looks for the stop's own error: thrown by the token itself, or the reason of a promise. */
export class StopErrors {
  readonly #token: CancellationToken;
  readonly #promises: Promise<unknown>[] = [];
  #isThrown = false;

  /** `onCheckpoint` is told of each checkpoint before it looks. */
  constructor(token: CancellationToken, onCheckpoint: () => void = () => undefined) {
    this.#token = token;
    const { signal } = token;
    const throwIfCancelled = token.throwIfCancelled.bind(token);
    const throwIfAborted = signal.throwIfAborted.bind(signal);
    // One error is shared by everybody who waits, so that only the throwing itself can be seen.
    Object.defineProperty(token, 'throwIfCancelled', {
      configurable: true,
      value: () => {
        onCheckpoint();
        this.#isThrown ||= token.isCancelled;
        throwIfCancelled();
      },
    });
    Object.defineProperty(signal, 'throwIfAborted', {
      configurable: true,
      value: () => {
        onCheckpoint();
        this.#isThrown ||= signal.aborted;
        throwIfAborted();
      },
    });
  }

  /** Remembers a promise of the function. */
  add(promise: unknown): void {
    if (promise instanceof Promise) this.#promises.push(promise);
  }

  /** Whether the error was thrown at the function. Ask when it has ended: a rejection is looked at, and so handled. */
  async wereThrown(): Promise<boolean> {
    const look = (error: unknown): void => {
      this.#isThrown ||= error instanceof CancelledError && error.reason === this.#token.reason;
    };
    for (const promise of this.#promises.splice(0)) void Promise.prototype.then.call(promise, undefined, look);
    await new Promise((resolve) => setImmediate(resolve));
    return this.#isThrown;
  }
}

/** Whether what a function returned says that it was stopped: an outcome, a report, or an object with one of these in it. */
export function saysStopped(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return [value, ...(Object.values(value) as unknown[])].some((each) => {
    const { status } = (each ?? {}) as { readonly status?: unknown };
    return status === 'cancelled' || status === 'abandoned';
  });
}
