/**
 * The error of a streamed answer that a message cut and that could not begin anew. Prior art: none; SDKs put the two
 * halves together.
 *
 * @module
 */
import { BaseError, type CancelReason } from '../../../core/inside.ts';

/**
 * A message with delivery `now` cut a streamed answer that is one object – JSON, or the arguments of a call that stands for
 * it – after the first piece of it had been given out. What comes next would not be the rest of it, so the stream fails.
 *
 * The message still waits: ask the model again in the same turn, and it is told.
 *
 * @param reason Of kind `interjection`.
 * @example
 * ```ts
 * import { InterjectedError } from 'desist/ai-sdk'
 *
 * const ask = async () => { throw new InterjectedError({ kind: 'interjection', message: 'A message', at: 0 }) }
 * const again = await ask().catch((error) => error instanceof InterjectedError)
 * again // => true
 * ```
 * @since 0.1.0
 */
export class InterjectedError extends BaseError {
  /** Why it was cut; its kind is `interjection`. */
  readonly reason: CancelReason;

  constructor(reason: CancelReason) {
    super('A message cut the answer, and a part of it had been given out');
    this.name = 'InterjectedError';
    this.reason = reason;
  }
}
