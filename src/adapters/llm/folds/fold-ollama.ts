/**
 * The lines of Ollama's chat stream, folded into a reply.
 *
 * @module
 */
import { isCutShort, isObject, replyEnd } from '../../../core/inside.ts';
import {
  endOfReply,
  failureIn,
  isWholeObject,
  jsonIn,
  piecesIn,
  requireEventObject,
  textIn,
  type ModelReply,
  type StreamFold,
} from './fold.ts';
import { OtherFields } from './merge-fields.ts';
import { replyOf, ReplyPieces, type Piece, type Written } from './reply-pieces.ts';
import { TokenFloor, tokensIn, usageOf } from '../usage.ts';

/**
 * A tool call of Ollama's chat API. It comes whole; older servers give it no id.
 *
 * @since 0.1.0
 */
export interface OllamaToolCall {
  id?: string;
  function: { name: string; arguments: Record<string, unknown> };
}

/**
 * An assistant message of Ollama's chat API; mutable, as the client types its parameters. What a server says besides is in
 * it under the server's own names.
 *
 * @since 0.1.0
 */
export interface OllamaMessage {
  role: 'assistant';
  content: string;
  thinking?: string;
  tool_calls?: OllamaToolCall[];
}

/**
 * What an Ollama chat stream has said so far.
 *
 * @since 0.1.0
 */
export type OllamaReply = ModelReply<OllamaMessage, OllamaToolCall>;

/**
 * As much of a chunk as the fold reads.
 *
 * @since 0.1.0
 */
export interface OllamaChunk {
  readonly message?:
    | {
        readonly content?: string | undefined;
        readonly thinking?: string | undefined;
        readonly tool_calls?: readonly OllamaToolCall[] | undefined;
      }
    | undefined;
  readonly done?: boolean | undefined;
  readonly done_reason?: string | undefined;
  readonly prompt_eval_count?: number | undefined;
  readonly eval_count?: number | undefined;
}

/** What the fold has fields of its own for. */
const ownFields = new Set(['role', 'content', 'thinking', 'tool_calls']);

interface WholeCall extends Piece<never, OllamaToolCall> {
  readonly call: OllamaToolCall;
}

class OllamaFold implements StreamFold<OllamaChunk, OllamaReply> {
  readonly #floor = new TokenFloor();
  /** What the message holds besides. */
  readonly #own = new OtherFields(ownFields);
  #text = '';
  #thinking = '';
  readonly #calls = new ReplyPieces<WholeCall, never, OllamaToolCall>({
    write: ({ call }) => this.#write(call),
  });
  #last: OllamaChunk | undefined;
  #error: object | undefined;

  add(chunk: OllamaChunk): void {
    requireEventObject(chunk);
    this.#error ??= failureIn(chunk);
    const message = chunk.message ?? {};
    this.#own.add(message);
    const [content, thinking] = [textIn(message.content), textIn(message.thinking)];
    const calls = piecesIn(message.tool_calls).filter((call) => isObject(call.function));
    this.#text += content;
    this.#thinking += thinking;
    for (const call of calls) this.#calls.set(this.#calls.last + 1, { call });
    for (const piece of [content, thinking, ...calls.map((call) => JSON.stringify(call.function))]) {
      this.#floor.add(piece);
    }
    if (chunk.done !== true) return;
    this.#last = chunk;
    this.#calls.reset();
  }

  /** Calls come whole; a server that has arguments as texts may give one that its limit cut. */
  #write(call: OllamaToolCall): Written<never, OllamaToolCall> {
    const { name, arguments: input } = call.function;
    const json = jsonIn(input);
    if (!isCutShort(replyEnd(this.#last?.done_reason)) || isWholeObject(json)) return { call };
    return { fragment: { id: call.id, name: textIn(name), json } };
  }

  get value(): OllamaReply {
    const last = this.#last;
    const output = tokensIn(last, 'eval_count');
    const input = tokensIn(last, 'prompt_eval_count');
    const [text, thinking, own] = [this.#text, this.#thinking, this.#own.now()];
    const message = (calls: OllamaToolCall[]) => ({
      ...{ role: 'assistant' as const, content: text },
      ...own.fields(),
      ...(thinking !== '' && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    });
    return replyOf(
      this.#calls.now(),
      message,
      {
        text: this.#text,
        ...endOfReply(last?.done_reason, last !== undefined, this.#error),
        usage: usageOf(output !== undefined, input, output ?? this.#floor.atLeast(undefined), last),
      },
      own.isLong,
    );
  }
}

/**
 * Folds the chunks of `ollama.chat({ stream: true })`.
 *
 * @checkpoint never
 * @returns A fresh fold; give the function itself to `cancellableStream` or `readStream` as their `fold`.
 * @example
 * ```ts
 * import { foldOllama } from 'desist/llm'
 *
 * const fold = foldOllama()
 * fold.add({ message: { content: 'Hel' }, done: false })
 * fold.value.text // => 'Hel'
 * fold.value.isComplete // => false
 * ```
 * @since 0.1.0
 */
export function foldOllama(): StreamFold<OllamaChunk, OllamaReply> {
  return new OllamaFold();
}
