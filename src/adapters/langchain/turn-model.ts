/**
 * The chat model of a loop that LangChain or LangGraph owns, under a turn.
 *
 * @module
 */
import { messageText, type OptionNames, type OptionsOnly, requireTurn, type Turn } from '../../core/inside.ts';
import { rememberPairs } from '../../guard/results/langchain-results.ts';
import { LoopRecord, type CallRecord } from '../internal/framework/loop-record.ts';
import { ToldMessages } from '../internal/framework/told-messages.ts';
import { isMarked, markOf } from '../internal/framework/turn-mark.ts';
import { callUnderTurn, requireModelOptions, type Round } from '../internal/framework/turn-call.ts';
import { TurnStream } from '../internal/framework/turn-stream.ts';
import { CallIds } from './messages/call-ids.ts';
import { HeardWords } from './messages/heard-words.ts';
import { callIdsIn, langChainMessages, messagesOf } from './messages/loop-messages.ts';
import { isFinalEvent, ModelEvents } from './messages/model-events.ts';
import { PlacedChunks } from './messages/placed-chunks.ts';
import { cutReply, finalWordsOf, hasCalls, hasText, messageOfChunks, messageOfResult } from './messages/replies.ts';
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
import { withoutUnsignedThoughts } from './messages/signed-thoughts.ts';

/**
 * Options of {@link turnModel}.
 *
 * @since 0.1.0
 */
export interface TurnModelOptions extends OptionsOnly {
  /** Names the calls in reports; `model` by default. */
  readonly name?: string | undefined;
  /** Milliseconds without a chunk of the stream. */
  readonly idleMs?: number | undefined;
  /** Milliseconds a call may take to end after it was cut. */
  readonly graceMs?: number | undefined;
  /**
   * Whether what is asked is not of the conversation whose turn this is: a title, a summary, a check, a node beside others.
   * As with `turn.model`, no message of the person is for it, and what it says is in no `partials`.
   */
  readonly aside?: boolean | undefined;
}

/** What all model calls of one loop share. */
interface Loop {
  readonly record: LoopRecord;
  readonly told: ToldMessages<unknown>;
  readonly options: TurnModelOptions;
}

