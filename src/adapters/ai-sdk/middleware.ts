/**
 * The model of an AI SDK loop under a turn, as the middleware that the SDK takes. Prior art: `wrapLanguageModel`,
 * `ai`'s own middlewares.
 *
 * @module
 */
import type { Turn } from '../../core/inside.ts';
import {
  callUnderTurn,
  requireModelOptions,
  requireTurn,
  type ModelCallOptions,
  type Round,
} from '../internal/framework/turn-call.ts';
import { TurnStream } from '../internal/framework/turn-stream.ts';
import type { AnswerPart } from './answer-parts.ts';
import { RoundItems } from './cut-items.ts';
import { LoopPrompts } from './loop-prompts.ts';
import { callIn, noteAnswered } from './messages-so-far.ts';
import { StreamedText, type AIStream, type AIStreamPart } from './streamed-text.ts';

/**
 * What a model of the AI SDK is called with, as far as a stop concerns it.
 *
 * @since 0.1.0
 */
export interface AIModelCall {
  prompt: unknown[];
  abortSignal?: AbortSignal | undefined;
  responseFormat?: { readonly type: string } | undefined;
}

/**
 * The middleware for the SDK's `wrapLanguageModel`.
 *
 * @since 0.1.0
 */
export interface TurnMiddleware {
  /** Both specifications call a middleware in the same way, and the newer takes the older. */
  readonly specificationVersion: 'v3';
  /** Calls the model for a whole answer. */
  readonly wrapGenerate: <P extends AIModelCall, R>(call: {
    readonly params: P;
    readonly model: { doGenerate(params: P): PromiseLike<R> };
  }) => Promise<R>;
  /** Calls the model for a stream. */
  readonly wrapStream: <P extends AIModelCall, R extends { stream: AIStream }>(call: {
    readonly params: P;
    readonly model: { doStream(params: P): PromiseLike<R> };
  }) => Promise<R>;
}

/**
 * Options of {@link turnMiddleware}.
 *
 * @since 0.1.0
 */
export interface TurnMiddlewareOptions {
  /** Names the calls in reports; `model` by default. */
  readonly name?: string | undefined;
  /** Milliseconds without a piece of the stream. */
  readonly idleMs?: number | undefined;
  /** Milliseconds a call may take to end after it was cut. */
  readonly graceMs?: number | undefined;
}

/** The end of an answer of which nothing but its calls is wanted any more; what it cost nobody has said. */
function endOfCalls(model: object): AIStreamPart {
  const isOld = (model as { readonly specificationVersion?: unknown }).specificationVersion === 'v2';
  const [count, unified] = [isOld ? undefined : { total: undefined }, 'tool-calls'];
  const finishReason = isOld ? unified : { unified, raw: undefined };
  return { type: 'finish', finishReason, usage: { inputTokens: count, outputTokens: count } } as AIStreamPart;
}

/** Whether the text of the answer is to be one object in JSON: the SDK parses what it makes of all its pieces. */
function isObjectAsked({
  responseFormat,
}: {
  readonly responseFormat?: { readonly type?: unknown } | undefined;
}): boolean {
  return responseFormat?.type === 'json';
}

/** What a whole answer consists of. */
function contentOf(answer: unknown): readonly AnswerPart[] {
  const { content } = (answer ?? {}) as { readonly content?: unknown };
  return Array.isArray(content) ? (content as readonly AnswerPart[]) : [];
}

/** Resolves with the head of the stream; rejects if the stream fails first. */
function headOf<E>(head: Promise<E>, first: Promise<unknown>): Promise<E> {
  return new Promise((resolve, reject) => {
    void head.then(resolve);
    first.then(undefined, reject);
  });
}

/** A stream whose first read is under way already, as the SDK wants one. */
function readable<E>(stream: TurnStream<E>, first: Promise<IteratorResult<E, undefined>>): ReadableStream<E> {
  let next: Promise<IteratorResult<E, undefined>> | undefined = first;
  return new ReadableStream<E>({
    async pull(controller) {
      const { done, value } = await (next ?? stream.next());
      next = undefined;
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await stream.return();
    },
  });
}

