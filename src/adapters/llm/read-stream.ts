/**
 * A whole model call as one value, with every state on the way.
 *
 * @module
 */
import { type OptionNames, requireFunction, requireOptions, type TokenLike } from '../../core/inside.ts';
import { streamNames, streamOf, type CancellableStreamOptions, type OpenStream } from './cancellable-stream.ts';
import type { StreamFold } from './folds/fold.ts';

/**
 * Options of {@link readStream}.
 *
 * @since 0.1.0
 */
export interface ReadStreamOptions<E, R> extends CancellableStreamOptions<E, R> {
  /** Makes the fold that builds the value, for example `foldAnthropic`. */
  readonly fold: () => StreamFold<NoInfer<E>, R>;
  /**
   * Called after each event with what has come so far and the event itself. Give it a turn's `partial`, and a cut turn
   * keeps what the model had said.
   */
  readonly onProgress?: ((value: R, event: NoInfer<E>) => void) | undefined;
}

const optionNames: OptionNames<ReadStreamOptions<unknown, unknown>> = { onProgress: 1, ...streamNames };

/**
 * Reads a stream to its end and returns what the fold made of it. A cut rejects; what had come by then was given to
 * `onProgress`, and to `onCut`.
 *
 * @checkpoint always, before and at every event
 * @fairness As `cancellableStream`.
 * @cleanup As `cancellableStream`; what `onProgress` throws leaves the stream and rejects.
 * @param token Whose stop.
 * @param open Gets the call's signal; returns the stream, or a promise of it.
 * @param options The fold, progress, limits in milliseconds.
 * @returns The fold's last value.
 * @throws CancelledError – as a rejection: the token was cancelled. DeadlineExceededError – as a rejection: a limit of
 * this call passed. IncompleteReplyError – as a rejection: the source ended early, and `requireComplete` was asked for.
 * TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { foldOpenAIChat, readStream } from 'desist/llm'
 *
 * async function* chunks() {
 *   yield { choices: [{ delta: { content: 'Hel' } }] }
 *   yield { choices: [{ delta: { content: 'lo' }, finish_reason: 'stop' }] }
 * }
 * const reply = await readStream(undefined, () => chunks(), { fold: foldOpenAIChat })
 * reply.text // => 'Hello'
 * reply.isComplete // => true
 * ```
 * @since 0.1.0
 */
export async function readStream<E, R>(
  token: TokenLike | null | undefined,
  open: OpenStream<E>,
  options: ReadStreamOptions<E, R>,
): Promise<R> {
  requireOptions(options, optionNames);
  const { onProgress, fold } = options;
  requireFunction('fold', fold);
  if (onProgress !== undefined) requireFunction('onProgress', onProgress);
  const stream = streamOf(token, open, options);
  for await (const event of stream) onProgress?.(stream.partial, event);
  return stream.partial;
}
