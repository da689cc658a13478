/**
 * Everything, or the first failure. Prior art: abort-controller-x `all`, which waits for ever for a branch that does
 * not listen.
 *
 * @module
 */
import { all as allUnder } from 'abort-controller-x';

import { type TokenLike, tokenOf } from '../../core/inside.ts';
import { Branches, requireWorks, type ComposeOptions, type Values, type Works } from './branches.ts';

/**
 * Runs work side by side and waits for all of it. One failure stops the rest; the promise settles when every branch has
 * ended or was left behind after its grace.
 *
 * @checkpoint always, before; nothing is called if the token is cancelled, and no later branch if an earlier one has
 * failed
 * @fairness If every branch returned a value, a cancel came too late. A failure beats a cancel, the first failure beats
 * the others.
 * @cleanup The branches' tokens are released when the promise settles, or with the bodies that they returned; those of
 * branches that were left behind when these end.
 * @param token Whose stop.
 * @param works Each gets a token and a signal of its own. Functions, not promises: a promise has already started.
 * @param options Limits in milliseconds, and who hears of what the result does not say.
 * @returns The values, in the order of the works.
 * @throws CancelledError – as a rejection: the token was cancelled; `abandoned` names who did not stop.
 * @throws DeadlineExceededError – as a rejection: `timeoutMs` passed.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense. The first failure, unchanged.
 * @example
 * ```ts
 * import { delay } from 'desist'
 * import { all } from 'desist/compose'
 *
 * const [name, size] = await all(AbortSignal.timeout(5000), [
 *   () => 'desist',
 *   async ({ token }) => {
 *     await delay(token, 5)
 *     return 42
 *   },
 * ])
 * name // => 'desist'
 * size // => 42
 * ```
 * @source abort-controller-x `all`
 * @since 0.1.0
 */
export async function all<T extends Works>(
  token: TokenLike | null | undefined,
  works: T,
  options: ComposeOptions = {},
): Promise<Values<T>> {
  const parent = tokenOf(token);
  const list = requireWorks(works);
  const branches = new Branches(parent, options);
  const values = await branches.settle((signal) =>
    allUnder(signal, () => list.map((work, index) => branches.start(work, work.name || `all[${String(index)}]`).told)),
  );
  return values as Values<T>;
}
