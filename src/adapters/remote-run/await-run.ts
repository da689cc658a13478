/**
 * Waits for a run on another machine under a token: the blocking call of a client whose cancel is a request of its own.
 * Prior art: `tasks/cancel` of MCP, `CancelTask` of A2A, the cancel of a LangGraph run.
 *
 * @module
 */
import {
  type CancellationToken,
  type LateOutcome,
  type OptionNames,
  requireFunction,
  requireOneOf,
  requireOptions,
  type TokenLike,
} from '../../core/inside.ts';
import { callRemote, DEFAULT_NAME_MS } from '../internal/remote-work/call-remote.ts';
import { type RemoteEnd, requireRemote } from '../internal/remote-work/remote-words.ts';

export type { RemoteEnd } from '../internal/remote-work/remote-words.ts';

/**
 * What the function that starts a run, or attaches to one, is given.
 *
 * @since 0.1.0
 */
export interface RunContext {
  /**
   * For the client's own request. It does *not* fire with the stop: what is read on may be the name of the run. It fires
   * when the stop is over, with a reason that says nothing to anybody.
   */
  readonly signal: AbortSignal;
  /**
   * Says the name of the run, as soon as the other side has told it; said again, it changes nothing.
   */
  readonly named: (id: string) => void;
  /** Feeds `idleMs`. */
  readonly progress: () => void;
  /** The call's token, with the real reason; stays on this side. */
  readonly token: CancellationToken;
}

/**
 * How a run is cancelled, for whoever waits for it.
 *
 * @since 0.1.0
 */
export interface RunOptions {
  /**
   * Asks the other side to cancel the run: called at most once, and never for a run that is then known to have ended. After
   * the stop, or the name, it waits for a turn of the event loop that brings nothing more, so that what has arrived counts,
   * but at most for half of the grace or half a second. If it rejects, that is a refusal, and the run is waited for until
   * the grace is over.
   */
  readonly cancel: (id: string, context: { readonly signal: AbortSignal }) => unknown;
  /**
   * What the answer to `cancel` means: `'answer'`, the default, that the run is over; `'end'` that the request was
   * heard, and the run is over when it says so itself. A request that breaks then says nothing: the run is `abandoned`.
   */
  readonly until?: 'answer' | 'end' | undefined;
  /** The name of the run, to attach to one that is there already. */
  readonly id?: string | undefined;
  /**
   * Told of the name, once: where to keep it for a process that is started again. What it throws, now or later, is
   * reported as that of any callback, and the run goes on.
   */
  readonly onNamed?: ((id: string) => unknown) | undefined;
  /** Milliseconds that the run may take to stop, 1,000 by default. */
  readonly graceMs?: number | undefined;
  /** Milliseconds for all of it. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds without an event, or without `progress()`. */
  readonly idleMs?: number | undefined;
  /**
   * Milliseconds that a run without a name is listened to after its grace, 30,000 by default: if the name comes, the run
   * is cancelled after all. The caller does not wait for that.
   */
  readonly nameMs?: number | undefined;
  /** Names the run in errors and reports, before its id; `remote run` by default. */
  readonly name?: string | undefined;
}

/**
 * Options of {@link awaitRun}.
 *
 * @since 0.1.0
 */
export interface AwaitRunOptions<R> extends RunOptions {
  /**
   * What a result says of the run: many clients *resolve* with a run that was cancelled. Without it a result that comes
   * after an accepted cancel counts as that of a cancelled run.
   */
  readonly endOf?: ((result: R) => RemoteEnd | undefined) | undefined;
  /** Told what a run that had to be left behind did in the end. */
  readonly onLateSettle?: ((outcome: LateOutcome<R>) => void) | undefined;
}

