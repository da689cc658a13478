/**
 * Work that was left behind: its name, and what it came to in the end where anybody hears of that.
 *
 * @module
 */
import { isCancelledError, isDeadlineExceededError } from '../errors.ts';
import type { CancelReason } from '../reason.ts';

/** What work that was left behind came to in the end. */
export type LateEnd =
  | { readonly status: 'completed'; readonly value: unknown; readonly afterStop?: true }
  | { readonly status: 'failed'; readonly error: unknown }
  | {
      readonly status: 'cancelled';
      readonly reason: CancelReason;
      readonly completed?: { readonly value: unknown };
      readonly abandoned?: AbandonedWork;
    };

/**
 * Work whose effects are unknown: it did not end within its grace and may still be running, or it is over here and nobody
 * says what it has done elsewhere.
 *
 * @since 0.1.0
 */
export interface AbandonedWork {
  readonly name: string;
  /** Resolves when it ends after all, where anybody will hear of that; never rejects. */
  readonly late?: Promise<LateEnd>;
  /**
   * It is over here, as a request is that was given up after it had been sent: no report names it as left running, and the
   * call that it was for is `unknown` all the same.
   */
  readonly isOver?: boolean;
}

/** Names work that was left behind. Loggers see the name alone. */
export function abandonedWork(name: string, late?: Promise<LateEnd>): AbandonedWork {
  return late === undefined ? { name } : Object.defineProperty({ name }, 'late', { value: late });
}

/** What an error of ours says was left behind, if it is one and says so. */
export function abandonedBy(error: unknown): AbandonedWork | undefined {
  return isCancelledError(error) || isDeadlineExceededError(error) ? error.abandoned : undefined;
}
