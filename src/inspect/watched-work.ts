/**
 * Work that says when it looks at its token, so that a recording knows how soon it noticed a stop.
 *
 * @module
 */
import { classify, type CancellationToken, type CancelReason, type Clock } from '../index.ts';
import type { TraceBook } from './trace-book.ts';
import type { TraceCheckpoints } from './trace.ts';

/**
 * What watched work is given.
 *
 * @since 0.1.0
 */
export interface WatchedContext {
  /** For what the work calls: nothing that is done with it is seen as a checkpoint. */
  readonly token: CancellationToken;
  readonly signal: AbortSignal;
  /** Whether the stop has come; asking is a checkpoint. */
  readonly isCancelled: boolean;
  /**
   * Counts, and throws if the stop has come.
   *
   * @throws CancelledError – the token is cancelled.
   */
  checkpoint(): void;
}

/** Runs the work and writes it into the book. */
export async function runWatched<T>(
  { book, clock, id, starvedMs }: { book: TraceBook; clock: Clock; id: string; starvedMs: number },
  token: CancellationToken,
  work: (context: WatchedContext) => T | PromiseLike<T>,
): Promise<T> {
  let passed = 0;
  let afterStop = 0;
  let hasThrown = false;
  let askedAt: number | undefined;
  let lookedAt: number | undefined;
  const registration = token.onCancelled((reason: CancelReason) => {
    askedAt = clock.now();
    book.ask(id, reason, askedAt);
  });
  const look = (): boolean => {
    passed += 1;
    if (!token.isCancelled) return false;
    afterStop += 1;
    lookedAt ??= clock.now();
    book.observe(id, lookedAt);
    return true;
  };
  const context: WatchedContext = {
    token,
    get signal() {
      return token.signal;
    },
    get isCancelled() {
      return look();
    },
    checkpoint() {
      hasThrown = look() || hasThrown;
      token.throwIfCancelled();
    },
  };
  const checkpoints = (returned: boolean): TraceCheckpoints => ({
    passed,
    afterStop,
    isSwallowed: returned && hasThrown,
    isStarved: askedAt !== undefined && (lookedAt ?? clock.now()) - askedAt > starvedMs,
  });
  try {
    const value = await work(context);
    book.end(id, 'completed', clock.now(), { checkpoints: checkpoints(true) });
    return value;
  } catch (error) {
    const outcome = classify(error, token).status === 'failure' ? 'failed' : 'cancelled';
    book.end(id, outcome, clock.now(), { checkpoints: checkpoints(false) });
    throw error;
  } finally {
    registration.unregister();
  }
}
