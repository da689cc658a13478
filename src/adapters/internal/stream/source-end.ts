/**
 * What became of a source that somebody else produces, and the bounded wait for it. Prior art: Kubernetes'
 * termination grace period.
 *
 * @module
 */
import { classify, isObject, type CancellationToken, type Clock } from '../../../core/inside.ts';

/**
 * What became of the source once the reading had ended.
 *
 * `completed` it ended by itself · `failed` it threw, then or while it was closed · `cancelled` it was closed and has
 * unwound · `abandoned` it did not unwind within the grace: its `finally` blocks may never run.
 */
export type SourceEnd =
  | { readonly status: 'completed' | 'cancelled' | 'abandoned' }
  | { readonly status: 'failed'; readonly error: unknown };

/** What is read from: anything with `next()`. */
export type SourceIterator<T> = Pick<AsyncIterator<T, unknown>, 'next' | 'return'>;

/** Closes a source, or whatever a promise of one brings; resolves with its answer. */
export async function closeSource(
  source: SourceIterator<unknown> | Promise<SourceIterator<unknown>> | undefined,
): Promise<unknown> {
  const opened = source !== undefined && 'then' in source ? await source : source;
  return await opened?.return?.();
}

/** Whether a source that was closed goes on: a generator that yields in its `finally` does. */
function goesOn(answer: unknown): boolean {
  return isObject(answer) && (answer as { readonly done?: unknown }).done === false;
}

/** What a source without `return()` still owes when it is left: with the last of its answers it has unwound. */
export class OwedAnswers {
  readonly all: Promise<void>;
  #left: number;
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(count: number) {
    this.#left = count;
    this.all = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  came(): void {
    if (--this.#left === 0) this.#resolve();
  }

  failed(error: unknown): void {
    this.#reject(error);
  }
}

/**
 * Says how the closing of a source went, after `graceMs` at the latest; never rejects. A source that was still on its
 * way rejects with the stop itself: that is no failure of it.
 */
export function awaitUnwind(
  closing: Promise<unknown>,
  graceMs: number,
  clock: Clock,
  token?: CancellationToken,
): Promise<SourceEnd> {
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
      (answer) => {
        // It has not unwound, and nobody will ask it again.
        settle({ status: goesOn(answer) ? 'abandoned' : 'cancelled' });
      },
      (error: unknown) => {
        const isStop = token?.isCancelled === true && classify(error, token).status !== 'failure';
        settle(isStop ? { status: 'cancelled' } : { status: 'failed', error });
      },
    );
  });
}

/** A source, and what closes it if it was never opened. */
export interface HeldSource {
  readonly source: SourceIterator<unknown> | undefined;
  readonly discard: (() => unknown) | undefined;
}

/** What there is to close: the source, the one that is on its way, or what was never opened. */
export async function closeHeld(
  { source, discard }: HeldSource,
  opening?: Promise<SourceIterator<unknown>>,
): Promise<unknown> {
  if (source === undefined && opening === undefined) {
    await discard?.();
    return;
  }
  return await closeSource(source ?? opening);
}

/** A source that answers at once is no less a source. */
export function toPromise<T>(answer: Promise<T> | T): Promise<T> {
  return answer instanceof Promise ? answer : Promise.resolve(answer);
}
