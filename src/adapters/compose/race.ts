/**
 * Whoever comes first; the others are stopped. Prior art: abort-controller-x `race`, which never settles without
 * branches, and forgets the winner when a loser fails.
 *
 * @module
 */
import { race as raceUnder } from 'abort-controller-x';

import { type TokenLike, tokenOf } from '../../core/inside.ts';
import { Branches, requireWorks, type ComposeOptions, type Values, type Works } from './branches.ts';

/**
 * Runs work side by side until the first returns or fails, and stops the rest. The promise settles when the losers have
 * ended or were left behind after their grace, so nothing runs on unnoticed.
 *
 * @checkpoint always, before; nothing is called if the token is cancelled, and no later branch if an earlier one has
 * ended at once
 * @fairness The first value or failure counts; what a loser's clean-up throws does not change it. A value beats a cancel,
 * also one that came after it.
 * @cleanup As `all`. The losers' tokens are cancelled one by one: a winner that is a response keeps its body.
 * @param token Whose stop.
 * @param works At least one; each gets a token and a signal of its own. Functions, not promises.
 * @param options Limits in milliseconds, and who hears of what the result does not say.
 * @returns The winner's value.
 * @throws CancelledError – as a rejection: the token was cancelled; `abandoned` names who did not stop.
 * @throws DeadlineExceededError – as a rejection: `timeoutMs` passed.
 * @throws TypeError, RangeError – as a rejection: no work at all, or arguments that make no sense. The failure that came
 * first, unchanged.
 * @example
 * ```ts
 * import { delay } from 'desist'
 * import { race } from 'desist/compose'
 *
 * const stopped: string[] = []
 * const first = await race(null, [
 *   async ({ token }) => {
 *     await delay(token, 5)
 *     return 'fast'
 *   },
 *   async ({ token }) => {
 *     token.onCancelled((reason) => stopped.push(reason.kind))
 *     await delay(token, 60_000)
 *     return 'slow'
 *   },
 * ])
 * first // => 'fast'
 * stopped // => ['superseded']
 * ```
 * @source abort-controller-x `race`
 * @since 0.1.0
 */
export async function race<T extends Works>(
  token: TokenLike | null | undefined,
  works: T,
  options: ComposeOptions = {},
): Promise<Values<T>[number]> {
  const parent = tokenOf(token);
  const list = requireWorks(works);
  if (list.length === 0) throw new TypeError('race() needs at least one work, got none');
  const branches = new Branches(parent, options, true);
  const value = await branches.settle((signal) =>
    raceUnder(signal, () =>
      list.map((work, index) => branches.start(work, work.name || `race[${String(index)}]`).told),
    ),
  );
  return value as Values<T>[number];
}
