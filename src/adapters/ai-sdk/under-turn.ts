/**
 * The settings of an AI SDK call, all of them under a turn: model, tools, signal, callbacks.
 *
 * @module
 */
import {
  type AnyTurn,
  isObject,
  type OptionNames,
  requireTurn,
  runningTool,
  show,
  tokenUnder,
  type Turn,
} from '../../core/inside.ts';
import { guardLoop } from '../../guard/guard-tools.ts';
import { ToldForms } from '../../guard/results/told-forms.ts';
import type { WordsOf } from '../../guard/told-words.ts';
import { LoopRecord } from '../internal/framework/loop-record.ts';
import { requireModelOptions } from '../internal/framework/turn-call.ts';
import { LoopPrompts } from './loop-prompts.ts';
import { aiMessages, stepEnded } from './loop-record.ts';
import { loopMiddleware, type AIModelCall, type TurnMiddleware } from './middleware.ts';
import { tellingBegun } from './tools/begun-calls.ts';
import { ModelOutputs } from './tools/model-outputs.ts';
import type { AIStreamPart } from './streamed-text.ts';

/**
 * A model object of the AI SDK, of any specification.
 *
 * @since 0.1.0
 */
export interface AIModel {
  readonly specificationVersion: string;
  readonly modelId: string;
}

/**
 * Options of {@link underTurn}.
 *
 * @since 0.1.0
 */
export interface UnderTurnOptions {
  /** Milliseconds a tool may take to end after the stop. */
  readonly graceMs?: number | undefined;
  /** What a message does to a running tool, as for `turn.tool`; `finish` by default. */
  readonly onInterject?: 'finish' | 'cancel' | 'yield' | undefined;
  /** In whose words the model reads of a call that did not complete, while the turn goes on, as for `guardTools`. */
  readonly dialect?: WordsOf | undefined;
  /**
   * Whether the loop is not of the conversation whose turn this is: a title, a summary, a check. As with `turn.model`, no
   * message of the person is for it, and what it says is in no `partials`.
   */
  readonly aside?: boolean | undefined;
  /** Of the calls of its models. */
  readonly model?:
    | {
        /** Names the calls in reports; `model` by default. */
        readonly name?: string | undefined;
        /** Milliseconds without a piece of the stream. */
        readonly idleMs?: number | undefined;
        /** Milliseconds a call may take to end after it was cut. */
        readonly graceMs?: number | undefined;
        /** As the option of the same name. */
        readonly aside?: boolean | undefined;
      }
    | undefined;
}

interface Settings {
  readonly model?: unknown;
  readonly tools?: unknown;
  readonly abortSignal?: unknown;
  readonly onAbort?: unknown;
  readonly onFinish?: unknown;
  readonly onEnd?: unknown;
  readonly onStepFinish?: unknown;
  readonly onStepEnd?: unknown;
  readonly prepareStep?: unknown;
  readonly prepareCall?: unknown;
}

type AnyModel = AIModel & {
  readonly provider?: unknown;
  readonly supportedUrls?: unknown;
  doGenerate(params: AIModelCall): PromiseLike<unknown>;
  doStream(params: AIModelCall): PromiseLike<{ stream: ReadableStream<AIStreamPart> }>;
};

function requireModel(name: string, value: unknown): asserts value is AnyModel {
  const { doGenerate, doStream } = (isObject(value) ? value : {}) as Partial<AnyModel>;
  if (typeof doGenerate === 'function' && typeof doStream === 'function') return;
  throw new TypeError(`${name} must be a model object of the AI SDK, got ${show(value)}`);
}

/** As the SDK's own `wrapLanguageModel` does it. */
function wrap(model: AnyModel, { wrapGenerate, wrapStream }: TurnMiddleware): AIModel {
  const { specificationVersion, provider, modelId, supportedUrls } = model;
  return {
    specificationVersion,
    provider,
    modelId,
    supportedUrls,
    doGenerate: (params: AIModelCall) => wrapGenerate({ params, model }),
    doStream: (params: AIModelCall) => wrapStream({ params, model }),
  } as AIModel;
}

