/**
 * The error of a stream that ended before its reply did. Prior art: Node's `ERR_STREAM_PREMATURE_CLOSE`.
 *
 * @module
 */
import { BaseError } from '../../core/inside.ts';

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

type Failure = Readonly<Record<'code' | 'message', unknown>>;

/** What the provider said of its failure, where it did. */
function failureIn(partial: unknown): readonly string[] {
  const { code, message } = ((partial as { readonly error?: unknown } | undefined)?.error ?? {}) as Partial<Failure>;
  return [code, message].filter((word): word is string => typeof word === 'string' && word !== '');
}
