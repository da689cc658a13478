/**
 * The lines of Ollama's chat stream, folded into a reply.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';
import { piecesIn, requireEventObject, textIn, type ModelReply, type StreamFold } from './fold.ts';
import { TokenFloor, tokensIn } from '../usage.ts';

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
 * An assistant message of Ollama's chat API; mutable, as the client types its parameters.
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

class OllamaFold implements StreamFold<OllamaChunk, OllamaReply> {
  readonly #floor = new TokenFloor();
  #text = '';
  #thinking = '';
  #calls: readonly OllamaToolCall[] = [];
  #last: OllamaChunk | undefined;

  add(chunk: OllamaChunk): void {
    requireEventObject(chunk);
    const message = chunk.message ?? {};
    const [content, thinking] = [textIn(message.content), textIn(message.thinking)];
    const calls = piecesIn(message.tool_calls).filter((call) => isObject(call.function));
    this.#text += content;
    this.#thinking += thinking;
    if (calls.length > 0) this.#calls = [...this.#calls, ...calls];
    for (const piece of [content, thinking, ...calls.map((call) => JSON.stringify(call.function))]) {
      this.#floor.add(piece);
    }
    if (chunk.done === true) this.#last = chunk;
  }

  get value(): OllamaReply {
    const last = this.#last;
    const output = tokensIn(last, 'eval_count');
    const calls = [...this.#calls];
    return {
      message: {
        role: 'assistant',
        content: this.#text,
        ...(this.#thinking === '' ? {} : { thinking: this.#thinking }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      },
      calls,
      fragments: [], // calls come whole or not at all
      text: this.#text,
      stopReason: last?.done_reason,
      isComplete: last !== undefined,
      usage: {
        isExact: output !== undefined,
        inputTokens: tokensIn(last, 'prompt_eval_count'),
        outputTokens: output ?? this.#floor.atLeast(undefined),
        ...(last === undefined ? {} : { reported: last }),
      },
    };
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
