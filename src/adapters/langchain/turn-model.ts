/**
 * The chat model of a loop that LangChain or LangGraph owns, under a turn.
 * In the adapter's room beside the runnables; a model is one of them whose calls are model calls of the turn.
 *
 * @module
 */
import type { Turn } from '../../core/interrupt/handles.ts';
import { ToldMessages } from '../internal/told-messages.ts';
import { callUnderTurn, requireModelOptions, requireTurn, textOf, type Round } from '../internal/turn-call.ts';
import { TurnStream } from '../internal/turn-stream.ts';
import { HeardWords } from './heard-words.ts';
import { requireRunnable, withWays, type LangChainRunnable, type Runs } from './runnable.ts';

/**
 * Options of {@link turnModel}.
 *
 * @since 0.1.0
 */
export interface TurnModelOptions {
  /** Names the calls in reports; `model` by default. */
  readonly name?: string | undefined;
  /** Milliseconds without a chunk of the stream. */
  readonly idleMs?: number | undefined;
  /** Milliseconds a call may take to end after it was cut. */
  readonly graceMs?: number | undefined;
}

/** The messages in a model's input, of whatever kind it is. */
function messagesOf(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  const { toChatMessages } = (typeof input === 'object' && input !== null ? input : {}) as {
    readonly toChatMessages?: () => unknown[];
  };
  if (typeof toChatMessages === 'function') return toChatMessages.call(input);
  return [{ role: 'user', content: input }];
}

/** What a model is given in one round: its input, with what the user said meanwhile. */
function inputOf(input: unknown, round: Round, told: ToldMessages<unknown>): unknown {
  const messages = messagesOf(input);
  const fresh = round.news.map((message) => ({ role: 'user', content: textOf(message) }));
  const cut = fresh.length === 0 ? undefined : (round.cut as { readonly message?: unknown } | undefined)?.message;
  const all = told.with(messages, fresh, cut === undefined ? [] : [cut]);
  return all.length === messages.length ? input : all;
}

/**
 * Puts a chat model under a turn, for a chain, an agent or a graph that calls it: no call starts after a stop, what a
 * cut stream had said is in the turn's `partials`, and a message of the user reaches the model in its next call, or –
 * with delivery `now` – at once, in the same call.
 *
 * What it makes of itself (`bindTools`, `withStructuredOutput`) is under the turn too. Make one for each run of a graph:
 * it remembers what was told within that run, which the graph's state does not know.
 *
 * @checkpoint always, before each call and after it
 * @fairness What the model said before the stop is kept; what comes after it is not given out.
 * @cleanup Nothing is left of a call when it has ended.
 * @param turn The turn that runs the loop.
 * @param model A chat model; it is not changed.
 * @param options A name, an idle limit and a grace in milliseconds.
 * @returns The model, of the same type.
 * @throws TypeError, RangeError – not a turn, not a model, or an option that makes no sense. From a call:
 * CancelledError – the turn was cancelled; DeadlineExceededError – the idle limit passed.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { turnModel } from 'desist/langchain'
 *
 * // with the SDK: createReactAgent({ llm: turnModel(turn, new ChatOpenAI()), tools: guardTools(tools, { turn }) })
 * const model = { invoke: async (input: string, _config?: object) => ({ content: `re: ${input}` }) }
 * const report = await new InterruptController().runTurn((turn) => turnModel(turn, model).invoke('hello'))
 * report.unwrap() // => { content: 're: hello' }
 * ```
 * @source LangChain `BaseChatModel`
 * @since 0.1.0
 */
export function turnModel<M extends LangChainRunnable>(turn: Turn, model: M, options: TurnModelOptions = {}): M {
  requireTurn(turn);
  requireRunnable('model', model);
  requireModelOptions(options);
  const told = new ToldMessages<unknown>();
  const original = model as unknown as Runs;
  return withWays(model, {
    invoke: (input, config) =>
      callUnderTurn(
        turn,
        config?.signal,
        (round) => {
          const { signal, partial } = round;
          const callbacks = new HeardWords().listening(config?.callbacks, partial);
          return original.invoke(inputOf(input, round, told), { ...config, signal, callbacks });
        },
        options,
      ),
    async *_streamIterator(input, config) {
      let words = new HeardWords();
      const stream = new TurnStream<unknown>(
        turn,
        {
          signal: config?.signal,
          open: (round) => {
            words = new HeardWords();
            return original._streamIterator(inputOf(input, round, told), { ...config, signal: round.signal });
          },
          fold: (chunk) => words.add(chunk),
          onCut: () => [],
        },
        options,
      );
      yield* stream;
    },
  });
}