/**
 * Puts the model of a loop that the AI SDK owns under a turn: no call starts after a stop, what a cut call had said is in
 * the turn's `partials`, and a message of the user reaches the model in its next call.
 *
 * A message with delivery `now` cuts the model's words and is told at once, in the same step: the loop sees one stream,
 * in which the first words end and the next begin. The SDK's own list of messages does not have the message in it: what
 * `interjection-delivered` tells belongs into your history.
 *
 * Make one for each `generateText` or `streamText`: it remembers what was told within that loop.
 *
 * @checkpoint always, before each call and after it
 * @fairness What the model said before the stop is kept; what comes after it is not given out.
 * @cleanup Nothing is left of a call when it has ended; a reader that leaves a stream ends its call.
 * @param turn The turn that runs the loop.
 * @param options A name, an idle limit and a grace in milliseconds.
 * @returns The middleware.
 * @throws TypeError, RangeError – not a turn, or an option that makes no sense. From a call: CancelledError – the turn
 * was cancelled; DeadlineExceededError – the idle limit passed; InterjectedError – a message cut a streamed object.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { turnMiddleware } from 'desist/ai-sdk'
 *
 * // with the SDK: wrapLanguageModel({ model: openai('gpt-5'), middleware: turnMiddleware(turn) })
 * const model = { doGenerate: async (params: { prompt: unknown[] }) => `${params.prompt.length} messages` }
 * const report = await new InterruptController().runTurn((turn) =>
 *   turnMiddleware(turn).wrapGenerate({ params: { prompt: ['Hello'] }, model }),
 * )
 * report.unwrap() // => '1 messages'
 * ```
 * @source AI SDK `LanguageModelMiddleware`
 * @since 0.1.0
 */
export function turnMiddleware(turn: Turn, options: TurnMiddlewareOptions = {}): TurnMiddleware {
  return loopMiddleware(turn, options, new LoopPrompts());
}

/** The middleware of a loop whose prompts somebody else sees too. */
export function loopMiddleware(turn: Turn, options: TurnMiddlewareOptions, loop: LoopPrompts): TurnMiddleware {
  requireTurn(turn);
  requireModelOptions(options);
  const limits: ModelCallOptions = options;
  return {
    specificationVersion: 'v3',
    wrapGenerate: ({ params, model }) => {
      const call = callIn(turn);
      const ask = (round: Round) => model.doGenerate(loop.paramsOf(params, round, call));
      return callUnderTurn(turn, params.abortSignal, ask, limits, {
        isOfTool: () => call.isOfTool,
        wordsOf: (answer) => noteAnswered(call, contentOf(answer)),
      });
    },
    async wrapStream<P extends AIModelCall, R extends { stream: AIStream }>({
      params,
      model,
    }: {
      readonly params: P;
      readonly model: { doStream(params: P): PromiseLike<R> };
    }): Promise<R> {
      const call = callIn(turn);
      const said = new StreamedText();
      let items = new RoundItems();
      let setHead: (head: R) => void = () => undefined;
      const head = new Promise<R>((resolve) => {
        setHead = resolve;
      });
      const stream = new TurnStream<AIStreamPart>(
        turn,
        {
          signal: params.abortSignal,
          isOfTool: () => call.isOfTool,
          open: async (round) => {
            items = new RoundItems();
            const result = await model.doStream(loop.paramsOf(params, round, call));
            setHead(result);
            return said.next(result.stream);
          },
          fold: (part) => {
            items.add(part);
            return said.add(part);
          },
          onCut: () => {
            loop.cut.add(items);
            return said.close();
          },
          endOfCut: () => {
            const { said: cut, hasCalls } = said.answer;
            if (cut === undefined || !hasCalls) return undefined;
            call.answered(cut.message);
            return [endOfCalls(model)];
          },
          onEnd: () => noteAnswered(call, said.content),
          // The loop runs the tools when it has this: no message may cut a call that the loop takes for ended.
          isHeld: ({ type }) => type === 'finish',
          isFinal: () => isObjectAsked(params) && said.answer.text !== '',
        },
        limits,
      );
      const first = stream.next();
      return { ...(await headOf(head, first)), stream: readable(stream, first) };
    },
  };
}
