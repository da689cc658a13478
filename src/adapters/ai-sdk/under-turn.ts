/**
 * The settings of an AI SDK call, all of them under a turn: model, tools, signal, callbacks.
 *
 * @module
 */
import { isObject, show, tokenUnder, type Turn } from '../../core/inside.ts';
import { guardTools } from '../../guard/guard-tools.ts';
import { requireModelOptions, requireTurn } from '../internal/framework/turn-call.ts';
import { turnMiddleware, type AIModelCall, type TurnMiddleware, type TurnMiddlewareOptions } from './middleware.ts';
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
  /** Limits of the model's calls. */
  readonly model?: TurnMiddlewareOptions | undefined;
}

interface Settings {
  readonly model?: unknown;
  readonly tools?: unknown;
  readonly abortSignal?: unknown;
  readonly onAbort?: unknown;
  readonly onFinish?: unknown;
  readonly onEnd?: unknown;
  readonly prepareStep?: unknown;
}

type AnyModel = AIModel & {
  readonly provider?: unknown;
  readonly supportedUrls?: unknown;
  doGenerate(params: AIModelCall): PromiseLike<unknown>;
  doStream(params: AIModelCall): PromiseLike<{ stream: ReadableStream<AIStreamPart> }>;
};

function isModel(value: unknown): value is AnyModel {
  const { doGenerate, doStream } = (typeof value === 'object' && value !== null ? value : {}) as Partial<AnyModel>;
  return typeof doGenerate === 'function' && typeof doStream === 'function';
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

/** The callbacks of the end, so that at most one of them is called, once, and none says "finished" of a stopped turn. */
function oneEnd(turn: Turn, settings: Settings): Settings {
  let hasEnded = false;
  const once = (callback: unknown, isStop: boolean): ((...args: unknown[]) => unknown) | undefined => {
    if (typeof callback !== 'function') return undefined;
    return (...args) => {
      if (hasEnded || turn.token.isCancelled !== isStop) return undefined;
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

/** The hook before each step: not called after a stop, and another model that it picks is under the turn as well. */
function preparing(turn: Turn, prepare: unknown, own: (model: AnyModel) => AIModel): Settings {
  if (typeof prepare !== 'function') return {};
  return {
    async prepareStep(...args: unknown[]) {
      turn.checkpoint();
      const step = (await Reflect.apply(prepare, undefined, args)) as { readonly model?: unknown } | undefined;
      return isModel(step?.model) ? { ...step, model: own(step.model) } : step;
    },
  };
}

/**
 * Puts a `generateText`, `streamText` or agent call of the AI SDK under a turn: its model by `turnMiddleware`, its tools
 * by `guardTools`, its signal, its `prepareStep`, and its end – `onFinish` is not called of a stopped turn, `onAbort` at
 * most once.
 *
 * Await the call inside the turn; a stream is read with `readResult`.
 *
 * @checkpoint never: the calls it prepares check
 * @param turn The turn that runs the loop.
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
export function underTurn<S extends object>(turn: Turn, settings: S, options: UnderTurnOptions = {}): S {
  requireTurn(turn);
  if (!isObject(settings)) throw new TypeError(`settings must be an object, got ${show(settings)}`);
  requireModelOptions(options);
  const { model, tools, abortSignal, prepareStep } = settings as Settings;
  const { graceMs, onInterject } = options;
  if (model !== undefined && !isModel(model)) {
    throw new TypeError(`model must be a model object of the AI SDK, got ${show(model)}`);
  }
  const theirs = abortSignal as AbortSignal | null | undefined;
  const signal = theirs === undefined || theirs === null ? turn.signal : tokenUnder(turn.token, theirs).signal;
  // One for all of them: what was told is told to each model of the loop.
  const middleware = turnMiddleware(turn, options.model);
  const own = (each: AnyModel): AIModel => wrap(each, middleware);
  return {
    ...settings,
    ...oneEnd(turn, settings),
    ...preparing(turn, prepareStep, own),
    ...(model === undefined ? {} : { model: own(model) }),
    ...(isObject(tools)
      ? { tools: guardTools(tools as Readonly<Record<string, object>>, { turn, graceMs, onInterject }) }
      : {}),
    abortSignal: signal,
  };
}
