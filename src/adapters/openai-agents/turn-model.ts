/**
 * The models of a loop that OpenAI Agents owns, under a turn. Prior art: the SDK's own wrappers around models, for
 * tracing and retries.
 *
 * @module
 */
import {
  type AnyTurn,
  messageText,
  type OptionNames,
  type OptionsOnly,
  requireFunction,
  requireTurn,
  show,
  type Turn,
} from '../../core/inside.ts';
import { replaceMethods } from '../../guard/shapes.ts';
import { LoopRecord, type CallRecord } from '../internal/framework/loop-record.ts';
import { ToldMessages } from '../internal/framework/told-messages.ts';
import {
  callUnderTurn,
  requireModelOptions,
  type ModelCallOptions,
  type Round,
} from '../internal/framework/turn-call.ts';
import { isMarked, markOf } from '../internal/framework/turn-mark.ts';
import { TurnStream } from '../internal/framework/turn-stream.ts';
import { agentsItems, callIdsIn, itemsIn, lastWordsOf } from './loop-items.ts';
import { isHeld, withOwnIds } from './own-ids.ts';
import { SaidText } from './said-text.ts';

/**
 * What a model is asked, as far as a stop concerns it.
 *
 * @since 0.1.0
 */
export interface AgentsRequest {
  input: unknown;
  signal?: AbortSignal;
}

/**
 * A model of OpenAI Agents.
 *
 * @since 0.1.0
 */
export interface AgentsModel {
  /** Answers whole. */
  getResponse(request: never): PromiseLike<unknown>;
  /** Answers as a stream. */
  getStreamedResponse(request: never): AsyncIterable<unknown>;
}

/**
 * Finds models by their names.
 *
 * @since 0.1.0
 */
export interface AgentsModelProvider<M> {
  /** The model of that name; without one, the default. */
  getModel(modelName?: string): M | PromiseLike<M>;
}

/**
 * Options of {@link turnModel} and {@link turnProvider}.
 *
 * @since 0.1.0
 */
export interface TurnModelOptions extends OptionsOnly {
  /** Names the calls in reports; `model` by default. */
  readonly name?: string | undefined;
  /** Milliseconds without an event of the stream. */
  readonly idleMs?: number | undefined;
  /** Milliseconds a call may take to end after it was cut. */
  readonly graceMs?: number | undefined;
  /**
   * Whether the run is not of the conversation whose turn this is: a title, a summary, a check. As with `turn.model`, no
   * message of the person is for it, and what it says is in no `partials`.
   */
  readonly aside?: boolean | undefined;
}

/** How the SDK calls it. */
interface Model {
  getResponse(request: AgentsRequest): PromiseLike<unknown>;
  getStreamedResponse(request: AgentsRequest): AsyncIterable<unknown>;
}

/** What one loop's model calls share. */
export interface Loop {
  readonly record: LoopRecord;
  readonly told: ToldMessages<unknown>;
  readonly options: ModelCallOptions;
}

function userItem(content: string): object {
  return { type: 'message', role: 'user', content };
}

function itemsOf({ input }: AgentsRequest): readonly unknown[] {
  return Array.isArray(input) ? input : [userItem(String(input))];
}

/** What a model is sent in one round: its request, with what the user said meanwhile, under the round's signal. */
function requestOf(request: AgentsRequest, round: Round, { record, told }: Loop, call: CallRecord): AgentsRequest {
  const items = itemsOf(request);
  call.asked(items, round);
  const fresh = round.interjections.map(({ message }) => userItem(messageText(message)));
  const { message: cut } = (round.cut ?? {}) as { readonly message?: unknown };
  const all = told.with(items, fresh, cut === undefined ? [] : [cut], isHeld(request));
  return {
    ...request,
    ...(all.length === items.length ? {} : { input: all }),
    signal: round.signal,
    [markOf(record.turn)]: true,
  };
}

/** Every other field of a model is its own. */
export function modelIn<M extends object>(loop: Loop, model: M): M {
  const original = model as unknown as Model;
  const { turn } = loop.record;
  const own = replaceMethods(model, {
    getResponse: (_method, [given]) => {
      const request = given as AgentsRequest;
      if (isMarked(request, turn)) return original.getResponse(request);
      const call = loop.record.call(itemsOf(request));
      const answer = async (round: Round): Promise<unknown> => {
        const own = requestOf(request, round, loop, call);
        return withOwnIds(await original.getResponse(own), own, call.callId);
      };
      return callUnderTurn(turn, request.signal, answer, loop.options, {
        record: call.take({ read: itemsIn }),
        wordsOf(response) {
          call.answered(callIdsIn(response));
          return lastWordsOf(response);
        },
      });
    },
    getStreamedResponse: (_method, [given]) => {
      const request = given as AgentsRequest;
      if (isMarked(request, turn)) return original.getStreamedResponse(request);
      const call = loop.record.call(itemsOf(request));
      const said = new SaidText(call);
      return new TurnStream(
        turn,
        {
          signal: request.signal,
          record: call.take({ read: () => (said.response === undefined ? said.cut : itemsIn(said.response)) }),
          open: (round) => {
            const own = requestOf(request, round, loop, call);
            return said.next(original.getStreamedResponse(own), own);
          },
          fold: said.add,
          onCut: () => [],
          onEnd: () => {
            call.answered(callIdsIn(said.response));
            return lastWordsOf(said.response);
          },
          // The run goes on from this one: no message may cut a call that the run takes for ended.
          isHeld: (event) => (event as { readonly type?: unknown }).type === 'response_done',
        },
        loop.options,
      );
    },
  });
  return own ?? model;
}