/** The callbacks of the end, so that at most one of them is called, once, and none says "finished" of what was stopped. */
function oneEnd(signal: AbortSignal, settings: Settings): Settings {
  let hasEnded = false;
  const once = (callback: unknown, isStop: boolean): ((...args: unknown[]) => unknown) | undefined => {
    if (typeof callback !== 'function') return undefined;
    return (...args) => {
      if (hasEnded || signal.aborted !== isStop) return undefined;
      hasEnded = true;
      return Reflect.apply(callback, settings, args) as unknown;
    };
  };
  const ends = {
    onAbort: settings.onAbort === undefined ? undefined : once(settings.onAbort, true),
    onFinish: once(settings.onFinish, false),
    onEnd: once(settings.onEnd, false),
  };
  return Object.fromEntries(Object.entries(ends).filter(([, callback]) => callback !== undefined));
}

/** The callback of a step's end, which learns what of the step no model says. Version 7 has two names, and calls one. */
function stepEnd(settings: Settings, record: LoopRecord): Settings {
  const name = settings.onStepEnd === undefined || settings.onStepEnd === null ? 'onStepFinish' : 'onStepEnd';
  const callback = settings[name];
  const ended = (step: unknown, ...rest: unknown[]): unknown => {
    const { response } = (isObject(step) ? step : {}) as { readonly response?: { readonly messages?: unknown } };
    stepEnded(record, response?.messages);
    return typeof callback === 'function' ? (Reflect.apply(callback, settings, [step, ...rest]) as unknown) : undefined;
  };
  return { [name]: ended };
}

/** How the parts of one loop are put under its turn. */
interface LoopParts {
  readonly model: (model: AnyModel) => AIModel;
  readonly tools: (tools: object) => object;
}

/** What a loop is made of, under its turn: in its settings, and in what a hook picks in their place. */
class LoopSettings {
  readonly #turn: AnyTurn;
  readonly #parts: LoopParts;
  readonly #ours = new WeakSet();

  constructor(turn: AnyTurn, parts: LoopParts) {
    this.#turn = turn;
    this.#parts = parts;
  }

