/**
 * Reads the events of a run on another machine under a token: on after a stop, for its last words and the name of a run
 * that has none yet. Prior art: A2A's message stream, LangGraph's run stream.
 *
 * @module
 */
import {
  type OptionNames,
  requireFunction,
  requireOneOf,
  requireOpener,
  requireOptions,
  type TokenLike,
} from '../../core/inside.ts';
import { type RunContext, type RunOptions, remoteOptions, type RemoteEnd, runOptionNames } from './await-run.ts';
import { FollowedRun } from './followed-run.ts';
import type { RunEnd } from './run-end.ts';

/**
 * Opens the events of a run: starts it, or attaches to one that is there.
 *
 * @since 0.1.0
 */
export type OpenRun<E> = (context: RunContext) => AsyncIterable<E> | PromiseLike<AsyncIterable<E>>;

/**
 * Options of {@link followRun}.
 *
 * @since 0.1.0
 */
export interface FollowRunOptions<E> extends RunOptions {
  /** The name of the run, where an event says it. */
  readonly idOf?: ((event: E) => string | null | undefined) | undefined;
  /**
   * What an event says of the end of the run, `undefined` for all but its last. With it no finished run is cancelled, and
   * the reading ends with the run also where the connection stays open.
   */
  readonly endOf?: ((event: E) => RemoteEnd | undefined) | undefined;
  /** What it means when the reader leaves – `break`, an error in the loop: `cancel`, the default, or `keep` the run. */
  readonly onLeave?: 'cancel' | 'keep' | undefined;
}

/**
 * The events of a run, to be read once with `for await`.
 *
 * @since 0.1.0
 */
export interface RemoteRun<E> extends AsyncIterator<E, undefined>, AsyncIterable<E> {
  /** The name of the run, as soon as it is known. */
  readonly id: string | undefined;
  /** What became of the run, as far as it is known here; never rejects. Pending while nobody has read. */
  readonly closed: Promise<RunEnd>;
  /** Leaves the run: cancels it, or keeps it, as `onLeave` says. */
  return(): Promise<IteratorResult<E, undefined>>;
  /** The same as `return()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const optionNames: OptionNames<FollowRunOptions<unknown>> = { ...runOptionNames, endOf: 1, idOf: 1, onLeave: 1 };

/**
 * Reads the events of a run that goes on elsewhere, and stops it there.
 *
 * A client that is given a token's signal drops the connection, and the run goes on. Here a stop asks the other side,
 * once, by the run's name – waiting for the name if there is none yet. What has arrived by then is read first, however far
 * behind the reader is, in half of the grace at most: a run whose end was read hears nothing. The events are read on until they end, since the answer may
 * overtake the last of them; then the loop ends with the token's error. Where they do not end after the answer, the loop
 * does so in half of what is left of the grace. A side that does not answer within the grace is left behind: the error's
 * `abandoned` names the run with its id.
 *
 * A connection that breaks while nobody wants a stop is that failure and no cancel: the run goes on under `id`. Attach to
 * it again – `open` that joins, with `id` in the options – or end it with {@link cancelRun}.
 *
 * Nothing happens before the first read; then `open` is called once. One event is read ahead, so that the end is known. An
 * event that `idOf` or `endOf` cannot read is the last: the connection is closed.
 *
 * @checkpoint always, at the first read
 * @fairness A run that says by `endOf` that it was completed beats every stop: the loop ends normally.
 * @cleanup Nothing of the run is left on the token when it is over; the connection is closed.
 * @param token Whose stop.
 * @param open Starts the run or attaches to it; its signal fires when the stop is over, not when it begins.
 * @param options How to cancel the run; where its name and its end are read; grace and limits in milliseconds.
 * @returns The events.
 * @throws CancelledError – from a read: the token was cancelled; with `abandoned`, the name and id of the run, if it may
 * go on. DeadlineExceededError – from a read: a limit of this run passed; it is cancelled likewise. TypeError,
 * RangeError – arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { followRun } from 'desist/remote-run'
 *
 * const stop = new CancellationTokenSource()
 * const told: string[] = []
 * async function* events() {
 *   yield { run: 'run-1', state: 'working' }
 *   stop.cancel('user')
 *   while (told.length === 0) await new Promise((resolve) => setTimeout(resolve))
 *   yield { run: 'run-1', state: 'cancelling' }
 * }
 * const how = { cancel: (id: string) => told.push(id), idOf: (event: { run: string }) => event.run, until: 'end' } as const
 * const run = followRun(stop.token, () => events(), how)
 * const states: string[] = []
 * try {
 *   for await (const { state } of run) states.push(state)
 * } catch (error) {
 *   states.push((error as Error).name)
 * }
 * states // => ['working', 'cancelling', 'AbortError']
 * told // => ['run-1']
 * ```
 * @source A2A `SendStreamingMessage`, `CancelTask`; LangGraph `runs.stream`
 * @since 0.1.0
 */
export function followRun<E>(
  token: TokenLike | null | undefined,
  open: OpenRun<E>,
  options: FollowRunOptions<E>,
): RemoteRun<E> {
  requireOpener('open', open);
  requireOptions(options, optionNames);
  const { idOf, endOf } = options;
  const onLeave = requireOneOf('onLeave', options.onLeave ?? 'cancel', ['cancel', 'keep']);
  if (idOf !== undefined) requireFunction('idOf', idOf);
  if (endOf !== undefined) requireFunction('endOf', endOf);
  return new FollowedRun(token, open, { ...options, remote: remoteOptions(options), onLeave });
}