/** What the engine is told of a run, from what its caller said. */
export function remoteOptions(options: RunOptions): {
  readonly cancel: RunOptions['cancel'];
  readonly until: 'answer' | 'end';
  readonly id: string | undefined;
  readonly onNamed: ((id: string) => unknown) | undefined;
  readonly nameMs: number;
  readonly name: string;
} {
  const { cancel, until = 'answer', id, onNamed, nameMs = DEFAULT_NAME_MS, name = 'remote run' } = options;
  requireOneOf('until', until, ['answer', 'end']);
  const remote = { cancel, until, id, onNamed, nameMs, name };
  requireRemote(remote);
  return remote;
}

/** The names of the options that every run has. */
export const runOptionNames: OptionNames<RunOptions> = {
  ...{ cancel: 1, until: 1, id: 1, onNamed: 1, graceMs: 1, timeoutMs: 1, idleMs: 1, nameMs: 1, name: 1 },
};

const optionNames: OptionNames<AwaitRunOptions<unknown>> = { ...runOptionNames, endOf: 1, onLateSettle: 1 };

/**
 * Waits for a run that has a name on another machine, and stops it there.
 *
 * A client that is given a token's signal ends its request, and the run goes on. Here a stop asks the other side, once,
 * by the run's name – waiting for the name if there is none yet – and waits for the answer within the grace. A side that
 * does not answer is left behind: the error's `abandoned` names the run with its id, and its work may go on.
 *
 * A request that fails while nobody wants a stop is that failure, and says nothing of the run: it may go on under the
 * name that `onNamed` was told. Attach to it again with `id`, or end it with {@link cancelRun}.
 *
 * @checkpoint always, before; `work` is not called if the token is cancelled
 * @fairness A result that says by `endOf` that the run was completed beats every stop, also behind the answer to `cancel`: it has
 * half of what is left of the grace. So does one after a cancel that the
 * other side refused. A failure beats only a stop that comes behind it: after that a client rejects with a run that was
 * cancelled as with one that failed, and the answer to `cancel` decides; a run without a name is `abandoned`. A client that
 * resolves with it says so by `endOf`. With `until: 'end'` no answer decides, and such a run is `abandoned` too.
 * @cleanup Nothing of the call is left on the token when the promise settles; requests that are still open are aborted.
 * @param token Whose stop.
 * @param work Starts the run, or attaches to it, and resolves with its result.
 * @param options How to cancel the run; grace and limits in milliseconds.
 * @returns The result of the run.
 * @throws CancelledError – as a rejection: the token was cancelled; with `abandoned`, the name and id of the run, if it
 * may go on. DeadlineExceededError – as a rejection: a limit of this call passed; the run is cancelled likewise.
 * TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { awaitRun } from 'desist/remote-run'
 *
 * const stop = new CancellationTokenSource()
 * const told: string[] = []
 * // with the SDK of LangGraph, whose `runs.wait` says the name only with the result: `client.runs.create`, `named`, `client.runs.join`
 * const work = ({ named }: { named: (id: string) => void }) => {
 *   named('run-1')
 *   stop.cancel('user')
 *   return new Promise<never>(() => {})
 * }
 * await awaitRun(stop.token, work, { cancel: (id) => told.push(id) }).catch((error) => error.name) // => 'AbortError'
 * told // => ['run-1']
 * ```
 * @source A2A `CancelTask`; LangGraph `runs.cancel`
 * @since 0.1.0
 */
export async function awaitRun<R>(
  token: TokenLike | null | undefined,
  work: (context: RunContext) => R | PromiseLike<R>,
  options: AwaitRunOptions<R>,
): Promise<R> {
  requireFunction('work', work);
  requireOptions(options, optionNames);
  const { endOf, graceMs, timeoutMs, idleMs, onLateSettle } = options;
  if (endOf !== undefined) requireFunction('endOf', endOf);
  return await callRemote(
    token,
    ({ signal, named }, context) =>
      work({
        signal,
        named,
        token: context.token,
        progress: () => {
          context.progress();
        },
      }),
    { ...remoteOptions(options), endOf, mayOvertake: endOf !== undefined },
    { graceMs, timeoutMs, idleMs, onLateSettle },
  );
}
