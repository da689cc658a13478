/**
 * Waiting for nothing but the stop.
 *
 * @module
 */
import { forever as waitForever } from 'abort-controller-x';

import type { TokenLike } from '../../core/inside.ts';
import { runUnder } from './relay.ts';

/**
 * Never fulfils: rejects when the token is cancelled. Under a token that nothing can cancel it waits for ever, and it
 * does not keep the process alive.
 *
 * @checkpoint always
 * @cleanup The registration is gone when the promise settles.
 * @param token Whose stop.
 * @returns A promise that is only ever rejected.
 * @throws CancelledError – as a rejection.
 * @throws TypeError – as a rejection: not a token.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { forever } from 'desist/compose'
 *
 * const stop = new CancellationTokenSource()
 * const running = forever(stop.token)
 * stop.cancel('shutdown')
 * await running // => throws CancelledError
 * ```
 * @source abort-controller-x `forever`
 * @since 0.1.0
 */
export function forever(token: TokenLike | null | undefined): Promise<never> {
  return runUnder<never>(token, (signal) => waitForever(signal), { name: 'forever' });
}
