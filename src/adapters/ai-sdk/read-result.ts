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
 * What `streamObject` returns, as far as reading it goes.
 *
 * @since 0.1.0
 */
export interface AIObjectResult<P, O> {
  /** All parts of the stream. */
  readonly fullStream: AsyncIterable<P>;
  /** The object, once it is whole and fits its schema. */
  readonly object: PromiseLike<O>;
}

/**
 * Reads what `streamText` or `streamObject` returned. The SDK's own streams end normally when they are stopped, and when the model
 * failed; this rejects.
 *
 * @checkpoint always, with each part and after the last
 * @fairness A stop beats parts that were not read yet; what came before is in the turn's `partials`.
 * @cleanup The stream is left, and the model's call with it, when this settles.
 * @param token Whose stop: the turn's token.
 * @param result What `streamText` or `streamObject` returned.
 * @param onPart Called with each part, in order; what it throws ends the reading.
 * @returns The text of the last step, or the object. The result's other promises have their values by then.
 * @throws CancelledError – as a rejection: the token was cancelled. Whatever the model failed with, and the SDK's error of an
 * object that does not fit its schema – as a rejection.
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
 * @source AI SDK `streamText`, `streamObject`
 * @since 0.1.0
 */
export function readResult<P>(
  token: TokenLike | null | undefined,
  result: AIStreamResult<P>,
  onPart?: (part: P) => void | PromiseLike<void>,
): Promise<string>;
export function readResult<P, O>(
  token: TokenLike | null | undefined,
  result: AIObjectResult<P, O>,
  onPart?: (part: P) => void | PromiseLike<void>,
): Promise<O>;
export async function readResult<P>(
  token: TokenLike | null | undefined,
  result: AIStreamResult<P> | AIObjectResult<P, unknown>,
  onPart?: (part: P) => void | PromiseLike<void>,
): Promise<unknown> {
  const own = tokenOf(token);
  if (onPart !== undefined) requireFunction('onPart', onPart);
  // Read once: `streamObject` has one stream, and each look at the field takes it.
  const parts = (result as Partial<AIStreamResult<P>> | null)?.fullStream;
  if (typeof parts !== 'object') {
    throw new TypeError(`result must be what streamText or streamObject returns, got ${show(result)}`);
  }
  try {
    for await (const part of parts) {
      own.throwIfCancelled();
      const { type, error, reason } = part as { readonly type?: unknown; error?: unknown; reason?: unknown };
      if (type === 'error') throw error;
      if (type === 'abort') throw abortError(reason);
      await onPart?.(part);
    }
  } catch (error) {
    // The stream of an object fails with its stop, and with whatever error its provider makes of that.
    own.throwIfCancelled();
    throw error;
  }
  own.throwIfCancelled();
  return 'object' in result ? await result.object : await result.text;
}

/** Stopped, but not by the token: the SDK's own limits, or a signal beside it. It hands on the reason as text. */
function abortError(reason: unknown): Error {
  const error = new Error(typeof reason === 'string' ? reason : 'The stream was aborted');
  error.name = 'AbortError';
  return error;
}
