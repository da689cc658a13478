/**
 * The chunks of Gemini's `generateContentStream`, folded into a reply.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';
import {
  concatenate,
  isVisible,
  piecesIn,
  requireEventObject,
  type CallFragment,
  type ModelReply,
  type StreamFold,
} from './fold.ts';
import { TokenFloor, tokensIn } from '../usage.ts';

/**
 * A part of a turn; mutable, as the SDK types its parameters.
 *
 * @since 0.1.0
 */
export interface GeminiPart {
  text?: string;
  functionCall?: GeminiCall;
  thoughtSignature?: string;
}

/**
 * A function call of the Gemini API.
 *
 * @since 0.1.0
 */
export interface GeminiCall {
  /** Not every model gives one; then calls and responses go by their order. */
  id?: string;
  name: string;
  args: Record<string, unknown>;
}

/**
 * A turn of the model; mutable, as the SDK types its parameters.
 *
 * @since 0.1.0
 */
export interface GeminiMessage {
  role: 'model';
  parts: GeminiPart[];
}

/**
 * What a Gemini stream has said so far.
 *
 * @since 0.1.0
 */
export type GeminiReply = ModelReply<GeminiMessage, GeminiCall>;

/**
 * As much of a chunk as the fold reads.
 *
 * @since 0.1.0
 */
export interface GeminiChunk {
  readonly candidates?:
    | readonly {
        readonly index?: number | undefined;
        readonly content?: { readonly parts?: readonly object[] | undefined } | undefined;
        readonly finishReason?: string | undefined;
      }[]
    | undefined;
  readonly usageMetadata?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

class GeminiFold implements StreamFold<GeminiChunk, GeminiReply> {
  readonly #parts: GeminiPart[] = [];
  /** The texts that have more than white space in them. */
  #visible = new WeakSet<GeminiPart>();
  readonly #floor = new TokenFloor();
  #stopReason: string | undefined;
  #usage: unknown;

  add(chunk: GeminiChunk): void {
    requireEventObject(chunk);
    if (chunk.usageMetadata !== null && chunk.usageMetadata !== undefined) this.#usage = chunk.usageMetadata;
    // A reply is one candidate; further ones are other drafts of it.
    const candidate = piecesIn(chunk.candidates).find(({ index }) => (index ?? 0) === 0);
    for (const part of piecesIn(candidate?.content?.parts)) this.#take(part as Fields);
    if (typeof candidate?.finishReason === 'string') this.#stopReason = candidate.finishReason;
  }

  #take(part: Fields): void {
    const { text, thought, functionCall: call, thoughtSignature: signature } = part;
    if (typeof text === 'string') this.#floor.add(text);
    // What it thought is for the person who watches; going back, only the signature counts.
    if (thought === true && signature === undefined) return;
    if (typeof call === 'object' && call !== null) this.#floor.add(JSON.stringify(call));
    const last = this.#parts.at(-1);
    const plain = typeof text === 'string' && signature === undefined && thought !== true ? text : undefined;
    if (plain !== undefined && last?.text !== undefined && last.thoughtSignature === undefined) {
      const grown = { ...last, text: last.text + plain };
      if (this.#visible.has(last) || isVisible(plain)) this.#visible.add(grown);
      this.#parts[this.#parts.length - 1] = grown;
    } else {
      const copy = { ...part };
      if (typeof text === 'string' && isVisible(text)) this.#visible.add(copy);
      this.#parts.push(copy);
    }
  }

  get value(): GeminiReply {
    const isDone = (part: GeminiPart): boolean => isFinished(part, this.#visible.has(part));
    const parts = this.#parts.filter(isDone);
    const output = this.#outputTokens();
    const isExact = this.#stopReason !== undefined && output !== undefined;
    return {
      message: { role: 'model', parts },
      calls: parts.flatMap(({ functionCall }) => functionCall ?? []),
      fragments: this.#parts.flatMap((part) => (isDone(part) ? [] : callFragment(part))),
      text: concatenate(parts.map((part) => ('thought' in part ? '' : (part.text ?? '')))),
      stopReason: this.#stopReason,
      isComplete: this.#stopReason !== undefined,
      usage: {
        isExact,
        inputTokens: tokensIn(this.#usage, 'promptTokenCount'),
        outputTokens: isExact ? output : this.#floor.atLeast(output),
        ...(this.#usage === undefined ? {} : { reported: this.#usage }),
      },
    };
  }

  /** All output, thoughts included: the provider counts the two apart. */
  #outputTokens(): number | undefined {
    const said = tokensIn(this.#usage, 'candidatesTokenCount');
    const thought = tokensIn(this.#usage, 'thoughtsTokenCount');
    return said === undefined && thought === undefined ? undefined : (said ?? 0) + (thought ?? 0);
  }
}

/** A part that may go back to the provider: cut text is still text, a call whose arguments go on is nothing yet. */
function isFinished(part: GeminiPart, isShown: boolean): boolean {
  const call = part.functionCall as Fields | null | undefined;
  if (!isObject(call)) return part.text === undefined || isShown || part.thoughtSignature !== undefined;
  return typeof call['name'] === 'string' && call['willContinue'] !== true && !Array.isArray(call['partialArgs']);
}

/** What is left of a call that may not go back; its arguments go on in parts that name no call. */
function callFragment(part: GeminiPart): CallFragment[] {
  const { id, name, args } = (part.functionCall ?? {}) as Fields;
  if (typeof name !== 'string') return [];
  return [{ id: typeof id === 'string' ? id : undefined, name, json: args === undefined ? '' : JSON.stringify(args) }];
}

/**
 * Folds the chunks of `generateContentStream`. Thoughts are left out; their signatures are kept where they rode.
 *
 * @checkpoint never
 * @returns A fresh fold; give the function itself to `cancellableStream` or `readStream` as their `fold`.
 * @example
 * ```ts
 * import { foldGemini } from 'desist/llm'
 *
 * const fold = foldGemini()
 * fold.add({ candidates: [{ content: { parts: [{ text: 'Hel' }] } }] })
 * fold.value.text // => 'Hel'
 * fold.value.isComplete // => false
 * ```
 * @source `@google/genai` `Chat`
 * @since 0.1.0
 */
export function foldGemini(): StreamFold<GeminiChunk, GeminiReply> {
  return new GeminiFold();
}
