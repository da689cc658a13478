/**
 * The chat model of a loop that LangChain or LangGraph owns, under a turn.
 *
 * @module
 */
import { messageText, type Turn } from '../../core/inside.ts';
import { rememberPairs } from '../../guard/langchain-results.ts';
import { Conversations, type ConversationCall } from '../internal/framework/conversations.ts';
import { ToldMessages } from '../internal/framework/told-messages.ts';
import { callUnderTurn, requireModelOptions, requireTurn, type Round } from '../internal/framework/turn-call.ts';
import { TurnStream } from '../internal/framework/turn-stream.ts';
import { HeardWords } from './heard-words.ts';
import { isFinalEvent, ModelEvents } from './model-events.ts';
import { PlacedChunks } from './placed-chunks.ts';
import { finalWordsOf, hasCalls, hasText, isInstruction, messageOfChunks, messageOfResult } from './replies.ts';
import {
  boundOf,
  isChatModel,
  requireRunnable,
  withBoundWays,
  withWays,
  type LangChainRunnable,
  type ModelRuns,
  type RunConfig,
  type Ways,
} from './runnable.ts';
import { withoutUnsignedThoughts } from './signed-thoughts.ts';

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

const conversations = new Conversations<unknown>(isInstruction);

/** What all model calls of one loop share. */
interface Loop {
  readonly turn: Turn;
  readonly told: ToldMessages<unknown>;
  readonly options: TurnModelOptions;
}

/** What a model is given in one round: its input, with what the user said meanwhile. */
function inputOf(input: unknown, round: Round, { told }: Loop, asking: ConversationCall<unknown>): unknown {
  const given = messagesOf(input);
  const messages = withoutUnsignedThoughts(given);
  const fresh = round.news.map(({ message }) => ({ role: 'user', content: messageText(message) }));
  const cut = fresh.length === 0 ? undefined : (round.cut as { readonly message?: unknown } | undefined)?.message;
  const all = told.with(messages, fresh, cut === undefined ? [] : [cut]);
  asking.asked(messages, all);
  return all.length === given.length && messages === given ? input : all;
}

/**
 * Whether the answer is to be one object, which a parser makes of all its pieces: by the setting that
 * `withStructuredOutput` leaves for whoever traces the call, or by the format that the provider was told. A model that
 * copies itself has them among its own settings.
 */
function isObjectAsked(model: object, config: RunConfig | undefined): boolean {
  const { defaultOptions } = model as { readonly defaultOptions?: object };
  const { ls_structured_output_format: structured, response_format: format } = { ...defaultOptions, ...config } as {
    readonly ls_structured_output_format?: unknown;
    readonly response_format?: { readonly type?: unknown };
  };
  return structured !== undefined || String(format?.type).startsWith('json');
}

/** Messages as this way to run takes them: all of them instances, by the rule of the model's own class. */
function coerced(model: object, messages: unknown[]): unknown[] {
  const made = model.constructor as {
    _convertInputToPromptValue?(input: unknown[]): { toChatMessages(): unknown[] };
  };
  return made._convertInputToPromptValue?.(messages).toChatMessages() ?? messages;
}

