/**
 * The chunks of OpenAI's Chat Completions stream, folded into a reply.
 *
 * @module
 */
import {
  isVisible,
  parseOnce,
  piecesIn,
  requireEventObject,
  textIn,
  type CallFragment,
  type ModelReply,
  type StreamFold,
  type GrowingJSON,
} from './fold.ts';
import { InOrder } from './in-order.ts';
import { TokenFloor, tokensIn } from '../usage.ts';

/**
 * A function call of the Chat Completions API.
 *
 * @since 0.1.0
 */
export interface OpenAIToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/**
 * An assistant message of the Chat Completions API; mutable, as the SDK types its parameters.
 *
 * @since 0.1.0
 */
export interface OpenAIMessage {
  role: 'assistant';
  content: string | null;
  tool_calls?: OpenAIToolCall[];
}

/**
 * What a Chat Completions stream has said so far.
 *
 * @since 0.1.0
 */
export type OpenAIChatReply = ModelReply<OpenAIMessage, OpenAIToolCall>;

/**
 * As much of a chunk as the fold reads.
 *
 * @since 0.1.0
 */
export interface OpenAIChatChunk {
  readonly choices?: readonly {
    readonly index?: number | undefined;
    readonly delta?: OpenAIDelta | null | undefined;
    readonly finish_reason?: string | null | undefined;
  }[];
  readonly usage?: unknown;
}

/** What a chunk adds to a message. */
interface OpenAIDelta {
  readonly content?: string | null | undefined;
  readonly tool_calls?: readonly OpenAIToolCallDelta[] | null | undefined;
}

/** What a chunk adds to a tool call. */
interface OpenAIToolCallDelta {
  readonly index?: number | undefined;
  readonly id?: string | null | undefined;
  readonly function?:
    { readonly name?: string | null | undefined; readonly arguments?: string | null | undefined } | undefined;
}

interface OpenCall extends GrowingJSON {
  readonly place: number;
  id: string;
  name: string;
  hasArguments?: boolean;
}

class OpenAIChatFold implements StreamFold<OpenAIChatChunk, OpenAIChatReply> {
  readonly #calls = new InOrder<OpenCall>();
  readonly #floor = new TokenFloor();
  /** Places of calls whose index was taken. */
  readonly #moved = new Map<number, number>();
  #text = '';
  #stopReason: string | undefined;
  #usage: unknown;

  add(chunk: OpenAIChatChunk): void {
    requireEventObject(chunk);
    if (chunk.usage !== null && chunk.usage !== undefined) this.#usage = chunk.usage;
    // A reply is one choice; further ones are other drafts of it.
    const choice = piecesIn(chunk.choices).find(({ index }) => (index ?? 0) === 0);
    if (choice === undefined) return;
    const { content, tool_calls: calls } = choice.delta ?? {};
    if (typeof content === 'string') {
      this.#text += content;
      this.#floor.add(content);
    }
    for (const call of piecesIn(calls)) this.#grow(call);
    if (typeof choice.finish_reason === 'string') this.#stopReason = choice.finish_reason;
  }

  #grow(delta: OpenAIToolCallDelta): void {
    const id = textIn(delta.id);
    const place = this.#placeOf(delta.index, id);
    let call = this.#calls.get(place);
    if (call === undefined) this.#calls.set(place, (call = { place, id: '', name: '', json: '' }));
    if (id !== '') call.id = id;
    const name = textIn(delta.function?.name);
    // Some servers say it again with each piece.
    if (name !== call.name) call.name += name;
    const piece = textIn(delta.function?.arguments);
    call.json += piece;
    call.hasArguments ||= isVisible(piece);
    this.#floor.add(piece);
  }

  /** Compatible servers leave out the index, or say 0 of each call: another id is another call then. */
  #placeOf(index: number | undefined, id: string): number {
    const { last } = this.#calls;
    const place = index === undefined ? Math.max(0, last) : (this.#moved.get(index) ?? index);
    const known = this.#calls.get(place)?.id ?? id;
    if (id === '' || known === id || (known === '' && index !== undefined)) return place;
    if (index !== undefined) this.#moved.set(index, last + 1);
    return last + 1;
  }

  get value(): OpenAIChatReply {
    const { calls, fragments } = this.#sortedCalls();
    const content = this.#text === '' ? null : this.#text;
    const output = tokensIn(this.#usage, 'completion_tokens');
    const isExact = this.#stopReason !== undefined && output !== undefined;
    return {
      message: { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) },
      calls,
      fragments,
      text: this.#text,
      stopReason: this.#stopReason,
      isComplete: this.#stopReason !== undefined,
      usage: {
        isExact,
        inputTokens: tokensIn(this.#usage, 'prompt_tokens'),
        outputTokens: isExact ? output : this.#floor.atLeast(output),
        ...(this.#usage === undefined ? {} : { reported: this.#usage }),
      },
    };
  }

  /** A call is finished when the next one began or the model stopped, and its arguments are JSON. */
  #sortedCalls(): { calls: OpenAIToolCall[]; fragments: CallFragment[] } {
    const calls: OpenAIToolCall[] = [];
    const fragments: CallFragment[] = [];
    for (const call of this.#calls.values()) {
      const { place, id, name, json } = call;
      const isClosed = this.#stopReason !== undefined || place < this.#calls.last;
      if (isClosed && parseOnce(call) !== undefined) {
        calls.push({ id, type: 'function', function: { name, arguments: call.hasArguments === true ? json : '{}' } });
      } else fragments.push({ id: id === '' ? undefined : id, name, json });
    }
    return { calls, fragments };
  }
}

/**
 * Folds the chunks of a Chat Completions stream. Ask for `stream_options: { include_usage: true }`, or the usage of a
 * complete reply is a lower bound as well.
 *
 * @checkpoint never
 * @returns A fresh fold; give the function itself to `cancellableStream` or `readStream` as their `fold`.
 * @example
 * ```ts
 * import { foldOpenAIChat } from 'desist/llm'
 *
 * const fold = foldOpenAIChat()
 * fold.add({ choices: [{ delta: { content: 'Hel' } }] })
 * fold.value.text // => 'Hel'
 * fold.value.usage.isExact // => false
 * ```
 * @source `openai` `ChatCompletionStream`
 * @since 0.1.0
 */
export function foldOpenAIChat(): StreamFold<OpenAIChatChunk, OpenAIChatReply> {
  return new OpenAIChatFold();
}
