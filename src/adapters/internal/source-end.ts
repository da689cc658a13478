/**
 * What became of a source that somebody else produces, and the bounded wait for it.
 * In the adapters' inner room beside `stream-cut.ts`, which closes its sources through it.
 * Prior art: Kubernetes' termination grace period.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';

/**
 * What became of the source once the reading had ended.
 *
 * `completed` it ended by itself · `failed` it threw, then or while it was closed · `cancelled` it was closed and has
 * unwound · `abandoned` it did not unwind within the grace: its `finally` blocks may never run.
 */
export type SourceEnd =
  { readonly status: 'completed' | 'cancelled' | 'abandoned' } | { readonly status: 'failed'; readonly error: unknown };

/** What is read from: anything with `next()`. */
export type SourceIterator<T> = Pick<AsyncIterator<T, unknown>, 'next' | 'return'>;

/** Closes a source, or whatever a promise of one brings. */
export async function closeSource(
  source: SourceIterator<unknown> | Promise<SourceIterator<unknown>> | undefined,
): Promise<void> {
  const opened = source !== undefined && 'then' in source ? await source : source;
  await opened?.return?.();
}

/** Says how the closing of a source went, after `graceMs` at the latest; never rejects. */
export function awaitUnwind(closing: Promise<unknown>, graceMs: number, clock: Clock): Promise<SourceEnd> {
  return new Promise((resolve) => {
    const giveUp = (): void => {
      resolve({ status: 'abandoned' });
    };
    const grace = clock.setTimer(giveUp, graceMs, { ref: true });
    const settle = (end: SourceEnd): void => {
      grace.release();
      resolve(end);
    };
    closing.then(
      () => {
        settle({ status: 'cancelled' });
      },
      (error: unknown) => {
        settle({ status: 'failed', error });
      },
    );
  });
}