/** The ways to run of a model, and of each copy that it makes of itself. */
function waysOf(loop: Loop, original: ModelRuns): Ways {
  const { turn, options } = loop;
  const listening = ({ partial }: Round, config: RunConfig | undefined, callbacks = config?.callbacks): unknown =>
    new HeardWords(isObjectAsked(original, config)).listening(callbacks, partial);
  /** One call that answers whole; the client may stream behind it. */
  const whole = async <T>(
    config: RunConfig | undefined,
    call: (round: Round, asking: ConversationCall<unknown>) => T | PromiseLike<T>,
    messageOf: (answer: T) => unknown,
  ): Promise<T> => {
    const asking = conversations.call(turn);
    const wordsOf = (value: T): unknown => finalWordsOf(messageOf(value));
    const answer = await callUnderTurn(turn, config?.signal, (round) => call(round, asking), options, {
      wordsOf,
      isOfTool: () => asking.isOfTool,
    });
    asking.answered(messageOf(answer));
    return answer;
  };
  const ways = {
    invoke: (input: unknown, config?: RunConfig) =>
      whole(
        config,
        (round, asking) => {
          const callbacks = listening(round, config);
          return original.invoke(inputOf(input, round, loop, asking), { ...config, signal: round.signal, callbacks });
        },
        (message) => message,
      ),
    async *_streamIterator(input: unknown, config?: RunConfig) {
      const asking = conversations.call(turn);
      const isObject = isObjectAsked(original, config);
      let words = new HeardWords(isObject);
      const chunks: unknown[] = [];
      const placed = new PlacedChunks();
      const stream = new TurnStream<unknown>(
        turn,
        {
          signal: config?.signal,
          isOfTool: () => asking.isOfTool,
          open: (round) => {
            words = new HeardWords(isObject);
            chunks.length = 0;
            return placed.next(
              original._streamIterator(inputOf(input, round, loop, asking), { ...config, signal: round.signal }),
            );
          },
          fold: (chunk) => {
            chunks.push(chunk);
            return words.add(chunk);
          },
          onCut: () => [],
          onEnd: () => {
            const message = messageOfChunks(chunks);
            if (message !== undefined) asking.answered(message);
            return finalWordsOf(message);
          },
          // The reader puts the chunks together by their places: calls of two rounds would become one.
          isHeld: isObject ? undefined : hasCalls,
          isFinal: () => isObject && chunks.some((chunk) => hasCalls(chunk) || hasText(chunk)),
        },
        options,
      );
      yield* stream;
    },
  };
  if (!isChatModel(original)) return ways;
  const modelWays = {
    ...ways,
    // Several prompts at once are asked as they are: a message is told in the next call.
    generate: (messages: unknown[][], config?: RunConfig, callbacks?: unknown) =>
      whole(
        config,
        (round, asking) => {
          const asked = messages.length === 1 ? [inputOf(messages[0], round, loop, asking) as unknown[]] : messages;
          const own = { ...config, signal: round.signal };
          return original.generate(asked, own, listening(round, config, config?.callbacks ?? callbacks));
        },
        messageOfResult,
      ),
    _streamChatModelEvents: (messages: unknown[], config: RunConfig, ...rest: unknown[]) => {
      const asking = conversations.call(turn);
      const events = new ModelEvents();
      let words = new HeardWords();
      return new TurnStream<unknown>(
        turn,
        {
          signal: config.signal,
          isOfTool: () => asking.isOfTool,
          open: (round) => {
            words = new HeardWords();
            const asked = coerced(original, inputOf(messages, round, loop, asking) as unknown[]);
            const source = original._streamChatModelEvents(asked, { ...config, signal: round.signal }, ...rest);
            return events.next(source, round);
          },
          fold: (event) => words.addEvent(event),
          onCut: () => events.close(),
          onEnd: () => {
            const { message } = events;
            if (message !== undefined) asking.answered(message);
            return finalWordsOf(message);
          },
          isHeld: isFinalEvent,
        },
        options,
      );
    },
  };
  return modelWays;
}

/**
 * The messages of a loop so far – what it was given, finished steps, results of their tools – and the model's last answer, if
 * it came whole; also what the model was not shown of them. A turn that was stopped hands back none of this. What a cut call had said is in the report's `partials`, what tools did in its `calls`;
 * `settleTurn` puts all of it together.
 *
 * @checkpoint never
 * @param turn The turn that ran the loop; also after it has ended.
 * @param messages What the loop was given.
 * @returns Those messages, and what has come since; as they are if the loop did not get as far as to call its model, and
 * without what tools that are agents themselves were asked. Without `messages`: what a model of this turn was asked last,
 * without instructions of the system; empty if none was called.
 * @throws TypeError – not a turn, or not a list.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { messagesSoFar, turnModel } from 'desist/langchain'
 *
 * const model = { invoke: async (_input: object[], _config?: object) => ({ role: 'assistant', content: 'hi' }) }
 * const report = await new InterruptController().runTurn(async (turn) => {
 *   const messages = [{ role: 'user', content: 'hello' }]
 *   await turnModel(turn, model).invoke(messages)
 *   return messagesSoFar(turn, messages).length
 * })
 * report.unwrap() // => 2
 * ```
 * @since 0.1.0
 */
export function messagesSoFar(turn: Turn, messages?: readonly unknown[]): unknown[] {
  return conversations.of(turn, messages);
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
 * CancelledError – the turn was cancelled; DeadlineExceededError – the idle limit passed; InterjectedError – a message cut a streamed object.
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
  const loop: Loop = { turn, told: new ToldMessages(), options };
  const make = (original: object): Ways => waysOf(loop, original as ModelRuns);
  const heard = (name: string, [tools]: readonly unknown[]): void => {
    if (name === 'bindTools') rememberPairs(turn, tools);
  };
  const bound = boundOf(model);
  // Of a binding the model itself: prebuilt agents take it out, and bind it anew.
  return bound !== undefined && isChatModel(bound)
    ? withBoundWays(model, bound, make, heard)
    : withWays(model, make, heard);
}
