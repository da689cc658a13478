/**
 * The model of an AI SDK loop under a turn, as the middleware that the SDK takes. Prior art: `wrapLanguageModel`,
 * `ai`'s own middlewares.
 *
 * @module
 */
import { isCutShort, replyEnd } from '../../core/inside.ts';
import type { LoopRecord, CallRecord } from '../internal/framework/loop-record.ts';
import { callUnderTurn, type ModelCallOptions, type Round } from '../internal/framework/turn-call.ts';
import { isMarked, markOf } from '../internal/framework/turn-mark.ts';
import { TurnStream } from '../internal/framework/turn-stream.ts';
import type { AnswerPart } from './answer-parts.ts';
import { CallIds } from './call-ids.ts';
import { RoundItems } from './cut-items.ts';
import type { LoopPrompts } from './loop-prompts.ts';
import { callIdsIn, lastWordsOf, messageOf } from './loop-record.ts';
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

/** A middleware, as the SDK's `wrapLanguageModel` takes it. */
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

/** What the middleware of one loop shares with whoever else sees the loop. */
export interface LoopOfSDK {
  readonly record: LoopRecord;
  readonly prompts: LoopPrompts;
}

/**
 * The middleware of one `generateText` or `streamText`, whose prompts somebody else sees too: no call starts after a stop, what a cut call
 * had said is in the turn's `partials`, and a message of the user reaches the model in its next call.
 *
 * A message with delivery `now` cuts the model's words and is told at once, in the same step: the loop sees one stream,
 * in which the first words end and the next begin. The SDK's own list of messages does not have the message in it. Under a
 * turn of a `Conversation` of `desist/transcript` that has it, and all that the model said, whole or cut.
 */
export function loopMiddleware(limits: ModelCallOptions, loop: LoopOfSDK): TurnMiddleware {
  const { turn } = loop.record;
  const paramsOf = <P extends AIModelCall>(params: P, round: Round): P => ({
    ...loop.prompts.paramsOf(params, round),
    [markOf(turn)]: true,
  });
  return {
    specificationVersion: 'v3',
    wrapGenerate: <P extends AIModelCall, R>({
      params,
      model,
    }: {
      readonly params: P;
      readonly model: { doGenerate(params: P): PromiseLike<R> };
    }): Promise<R> => {
      if (isMarked(params, turn)) return Promise.resolve(model.doGenerate(params));
      const call = loop.record.call(params.prompt);
      const ask = async (round: Round): Promise<R> => {
        call.asked(params.prompt, round);
        const answer = await model.doGenerate(paramsOf(params, round));
        return new CallIds(call.callId).answer(answer);
      };
      return callUnderTurn(turn, params.abortSignal, ask, limits, {
        wordsOf(answer) {
          call.answered(callIdsIn(contentOf(answer)));
          return lastWordsOf(messageOf(contentOf(answer)));
        },
        record: call.take({ read: (answer) => takenOf(contentOf(answer), answer) }),
      });
    },
    async wrapStream<P extends AIModelCall, R extends { stream: AIStream }>({
      params,
      model,
    }: {
      readonly params: P;
      readonly model: { doStream(params: P): PromiseLike<R> };
    }): Promise<R> {
      if (isMarked(params, turn)) return await model.doStream(params);
      const call = loop.record.call(params.prompt);
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
          record: call.take(replyOf(said)),
          open: async (round) => {
            items = new RoundItems();
            call.asked(params.prompt, round);
            const result = await model.doStream(paramsOf(params, round));
            setHead(result);
            return said.next(result.stream, new CallIds(call.callId));
          },
          fold: (part) => {
            items.add(part);
            return said.add(part);
          },
          onCut: () => {
            loop.prompts.cut(items, said.answer);
            return said.close();
          },
          endOfCut: () => {
            const { said: cut, hasCalls } = said.answer;
            if (cut === undefined || !hasCalls) return undefined;
            call.answered(callIdsIn(said.content));
            return [endOfCalls(model)];
          },
          onEnd: () => {
            call.answered(callIdsIn(said.content));
            return lastWordsOf(messageOf(said.content));
          },
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

/** A whole answer as the conversation takes it: of one that ended early the loop runs no call, and asks nobody; a failure is one. */
function takenOf(content: readonly AnswerPart[], answer: unknown): object {
  // The older major says it as a text.
  const { finishReason } = answer as { readonly finishReason?: string | { readonly unified?: unknown } };
  const word = typeof finishReason === 'object' ? finishReason.unified : finishReason;
  const [message, end] = [messageOf(content), replyEnd(word)];
  const hasEndedEarly = end === 'failed' || (isCutShort(end) && callIdsIn(content).length > 0);
  return hasEndedEarly ? { message, isComplete: false, ...(end === 'failed' && { stopReason: word }) } : message;
}

/** A streamed answer as the conversation takes it. */
function replyOf(said: StreamedText): Parameters<CallRecord['take']>[0] {
  return {
    // A reader may leave a stream before its end.
    read: () =>
      said.finish === undefined ? { ...said.answer.said, isComplete: false } : takenOf(said.content, said.finish),
    endedByCut: () => (said.answer.hasCalls ? said.answer.said?.message : undefined),
  };
}
