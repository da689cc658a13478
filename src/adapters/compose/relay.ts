/**
 * The signal that the library is handed in place of ours.
 *
 * Invariant: the library's signal fires only once the library listens to it. It starts listening when the caller's
 * function has returned, so an abort from inside that function would never be heard.
 *
 * @module
 */
import {
  type CancelContext,
  errorOf,
  listen,
  type Token,
  type TokenLike,
  tokenOf,
  withCancellation,
  type WithCancellationOptions,
} from '../../core/inside.ts';

/** Starts something of the library under a signal that follows the token until its promise settles. */
export function relay<T>(token: Token, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const end = start(controller.signal);
  // I9: runs at once if the token was cancelled meanwhile.
  const link = listen(token, () => controller.abort(errorOf(token)));
  const unlink = (): boolean => link.unregister();
  end.then(unlink, unlink);
  return end;
}

/** One call of the library as a piece of work: not begun once cancelled, bounded by the grace, reasons kept. */
export function runUnder<T>(
  token: TokenLike | null | undefined,
  start: (signal: AbortSignal, context: CancelContext) => Promise<T>,
  options: WithCancellationOptions<T>,
): Promise<T> {
  const work = (context: CancelContext): Promise<T> =>
    relay(tokenOf(context.token), (signal) => start(signal, context));
  return withCancellation(token, work, options);
}
