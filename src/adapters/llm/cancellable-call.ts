/**
 * A model's whole answer under a token: the call is left the moment the token is cancelled, whatever its client does
 * about retries and pauses, and what it says afterwards is heard by nobody else. Prior art: Go's `context` parameter;
 * `abort-controller-x`'s `execute`.
 *
 * @module
 */
import {
  isBody,
  type LateOutcome,
  type OptionNames,
  type OptionsOnly,
  raceCancellation,
  requireFunction,
  requireOptions,
  type TokenLike,
} from '../../core/inside.ts';
import { CallScope } from '../internal/call-scope.ts';
import { callContext, type CallContext } from './call-context.ts';

/**
 * Options of {@link cancellableCall}.
 *
 * @since 0.1.0
 */
export interface CancellableCallOptions<T = unknown> extends OptionsOnly {
  /** Milliseconds for the whole call, its client's retries and pauses included. */
  readonly timeoutMs?: number | undefined;
  /** Names the call in reasons. */
  readonly name?: string | undefined;
  /** Told what a call that was left did in the end: an answer that came all the same has been paid for. */
  readonly onLateSettle?: ((outcome: LateOutcome<T>) => void) | undefined;
  /** What the context's `fetch` calls, instead of the global one. */
  readonly fetch?: typeof fetch | undefined;
}

const optionNames: OptionNames<CancellableCallOptions> = { timeoutMs: 1, name: 1, onLateSettle: 1, fetch: 1 };

/**
 * Calls a model, or any client that takes a signal or a `fetch`, under a token. It rejects in the tick after the
 * cancel, also in the middle of a client's back-off, and always as the cancel, whatever the client's own error is.
 *
 * The client is told by its signal and not waited for: most stop at once, some finish a pause first, and then their
 * timer still keeps the process alive.
 *
 * @checkpoint always, before and while it waits; `call` is not called if the token is cancelled
 * @fairness An answer, or a failure, that was there before the cancel beats it, also in the same tick.
 * @cleanup The call's token is released when the promise settles, and with it everything the client hung on the
 * signal; the late answer is observed.
 * @param token Whose stop.
 * @param call Gets the call's signal; returns the answer, not a stream of it.
 * @param options Limit in milliseconds, a name, who hears a late answer.
 * @returns What the call answered.
 * @throws CancelledError – as a rejection: the token was cancelled. DeadlineExceededError – as a rejection: `timeoutMs`
 * of this call passed. TypeError, RangeError – as a rejection: arguments that make no sense, or an answer that is still
 * to be read.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { cancellableCall } from 'desist/llm'
 *
 * const stop = new CancellationTokenSource()
 * const client = { ask: async (text: string, options: { signal: AbortSignal }) => `You said ${text}` }
 *
 * await cancellableCall(stop.token, ({ signal }) => client.ask('hello', { signal })) // => 'You said hello'
 * ```
 * @source `abort-controller-x`
 * @since 0.1.0
 */
export async function cancellableCall<T>(
  token: TokenLike | null | undefined,
  call: (context: CallContext) => T | PromiseLike<T>,
  options: CancellableCallOptions<T> = {},
): Promise<T> {
  requireFunction('call', call);
  requireOptions(options, optionNames);
  const { timeoutMs, name, onLateSettle, fetch: fetchImpl } = options;
  if (fetchImpl !== undefined) requireFunction('fetch', fetchImpl);
  const scope = new CallScope([token], { timeoutMs, name });
  const stop = { isTold: false, isCause: false };
  try {
    if (scope.isTooLate) throw scope.failure();
    // Before the client listens: what it rejects with when it hears the stop comes after this, what failed before it
    // does not.
    scope.token.onCancelled(() => {
      queueMicrotask(() => {
        stop.isTold = true;
      });
    });
    const answering = Promise.resolve(call(callContext(scope, fetchImpl)));
    answering.catch(() => {
      stop.isCause = stop.isTold;
    });
    const answer = await raceCancellation(scope.token, answering, { onLateSettle });
    if (!isBody(answer)) return answer;
    // Nobody could cut it once the call is over, so it must not stay open.
    leave(answer);
    scope.cancel('A live stream is no answer');
    throw new TypeError('call must not return a live stream: read it inside the call, or use cancellableStream');
  } catch (error) {
    throw stop.isCause ? scope.failure() : scope.explain(error);
  } finally {
    scope.release();
  }
}

/** Hears a stream out that nobody will read, before its signal ends it: the SDKs' helpers would reject to nobody. */
function leave(stream: Partial<AsyncIterable<unknown>>): void {
  Promise.resolve(stream[Symbol.asyncIterator]?.().return?.()).catch(() => undefined);
}
