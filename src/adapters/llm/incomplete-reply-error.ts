/**
 * The error of a stream that ended before its reply did. Prior art: Node's `ERR_STREAM_PREMATURE_CLOSE`.
 *
 * @module
 */
import { BaseError, isObject } from '../../core/inside.ts';

/**
 * A stream ended by itself, and the provider had not said that the reply was complete: a proxy, or a server that fell
 * over, closed it cleanly; or the provider said that it failed. Thrown only where `requireComplete` asks for it.
 *
 * @param partial What had come.
 * @example
 * ```ts
 * import { foldOpenAIChat, readStream } from 'desist/llm'
 *
 * async function* chunks() { yield { choices: [{ delta: { content: 'Hel' } }] } }
 * await readStream(null, () => chunks(), { fold: foldOpenAIChat, requireComplete: true }) // => throws IncompleteReplyError
 * ```
 * @since 0.1.0
 */
export class IncompleteReplyError extends BaseError {
  /** What had come by then: the fold's value. */
  readonly partial: unknown;

  constructor(partial: unknown) {
    super(['The stream ended before the reply was complete', ...failureIn(partial)].join(': '));
    this.name = 'IncompleteReplyError';
    this.partial = partial;
  }
}

/** What the provider said of its failure, where it did. */
function failureIn(partial: unknown): readonly string[] {
  const error = isObject(partial) ? partial['error'] : undefined;
  const said = isObject(error) ? [error['code'], error['message']] : [error];
  return said.filter((word): word is string => typeof word === 'string' && word !== '');
}