/** What a model is given in one round: its input, with what the user said meanwhile. */
function inputOf(input: unknown, round: Round, { told }: Loop, call: CallRecord): unknown {
  const given = messagesOf(input);
  call.asked(given, round);
  const messages = withoutUnsignedThoughts(given);
  const fresh = round.interjections.map(({ message }) => ({ role: 'user', content: messageText(message) }));
  const { message: cut } = (round.cut ?? {}) as { readonly message?: unknown };
  const all = told.with(messages, fresh, cut === undefined ? [] : [cut]);
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
  const { record, options } = loop;
  const { turn } = record;
  const listening = ({ partial }: Round, config: RunConfig | undefined, callbacks = config?.callbacks): unknown =>
    new HeardWords(isObjectAsked(original, config)).listening(callbacks, partial);
  /** One call that answers whole; the client may stream behind it. */
  const whole = <T>(
    prompt: readonly unknown[] | undefined,
    config: RunConfig | undefined,
    run: (round: Round, call: CallRecord) => T | PromiseLike<T>,
    messageOf: (answer: T) => unknown,
  ): Promise<T> => {
    const call = record.call(prompt);
    return callUnderTurn(turn, config?.signal, (round) => run(round, call), options, {
      wordsOf: (answer) => ended(call, messageOf(answer), isObjectAsked(original, config)),
      record: call.take({ read: messageOf }),
    });
  };
  /** The loop goes on from an answer; the words of its end, if nothing follows it. */
  const ended = (call: CallRecord, message: unknown, isObject: boolean): unknown => {
    const ids = callIdsIn(message);
    call.answered(ids);
    const became = (of: readonly string[], content: string, status?: 'error'): void => {
      record.became(of.map((id) => ({ role: 'tool', tool_call_id: id, content, ...(status && { status }) })));
    };
    // An object that came as a call is run by nobody, and neither is what LangChain cannot read.
    if (isObject) became(ids, 'Received.');
    became(callIdsIn(message, 'invalid_tool_calls'), 'Not run: the arguments are no whole JSON object.', 'error');
    return finalWordsOf(message);
  };
  const ways = {
    invoke: (input: unknown, config?: RunConfig) =>
      whole(
        messagesOf(input),
        config,
        async (round, call) => {
          const own = { ...config, signal: round.signal, callbacks: listening(round, config) };
          return new CallIds(call.callId).message(await original.invoke(inputOf(input, round, loop, call), own));
        },
        (message) => message,
      ),
    async *_streamIterator(input: unknown, config?: RunConfig) {
      const call = record.call(messagesOf(input));
      const isObject = isObjectAsked(original, config);
      let words = new HeardWords(isObject);
      const chunks: unknown[] = [];
      const placed = new PlacedChunks();
      const stream = new TurnStream<unknown>(
        turn,
        {
          signal: config?.signal,
          record: call.take({
            read: () => (placed.hasEnded ? (messageOfChunks(chunks) ?? words.said) : undefined) ?? cutReply(words.said),
          }),
          open: (round) => {
            words = new HeardWords(isObject);
            chunks.length = 0;
            const own = { ...config, signal: round.signal };
            const source = original._streamIterator(inputOf(input, round, loop, call), own);
            return placed.next(source, round.token, new CallIds(call.callId));
          },
          fold: (chunk) => {
            chunks.push(chunk);
            return words.add(chunk);
          },
          onCut: () => [],
          onEnd: () => ended(call, messageOfChunks(chunks), isObject),
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
    // Several prompts at once are asked as they are, and are of no conversation: a message is told in the next call.
    generate: (prompts: unknown[][], config?: RunConfig, callbacks?: unknown) => {
      const [prompt] = prompts.length === 1 ? prompts : [];
      return whole(
        prompt,
        config,
        async (round, call) => {
          const asked = prompt === undefined ? prompts : [inputOf(prompt, round, loop, call) as unknown[]];
          const own = { ...config, signal: round.signal };
          const heard = listening(round, config, config?.callbacks ?? callbacks);
          return new CallIds(call.callId).result(await original.generate(asked, own, heard));
        },
        messageOfResult,
      );
    },
    _streamChatModelEvents: (messages: unknown[], config: RunConfig, ...rest: unknown[]) => {
      const call = record.call(messages);
      const events = new ModelEvents();
      let words = new HeardWords();
      return new TurnStream<unknown>(
        turn,
        {
          signal: config.signal,
          record: call.take({ read: () => (events.hasEnded ? events.message : undefined) ?? cutReply(words.said) }),
          open: (round) => {
            words = new HeardWords();
            const asked = coerced(original, inputOf(messages, round, loop, call) as unknown[]);
            const source = original._streamChatModelEvents(asked, { ...config, signal: round.signal }, ...rest);
            return events.next(source, round, new CallIds(call.callId));
          },
          fold: (event) => words.addEvent(event),
          onCut: () => events.close(),
          onEnd: () => ended(call, events.message, false),
          isHeld: isFinalEvent,
        },
        options,
      );
    },
  };
  return modelWays;
}

const optionNames: OptionNames<TurnModelOptions> = { name: 1, idleMs: 1, graceMs: 1, aside: 1 };

/**
 * Puts a chat model under a turn, for a chain, an agent or a graph that calls it: no call starts after a stop, what a
 * cut stream had said is in the turn's `partials`, and a message of the user reaches the model in its next call, or –
 * with delivery `now` – at once, in the same call.
 *
 * What it makes of itself (`bindTools`, `withStructuredOutput`) is under the turn too; what is already stays as it is. Make
 * one for each run of a graph: it remembers what was told within that run, which the graph's state does not know. Under a
 * turn of a `Conversation` of `desist/transcript` that has it, and all that the model said, whole or cut; a call that has
 * the id of an earlier one gets one of its own, before the graph sees it.
 *
 * @checkpoint always, before each call and after it
 * @fairness What the model said before the stop is kept; what comes after it is not given out.
 * @cleanup Nothing is left of a call when it has ended.
 * @param turn The turn that runs the loop, of an agent or of a conversation.
 * @param model A chat model; it is not changed.
 * @param options A name, an idle limit and a grace in milliseconds, and whether what is asked is of the conversation.
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
export function turnModel<M extends LangChainRunnable>(
  turn: Omit<Turn, 'model'>,
  model: M,
  options: TurnModelOptions = {},
): M {
  requireTurn(turn);
  requireRunnable('model', model);
  requireModelOptions('options', options, optionNames);
  const isAside = options.aside === true;
  const record = new LoopRecord(turn, langChainMessages, { isAside, mayRunUnseen: true });
  const loop: Loop = { record, told: new ToldMessages(), options };
  const make = (original: object): Ways => waysOf(loop, original as ModelRuns);
  const heard = (name: string, [tools]: readonly unknown[]): void => {
    if (name === 'bindTools') rememberPairs(turn, tools);
  };
  const mark = markOf(record.turn);
  const bound = boundOf(model);
  if (isMarked(bound ?? model, record.turn)) return model;
  // Of a binding the model itself: prebuilt agents take it out, and bind it anew.
  return bound !== undefined && isChatModel(bound)
    ? withBoundWays(model, bound, make, heard, mark)
    : withWays(model, make, heard, mark);
}