function isModel(value: unknown): value is object {
  const { getResponse, getStreamedResponse } = (
    typeof value === 'object' && value !== null ? value : {}
  ) as Partial<Model>;
  return typeof getResponse === 'function' && typeof getStreamedResponse === 'function';
}

/** Names of the options of a model's calls. */
export const modelNames: OptionNames<TurnModelOptions> = { name: 1, idleMs: 1, graceMs: 1, aside: 1 };

/** What the models of one run share. */
export function loopOf(turn: AnyTurn, options: TurnModelOptions, mayRunUnseen: boolean): Loop {
  requireTurn(turn);
  requireModelOptions('options', options, modelNames);
  const record = new LoopRecord(turn, agentsItems, { isAside: options.aside === true, mayRunUnseen });
  return { record, told: new ToldMessages(), options };
}

/**
 * Puts a model under a turn: no call starts after a stop, what a cut call had said is in the turn's `partials`, and a
 * message of the user reaches the model in its next call, or – with delivery `now` – at once, in the same call.
 *
 * Make one for each `run`: it remembers what was told within that loop. The SDK does not know of those messages, so its
 * `history` is without them. Under a turn of a `Conversation` of `desist/transcript` that has them, and all that the model
 * said, whole or cut. A call that has the id of an earlier one gets one of its own, unless the provider holds the conversation.
 *
 * @checkpoint always, before each call and after it
 * @fairness What the model said before the stop is kept; what comes after it is not given out.
 * @cleanup Nothing is left of a call when it has ended.
 * @param turn The turn that runs the loop, of an agent or of a conversation.
 * @param model A model object.
 * @param options A name, an idle limit and a grace in milliseconds.
 * @returns The model, of the same type.
 * @throws TypeError, RangeError – not a turn, not a model, or an option that makes no sense. From a call:
 * CancelledError – the turn was cancelled; DeadlineExceededError – the idle limit passed.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { turnModel } from 'desist/openai-agents'
 *
 * // with the SDK: new Agent({ name, model: turnModel(turn, new OpenAIResponsesModel(client, 'gpt-5')) })
 * const model = {
 *   getResponse: async (request: { input: unknown }) => `answer to ${String(request.input)}`,
 *   getStreamedResponse: async function* () { yield 'answer' },
 * }
 * const report = await new InterruptController().runTurn((turn) =>
 *   turnModel(turn, model).getResponse({ input: 'hello' }),
 * )
 * report.unwrap() // => 'answer to hello'
 * ```
 * @source OpenAI Agents `Model`
 * @since 0.1.0
 */
export function turnModel<M extends AgentsModel>(
  turn: Omit<Turn, 'model'>,
  model: M,
  options: TurnModelOptions = {},
): M {
  const loop = loopOf(turn, options, true);
  if (!isModel(model)) throw new TypeError(`model must be a model of OpenAI Agents, got ${show(model)}`);
  return modelIn(loop, model);
}

/**
 * Puts every model that a provider finds under a turn, for a `Runner` whose agents name their models.
 *
 * @checkpoint always, before each call of such a model and after it
 * @param turn The turn that runs the loop, of an agent or of a conversation.
 * @param provider For example `new OpenAIProvider()`.
 * @param options A name, an idle limit and a grace in milliseconds.
 * @returns A provider for the runner's `modelProvider`.
 * @throws TypeError, RangeError – not a turn, not a provider, or an option that makes no sense.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { turnProvider } from 'desist/openai-agents'
 *
 * // with the SDK: new Runner({ modelProvider: turnProvider(turn, new OpenAIProvider()) })
 * const model = {
 *   getResponse: async (_request: { input: unknown }) => 'hi',
 *   getStreamedResponse: async function* () { yield 'hi' },
 * }
 * const report = await new InterruptController().runTurn(async (turn) => {
 *   const provider = turnProvider(turn, { getModel: (_name?: string) => model })
 *   const found = await provider.getModel('any')
 *   return await found.getResponse({ input: 'hello' })
 * })
 * report.unwrap() // => 'hi'
 * ```
 * @source OpenAI Agents `ModelProvider`
 * @since 0.1.0
 */
export function turnProvider<M>(
  turn: Omit<Turn, 'model'>,
  provider: AgentsModelProvider<M>,
  options: TurnModelOptions = {},
): { /** The model of that name, guarded. */ getModel(modelName?: string): Promise<M> } {
  const loop = loopOf(turn, options, true);
  const given = provider as unknown;
  const isProvider = typeof given === 'object' && given !== null && 'getModel' in given;
  requireFunction('provider.getModel', isProvider ? given.getModel : undefined);
  return {
    getModel: async (modelName) => {
      const model = await provider.getModel(modelName);
      return isModel(model) ? modelIn(loop, model) : model;
    },
  };
}
