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
 * Work that did not end within its grace: it may still be running, its effects are unknown.
 *
 * @since 0.1.0
 */
export interface AbandonedWork {
  readonly name: string;
  /** Resolves when it ends after all, where anybody will hear of that; never rejects. */
  readonly late?: Promise<LateEnd>;
}

/** Names work that was left behind. Loggers see the name alone. */
export function abandonedWork(name: string, late?: Promise<LateEnd>): AbandonedWork {
  return late === undefined ? { name } : Object.defineProperty({ name }, 'late', { value: late });
}

/** What an error of ours says was left behind, if it is one and says so. */
export function abandonedBy(error: unknown): AbandonedWork | undefined {
  return isCancelledError(error) || isDeadlineExceededError(error) ? error.abandoned : undefined;
}
