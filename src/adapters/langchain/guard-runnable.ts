/**
 * Runnables of LangChain and nodes of LangGraph under a turn: nothing starts after a stop, and what is deaf is left
 * behind within its grace. Prior art: LangChain's `raceWithSignal`, which leaves, and does not wait or name.
 *
 * @module
 */
import {
  type CancelContext,
  type CancellationToken,
  createCancelledError,
  type OptionNames,
  type OptionsOnly,
  requireFunction,
  requireMs,
  requireOptions,
  requireTurn,
  type Turn,
  withCancellation,
} from '../../core/inside.ts';
import { GuardedStream } from './guarded-stream.ts';
import { OpenWork } from './open-work.ts';
import {
  boundOf,
  isChatModel,
  requireRunnable,
  tokenOfRun,
  withWays,
  type LangChainRunnable,
  type ModelRuns,
  type RunConfig,
  type Ways,
  type WaysOf,
} from './runnable.ts';

/**
 * Options of {@link guardRunnable} and {@link guardNode}.
 *
 * @since 0.1.0
 */
export interface GuardRunnableOptions extends OptionsOnly {
  /** The turn it works for, next to the signal in its config. */
  readonly turn?: Omit<Turn, 'model'> | undefined;
  /**
   * Milliseconds it may take to end after the stop. By default whoever awaits it waits 1,000, and the turn as long as for
   * its other calls.
   */
  readonly graceMs?: number | undefined;
  /** Names it in the error that says what was left behind; by default its own name. */
  readonly name?: string | undefined;
}

interface Streams {
  stream(...args: unknown[]): unknown;
  streamEvents(...args: unknown[]): unknown;
}

const optionNames: OptionNames<GuardRunnableOptions> = { turn: 1, graceMs: 1, name: 1 };

function checked(options: GuardRunnableOptions): GuardRunnableOptions {
  requireOptions(options, optionNames);
  const { turn, graceMs } = options;
  if (graceMs !== undefined) requireMs('graceMs', graceMs, 'infinity-allowed');
  if (turn !== undefined) requireTurn(turn);
  return options;
}

function nameOf(value: object, own: string | undefined): string {
  const { name } = value as { readonly name?: unknown };
  return own ?? (typeof name === 'string' && name !== '' ? name : 'runnable');
}

/**
 * Runs it. What it returns after it was told to stop may be half of an answer – some models just end – so it is not
 * given out as one: it is in the error, as `completed`.
 */
async function runGuarded<T>(
  token: CancellationToken,
  work: (context: CancelContext) => T | PromiseLike<T>,
  { turn, kind, ...options }: GuardRunnableOptions & { readonly kind: string; readonly name: string },
): Promise<T> {
  token.throwIfCancelled();
  let whole: Promise<T> | undefined;
  const running = withCancellation(
    token,
    (context) => {
      whole = (async () => {
        const value = await work(context);
        const { reason } = context.token;
        if (reason !== undefined) throw createCancelledError(reason, { completed: { value } });
        return value;
      })();
      return whole;
    },
    options,
  );
  if (turn === undefined || whole === undefined) return await running;
  // The SDK leaves it with the stop: that the turn waits for it, and names it, is the turn's own affair. Without a grace
  // of its own it has that of the turn, which then names it in later stops too, until it has ended.
  void turn.track({ kind, name: options.name }, options.graceMs === undefined ? whole : running);
  return await running;
}

/**
 * A runnable that obeys Stop: `invoke`, `batch`, `stream`, `streamEvents` and `transform`, and whatever it makes of itself.
 *
 * The SDK's own rejects at once and lets the work run on unnamed, and its `batch` with a `maxConcurrency` goes on to
 * start items after the stop. Here nothing starts, the work is told by its own signal and has its grace, and work that
 * ignores it is named by the error, and by the turn. A read of a stream rejects at once; its source is waited for by the
 * turn. Functions inside chains and maps are waited for too, those of tools and graphs are not: guard them themselves.
 *
 * @checkpoint always, before each run and each item of a batch
 * @fairness A result that was there before the stop beats it. What comes after it may be half of an answer, because some
 * models just end: it is the error's `completed`.
 * @cleanup Nothing is left on the turn or the signal when a run has settled.
 * @param runnable A chain, a model, a tool, a compiled graph; it is not changed.
 * @param options A turn, a grace in milliseconds, a name.
 * @returns The runnable, of the same type.
 * @throws TypeError, RangeError – nothing in it can be invoked, or an option that makes no sense. From a run:
 * CancelledError – the turn or the signal was stopped.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { guardRunnable } from 'desist/langchain'
 *
 * const stop = new CancellationTokenSource()
 * // with the SDK: guardRunnable(RunnableLambda.from(fetchPage)).batch(urls, { signal: turn.signal, maxConcurrency: 2 })
 * const double = guardRunnable({ invoke: async (n: number, _config?: { signal?: AbortSignal }) => n * 2 })
 * await double.invoke(4, { signal: stop.signal }) // => 8
 * stop.cancel('user')
 * await double.invoke(4, { signal: stop.signal }) // => throws AbortError
 * ```
 * @source LangChain `Runnable`
 * @since 0.1.0
 */
