/**
 * The token of the current flow of calls, for code that cannot be handed one. Once this door is open, the body of a turn
 * and every tool call run with their own token as the current one, and guarded tools find their turn by it.
 *
 * State: one `AsyncLocalStorage` per process, under a registered symbol, shared by all copies of the package; it holds
 * handles, which any copy can read.
 *
 * Prior art: Kotlin's `coroutineContext`, Python's `contextvars` under asyncio and Trio, Go's `context.Context`, which is
 * passed by hand for a reason.
 *
 * @module desist/ambient
 */
import { AsyncLocalStorage } from 'node:async_hooks';

import { type CancellationToken, requireFunction, type TokenLike, tokenOf } from '../../core/inside.ts';

const storageKey: unique symbol = Symbol.for('desist.ambient') as never;

type TokenStorage = AsyncLocalStorage<TokenLike | undefined>;

const host = globalThis as { [storageKey]?: TokenStorage | undefined };
const storage: TokenStorage = (host[storageKey] ??= new AsyncLocalStorage());

/**
 * Calls a function with a token that everything it calls can read, also after an `await`, in its timers and in its
 * promises.
 *
 * The token takes the place of the one outside it and is not linked to it: pass a child of `currentToken()` if both
 * should count. Callbacks of events run in the flow of whoever emits them, and those of a cancel in the flow of whoever
 * cancels: `bind` them.
 *
 * @checkpoint never: it only says whose stop counts, and a clean-up may well run under a cancelled token
 * @cleanup The token is held as long as anything of that flow is: timers, promises, open handles.
 * @param token Whose stop counts inside; `null` and `undefined` say nobody's.
 * @param fn Called at once, with nothing.
 * @returns What the function returned.
 * @throws TypeError – not a token, or not a function; and whatever the function throws.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { currentToken, runWithToken } from 'desist/ambient'
 *
 * const stop = new CancellationTokenSource({ name: 'turn' })
 * const deep = async () => {
 *   await null
 *   return currentToken().name
 * }
 * await runWithToken(stop.token, deep) // => 'turn'
 * currentToken().canBeCancelled // => false
 * ```
 * @source Node `AsyncLocalStorage.run`
 * @since 0.1.0
 */
export function runWithToken<R>(token: TokenLike | null | undefined, fn: () => R): R {
  const current = tokenOf(token);
  requireFunction('fn', fn);
  return storage.run(current, fn);
}

/**
 * The token of the innermost `runWithToken` around this call.
 *
 * @returns That token, cancelled or not; `CancellationToken.none` outside.
 * @example
 * ```ts
 * import { CancellationToken } from 'desist'
 * import { currentToken } from 'desist/ambient'
 *
 * currentToken() === CancellationToken.none // => true
 * ```
 * @source Kotlin `currentCoroutineContext`
 * @since 0.1.0
 */
export function currentToken(): CancellationToken {
  // Another copy of the package may have put it there: through the door again, so that ours understands it.
  return tokenOf(storage.getStore());
}

/**
 * The same function, with the token of the place where it was bound instead of the place where it is called. Other
 * async-local state, a tracer's say, stays that of the call.
 *
 * @param fn Any callback; `this` and the arguments are passed on.
 * @returns A function of the same shape.
 * @throws TypeError – not a function.
 * @example
 * ```ts
 * import { EventEmitter } from 'node:events'
 * import { CancellationTokenSource } from 'desist'
 * import { bind, currentToken, runWithToken } from 'desist/ambient'
 *
 * const { token } = new CancellationTokenSource({ name: 'turn' })
 * const socket = new EventEmitter()
 * const seen: (string | undefined)[] = []
 * runWithToken(token, () => {
 *   socket.on('data', () => seen.push(currentToken().name))
 *   socket.on('data', bind(() => seen.push(currentToken().name)))
 * })
 * socket.emit('data')
 * seen // => [undefined, 'turn']
 * ```
 * @source Node `AsyncResource.bind`
 * @since 0.1.0
 */
export function bind<This, Args extends unknown[], R>(
  fn: (this: This, ...args: Args) => R,
): (this: This, ...args: Args) => R {
  requireFunction('fn', fn);
  const bound = storage.getStore();
  return function (this: This, ...args: Args): R {
    return storage.run(bound, () => fn.apply(this, args));
  };
}