  /**
   * The model, the tools and the hooks among these.
   *
   * @param of Whose they are, before a name.
   */
  under({ model, tools, prepareStep, prepareCall }: Settings, of = ''): Settings {
    return {
      ...(model !== undefined && { model: this.#model(`${of}model`, model) }),
      ...(isObject(tools) && { tools: this.#parts.tools(tools) }),
      ...(typeof prepareStep === 'function' && { prepareStep: this.#hook('prepareStep', prepareStep as Hook) }),
      ...(typeof prepareCall === 'function' && { prepareCall: this.#hook('prepareCall', prepareCall as Hook) }),
    };
  }

  #model(name: string, given: unknown): unknown {
    requireModel(name, given);
    return this.#once(given, this.#parts.model);
  }

  /** Not called after a stop, and what it picks is under the turn as well. */
  #hook(name: string, prepare: Hook): Hook {
    return this.#once(prepare, () => async (...args) => {
      this.#turn.checkpoint();
      const picked = await Reflect.apply(prepare, undefined, args);
      if (!isObject(picked)) return picked;
      // No model is the one of the settings.
      const { model, ...rest } = picked as Settings;
      return { ...picked, ...this.under({ ...rest, model: model ?? undefined }, `${name}: `) };
    });
  }

  /** A hook may pick what it was given. */
  #once<T extends object, U extends object>(given: T, make: (given: T) => U): T | U {
    if (this.#ours.has(given)) return given;
    const own = make(given);
    this.#ours.add(own);
    return own;
  }
}

type Hook = (...args: unknown[]) => unknown;

const optionNames: OptionNames<UnderTurnOptions> = { graceMs: 1, onInterject: 1, dialect: 1, aside: 1, model: 1 };

const modelNames: OptionNames<NonNullable<UnderTurnOptions['model']>> = { name: 1, idleMs: 1, graceMs: 1, aside: 1 };

/**
 * Puts a `generateText`, `streamText` or agent call of the AI SDK under a turn: its model, its tools
 * by `guardTools`, its signal, its `prepareStep`, the end of its steps, and its end – `onFinish` is not called of a stopped turn, `onAbort` at
 * most once.
 *
 * Await the call inside the turn; a stream is read with `readResult`. Under a turn of a `Conversation` a call that has the id of an
 * earlier one gets one of its own, before the SDK sees it.
 *
 * @checkpoint never: the calls it prepares check
 * @param turn The turn that runs the loop, of an agent or of a `Conversation` of `desist/transcript`: that takes what its model says.
 * @param settings The settings, as for the SDK. The model must be an object: behind a name there is nothing to wrap.
 * @param options Graces and limits in milliseconds.
 * @returns A copy of the settings, of the same type.
 * @throws TypeError, RangeError – not a turn, a model that is a name, or an option that makes no sense.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { underTurn } from 'desist/ai-sdk'
 *
 * const echo = { execute: async (text: string, _options: { abortSignal?: AbortSignal | undefined }) => text }
 * const report = await new InterruptController().runTurn(async (turn) => {
 *   // with the SDK: await generateText(underTurn(turn, { model, tools, prompt }))
 *   const { tools, abortSignal } = underTurn(turn, { tools: { echo }, abortSignal: undefined })
 *   return await tools.echo.execute('hello', { abortSignal })
 * })
 * report.unwrap() // => 'hello'
 * report.calls.map(({ name, status }) => `${name}: ${status}`) // => ['echo: completed']
 * ```
 * @source AI SDK `generateText`, `streamText`
 * @since 0.1.0
 */
export function underTurn<S extends object>(
  turn: Omit<Turn, 'model'>,
  settings: S,
  options: UnderTurnOptions = {},
  // The names of tools that a hook picks are `string` once they have been inferred here, and the SDK wants its own.
): S extends Readonly<Record<'prepareStep', (...args: infer A) => unknown>>
  ? // eslint-disable-next-line @typescript-eslint/no-explicit-any -- `unknown` would not be assignable to the SDK's hook
    S & Record<'prepareStep', (...args: A) => any>
  : S {
  requireTurn(turn);
  if (!isObject(settings)) throw new TypeError(`settings must be an object, got ${show(settings)}`);
  requireModelOptions('options', options, optionNames);
  const { model, abortSignal } = settings as Settings;
  const { graceMs, onInterject, dialect } = options;
  const theirs = abortSignal as AbortSignal | null | undefined;
  const signal = theirs === undefined || theirs === null ? turn.signal : tokenUnder(turn.token, theirs).signal;
  const { model: modelOptions = {} } = options;
  requireModelOptions('model', modelOptions, modelNames);
  const isAside = options.aside === true || modelOptions.aside === true;
  // One for all of them: what was told is told to each model of the loop.
  const record = new LoopRecord(turn, aiMessages, { isAside, mayRunUnseen: !isObject((settings as Settings).tools) });
  const middleware = loopMiddleware(modelOptions, { record, prompts: new LoopPrompts() });
  // The loop of a tool that is itself an agent begins while that tool runs.
  const within = runningTool(turn.token);
  const guards = { turn: record.turn, graceMs, onInterject, aside: isAside || undefined, dialect };
  // Outermost: the row of a call shows its form, and what tells of the row has the note.
  const forms = new ToldForms();
  const outputs = new ModelOutputs(record.turn);
  const inner = { within, forms };
  const parts: LoopParts = {
    model: (given) => wrap(given, middleware),
    tools: (tools) => {
      const guarded = guardLoop(tools as Readonly<Record<string, object>>, guards, inner);
      return tellingBegun(forms.aroundAll(outputs.around(guarded)), (id) => {
        record.began(id);
      });
    },
  };
  return {
    ...settings,
    ...oneEnd(signal, settings),
    ...(model === undefined ? {} : stepEnd(settings, record)),
    ...new LoopSettings(turn, parts).under(settings),
    abortSignal: signal,
  } as ReturnType<typeof underTurn<S>>;
}
