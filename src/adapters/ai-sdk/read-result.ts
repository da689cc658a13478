/**
 * Reads a stream of the AI SDK to its end, and tells a stop and a failure from it.
 *
 * @module
 */
import { requireFunction, show, type TokenLike, tokenOf } from '../../core/inside.ts';

/**
 * What `streamText` returns, as far as reading it goes.
 *
 * @since 0.1.0
 */
export interface AIStreamResult<P> {
  /** All parts of the stream. */
  readonly fullStream: AsyncIterable<P>;
  /** The text of the last step. */
  readonly text: PromiseLike<string>;
}

/**
 * Reads what `streamText` returned. The SDK's own streams end normally when they are stopped, and when the model
 * failed; this rejects.
 *
 * @checkpoint always, with each part and after the last
 * @fairness A stop beats parts that were not read yet; what came before is in the turn's `partials`.
 * @cleanup The stream is left, and the model's call with it, when this settles.
 * @param token Whose stop: the turn's token.
 * @param result What `streamText` returned.
 * @param onPart Called with each part, in order; what it throws ends the reading.
 * @returns The text of the last step. The result's other promises have their values by then.
 * @throws CancelledError – as a rejection: the token was cancelled. Whatever the model failed with – as a rejection.
 * TypeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationToken } from 'desist'
 * import { readResult } from 'desist/ai-sdk'
 *
 * // what streamText returns when it is stopped: a stream that simply ends
 * async function* parts() { yield { type: 'text-delta', text: 'Hel' }; yield { type: 'abort' } }
 * const result = { fullStream: parts(), text: Promise.resolve('Hel') }
 * await readResult(CancellationToken.alreadyCancelled('user'), result) // => throws AbortError
 * ```
 * @source AI SDK `streamText`
 * @since 0.1.0
 */
export async function readResult<P>(
  token: TokenLike | null | undefined,
  result: AIStreamResult<P>,
  onPart?: (part: P) => void | PromiseLike<void>,
): Promise<string> {
  const own = tokenOf(token);
  if (onPart !== undefined) requireFunction('onPart', onPart);
  if (typeof (result as Partial<AIStreamResult<P>> | null)?.fullStream !== 'object') {
    throw new TypeError(`result must be what streamText returns, got ${show(result)}`);
  }
  for await (const part of result.fullStream) {
    own.throwIfCancelled();
    const { type, error, reason } = part as { readonly type?: unknown; error?: unknown; reason?: unknown };
    if (type === 'error') throw error;
    if (type === 'abort') throw abortError(reason);
    await onPart?.(part);
  }
  own.throwIfCancelled();
  return await result.text;
}

/** Stopped, but not by the token: the SDK's own limits, or a signal beside it. It hands on the reason as text. */
function abortError(reason: unknown): Error {
  const error = new Error(typeof reason === 'string' ? reason : 'The stream was aborted');
  error.name = 'AbortError';
  return error;
}
