/**
 * What a person is asked, whichever door asks: an answer that comes after the stop is nobody's. Prompt libraries resolve when
 * their signal is aborted – with a symbol, an empty text, a default –, and a program that takes that for a "yes" does what nobody
 * wanted. For effects it is the other way round: what has happened is told, also after the stop.
 *
 * Prior art: clack's `isCancel`, which everybody has to remember.
 *
 * @module
 */
import type { CancellationToken } from '../../core/inside.ts';

/**
 * Makes work of a question: its value counts only if nobody had stopped it by then.
 *
 * @param ask Asks the person, under the token of the work.
 */
export function asAnswer<C extends { readonly token: CancellationToken }, T>(
  ask: (context: C) => T | PromiseLike<T>,
): (context: C) => Promise<T> {
  return async (context) => {
    const answer = await ask(context);
    context.token.throwIfCancelled();
    return answer;
  };
}