export function guardRunnable<R extends LangChainRunnable>(runnable: R, options: GuardRunnableOptions = {}): R {
  requireRunnable('runnable', runnable);
  const label = nameOf(runnable, checked(options).name);
  return withWays(runnable, (made) => waysOf(made as ModelRuns, label, options));
}

function waysOf(original: ModelRuns, label: string, options: GuardRunnableOptions): Ways {
  const { turn, graceMs } = options;
  const streamed = (config: RunConfig | undefined, open: (runs: ModelRuns, own: RunConfig) => AsyncIterable<unknown>) =>
    new GuardedStream({ turn, token: tokenOfRun(turn?.token, config), name: label, graceMs }, (signal, work) =>
      open(work.heard(original), { ...config, signal }),
    );
  const ways: Ways = {
    invoke: (input, config) =>
      runGuarded(
        tokenOfRun(turn?.token, config),
        async ({ token, signal }) => {
          const work = new OpenWork(token);
          try {
            return await work.heard(original).invoke(input, { ...config, signal });
          } finally {
            await work.ended();
          }
        },
        { turn, kind: 'runnable', graceMs, name: label },
      ),
    _streamIterator: (input, config) => streamed(config, (runs, own) => runs._streamIterator(input, own)),
    transform: (input, config) => streamed(config, (runs, own) => runs.transform(input, own)),
  };
  if (isChatModel(original)) {
    return {
      ...ways,
      _streamChatModelEvents: (messages, config, ...rest) =>
        streamed(config, (runs, own) => runs._streamChatModelEvents(messages, own, ...rest)),
    };
  }
  return { ...ways, ...boundStreams(original, (bound) => waysOf(bound as ModelRuns, label, options)) };
}

/** A binding hands what streams over to what it binds, and comes by none of its own ways. */
function boundStreams(original: object, make: WaysOf): object {
  const bound = boundOf(original);
  if (bound === undefined) return {};
  const view = Object.create(original, { bound: { value: withWays(bound, make) } }) as Streams;
  return {
    stream: (...args: unknown[]) => view.stream(...args),
    streamEvents: (...args: unknown[]) => view.streamEvents(...args),
  };
}

/**
 * A node of a graph – or any function that is given a config last – that obeys Stop: it does not start after one, gets a
 * signal of its own in its config, and is left behind when it is deaf.
 *
 * @checkpoint always, before
 * @fairness A result that was there before the stop beats it; what comes after it is the error's `completed`.
 * @param node The function.
 * @param options A turn, a grace in milliseconds, a name.
 * @returns A function of the same type.
 * @throws TypeError, RangeError – not a function, or an option that makes no sense. From a call: CancelledError – the
 * turn or the signal was stopped.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { guardNode } from 'desist/langchain'
 *
 * const stop = new CancellationTokenSource()
 * // with the SDK: new StateGraph(State).addNode('plan', guardNode(plan, { turn }))
 * const plan = guardNode(async (state: { goal: string }, _config: { signal?: AbortSignal }) => ({ steps: [state.goal] }))
 * await plan({ goal: 'ship' }, { signal: stop.signal }) // => { steps: ['ship'] }
 * stop.cancel('user')
 * await plan({ goal: 'ship' }, { signal: stop.signal }) // => throws AbortError
 * ```
 * @source LangGraph `StateGraph.addNode`
 * @since 0.1.0
 */
export function guardNode<S, C, R>(
  node: (state: S, config: C) => R | PromiseLike<R>,
  options: GuardRunnableOptions = {},
): (state: S, config: C) => Promise<R> {
  requireFunction('node', node);
  const { turn, graceMs, name } = checked(options);
  const label = nameOf(node, name);
  return async (state, config) => {
    const given = config as RunConfig | undefined;
    return await runGuarded(
      tokenOfRun(turn?.token, given),
      async ({ signal }) => await node(state, { ...given, signal } as C),
      { turn, kind: 'node', graceMs, name: label },
    );
  };
}
