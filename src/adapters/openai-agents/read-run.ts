/**
 * Waits for a run of OpenAI Agents, whole or streamed, and tells a stop from its end.
 *
 * @module
 */
import {
  classify,
  errorOf,
  isObject,
  requireFunction,
  show,
  type Token,
  type TokenLike,
  tokenOf,
} from '../../core/inside.ts';

/**
 * What a streamed run is, as far as reading it goes.
 *
 * @since 0.1.0
 */
export interface AgentsStream<E> extends AsyncIterable<E> {
  /** Resolves at the end, also of a stopped run. */
  readonly completed: PromiseLike<unknown>;
  /** Whether the run was stopped. */
  readonly cancelled: boolean;
}

/** The events of a streamed run; a whole one has none. */
type EventOf<R> = R extends AgentsStream<infer E> ? E : never;

function isStream(result: object): result is AgentsStream<unknown> {
  return Symbol.asyncIterator in result && 'completed' in result;
}

/** Whether an error is the token's stop, also inside the error that the SDK makes of a tool's. */
function isStopOf(token: Token, error: unknown): boolean {
  const { reason } = token;
  const inner = (error as { readonly error?: unknown } | null | undefined)?.error;
  const isStop = (each: unknown): boolean => classify(each, token).reason === reason;
  return reason !== undefined && (isStop(error) || (inner !== undefined && isStop(inner)));
}

/**
 * Waits for what `run()` returned. A streamed run is read to its end first.
 *
 * @checkpoint always, with each event and after the last
 * @fairness A stop beats events that were not read yet. A failure that raced the stop stays that failure.
 * @cleanup A stream is left, and its run with it, when this settles.
 * @param token Whose stop: the turn's token.
 * @param running What `run()` returned, or the promise.
 * @param onEvent Called with each event of a streamed run, in order; what it throws ends the reading.
 * @returns The result, whose `finalOutput` can be read by then.
 * @throws CancelledError – as a rejection: the token was cancelled. Whatever the run failed with – as a rejection.
 * TypeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { readRun } from 'desist/openai-agents'
 *
 * const stop = new CancellationTokenSource()
 * // with the SDK: await readRun(turn.token, run(agent, 'go', { signal: turn.signal }))
 * const { finalOutput } = await readRun(stop.token, Promise.resolve({ finalOutput: 'done' }))
 * finalOutput // => 'done'
 * ```
 * @source OpenAI Agents `StreamedRunResult`
 * @since 0.1.0
 */
export async function readRun<R extends object>(
  token: TokenLike | null | undefined,
  running: R | PromiseLike<R>,
  onEvent?: (event: EventOf<R>) => void | PromiseLike<void>,
): Promise<R> {
  const own = tokenOf(token);
  if (onEvent !== undefined) requireFunction('onEvent', onEvent);
  try {
    const result = await running;
    if (!isObject(result)) throw new TypeError(`running must be a run, got ${show(result)}`);
    if (isStream(result)) {
      for await (const event of result) {
        own.throwIfCancelled();
        await onEvent?.(event as EventOf<R>);
      }
      await result.completed;
      own.throwIfCancelled();
      if (result.cancelled || hasNoEnd(result)) throw stoppedElsewhere();
    }
    own.throwIfCancelled();
    return result;
  } catch (error) {
    throw isStopOf(own, error) ? errorOf(own) : error;
  }
}

/** A stream of the SDK ends without an error where something of it was aborted: with no output, and nobody is asked. */
function hasNoEnd(result: object): boolean {
  if (!('finalOutput' in result)) return false;
  const { interruptions } = result as { readonly interruptions?: readonly unknown[] };
  return (interruptions ?? []).length === 0 && result.finalOutput === undefined;
}

/** Stopped, but not by the token: by the signal of somebody else, or a reader that left. */
function stoppedElsewhere(): Error {
  const error = new Error('The run was aborted');
  error.name = 'AbortError';
  return error;
}
