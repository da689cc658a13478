/**
 * The chunks of Gemini's `generateContentStream`, folded into a reply.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';
import {
  endOfReply,
  failureIn,
  isVisible,
  piecesIn,
  requireEventObject,
  type CallFragment,
  type ModelReply,
  type StreamFold,
} from './fold.ts';
import { replyOf, ReplyPieces, type Piece, type Written } from './reply-pieces.ts';
import { StreamedArguments } from './streamed-arguments.ts';
import { TokenFloor, tokensIn, usageOf } from '../usage.ts';

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
export type GeminiReply = ModelReply<GeminiMessage, GeminiCall> & {
  /** What the API says of the end of the reply, where it does. */
  readonly finishMessage?: string;
};

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
        readonly finishMessage?: string | undefined;
      }[]
    | undefined;
  readonly usageMetadata?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** A part on its way. */
interface OpenPart extends Piece<GeminiPart, GeminiCall> {
  readonly part: GeminiPart;
  /** Whether its text has more than white space in it. */
  readonly isVisible: boolean;
  /** Of a call whose arguments go on, or never came to their end, what had come. */
  readonly going?: StreamedArguments | undefined;
}

class GeminiFold implements StreamFold<GeminiChunk, GeminiReply> {
  readonly #parts = new ReplyPieces<OpenPart, GeminiPart, GeminiCall>({
    write: writePart,
  });
  /** The place of the call that goes on now. */
  #open = -1;
  readonly #floor = new TokenFloor();
  #stopReason: string | undefined;
  #finishMessage: string | undefined;
  #error: object | undefined;
  #usage: unknown;

  add(chunk: GeminiChunk): void {
    requireEventObject(chunk);
    this.#error ??= failureIn(chunk) ?? blockedBy(chunk);
    if (chunk.usageMetadata !== null && chunk.usageMetadata !== undefined) this.#usage = chunk.usageMetadata;
    // A reply is one candidate; further ones are other drafts of it.
    const candidate = piecesIn(chunk.candidates).find(({ index }) => (index ?? 0) === 0);
    for (const part of piecesIn(candidate?.content?.parts)) this.#take(part as Fields);
    if (typeof candidate?.finishReason !== 'string') return;
    this.#stopReason = candidate.finishReason;
    this.#finishMessage = candidate.finishMessage;
  }

  #take(part: Fields): void {
    const { text, thought, functionCall: call, thoughtSignature: signature } = part;
    if (typeof text === 'string') this.#floor.add(text);
    // What it thought is for the person who watches; going back, only the signature counts.
    if (thought === true && signature === undefined) return;
    if (isObject(call)) {
      this.#takeCall(part, call as Fields);
      return;
    }
    const { last: place } = this.#parts;
    const last = this.#parts.get(place);
    const copy: GeminiPart = { ...part };
    const isShown = typeof text === 'string' && isVisible(text);
    if (last !== undefined && isPlainText(last.part) && isPlainText(copy)) {
      const grown = { ...last.part, text: last.part.text + copy.text };
      this.#parts.set(place, { part: grown, isVisible: last.isVisible || isShown });
    } else this.#parts.set(place + 1, { part: copy, isVisible: isShown });
  }

  /** A call comes whole, or goes on in parts that need not name it, until one says no more that it goes on. */
  #takeCall(part: Fields, call: Fields): void {
    this.#floor.add(JSON.stringify(call));
    const held = this.#parts.get(this.#open);
    const own = held?.part.functionCall as Fields | undefined;
    const goesOn = own !== undefined && ['name', 'id'].every((key) => [undefined, own[key]].includes(call[key]));
    const open = goesOn ? held : undefined;
    const streamed = open?.going ?? new StreamedArguments();
    streamed.add(call['partialArgs'] as readonly object[]);
    const {
      partialArgs: _values,
      willContinue,
      ...said
    }: Record<string, unknown> = { ...open?.part.functionCall, ...call };
    const isEnd = willContinue !== true;
    const args = isEnd ? streamed.end() : undefined;
    if (args !== undefined && streamed.json !== '') said['args'] = { ...(said['args'] as object), ...args };
    const made: GeminiPart = { ...open?.part, ...part, functionCall: said as unknown as GeminiCall };
    const at = open === undefined ? this.#parts.last + 1 : this.#open;
    this.#parts.set(at, { part: made, isVisible: false, going: args === undefined ? streamed : undefined });
    this.#open = isEnd ? -1 : at;
  }

  get value(): GeminiReply {
    const moment = this.#parts.now();
    const output = this.#outputTokens();
    const isExact = this.#stopReason !== undefined && output !== undefined;
    const input = tokensIn(this.#usage, 'promptTokenCount');
    const reply = replyOf(moment, () => ({ role: 'model' as const, parts: moment.parts() }), {
      text: moment.text,
      ...endOfReply(this.#stopReason, this.#stopReason !== undefined, this.#error),
      usage: usageOf(isExact, input, isExact ? output : this.#floor.atLeast(output), this.#usage),
    });
    return this.#finishMessage === undefined ? reply : Object.assign(reply, { finishMessage: this.#finishMessage });
  }

  /** All output, thoughts included: the provider counts the two apart. */
  #outputTokens(): number | undefined {
    const said = tokensIn(this.#usage, 'candidatesTokenCount');
    const thought = tokensIn(this.#usage, 'thoughtsTokenCount');
    return said === undefined && thought === undefined ? undefined : (said ?? 0) + (thought ?? 0);
  }
}

/** What the API says of a prompt that it blocked: no reply comes of it. */
function blockedBy(chunk: object): object | undefined {
  const { blockReason: code, blockReasonMessage: message } = ((chunk as Fields)['promptFeedback'] ?? {}) as Fields;
  return (code ?? undefined) === undefined ? undefined : { code, message };
}

/** Whether it is a text and nothing besides. */
function isPlainText(part: GeminiPart): part is { text: string } {
  const rest = Object.entries({ ...part, text: undefined, thought: (part as Fields)['thought'] === true || undefined });
  return typeof part.text === 'string' && rest.every(([, value]) => value === undefined);
}

/** What a part comes to: one that may go back to the provider, or what is left of a call that may not. */
function writePart({ part, isVisible: isShown, going }: OpenPart): Written<GeminiPart, GeminiCall> {
  if (going !== undefined || !isFinished(part, isShown)) return { fragment: callFragment(part, going?.json ?? '') };
  const isThought = (part as Fields)['thought'] === true;
  return { part, call: part.functionCall, text: isThought ? undefined : part.text };
}

/** Cut text is still text, a call without a name is nothing. */
function isFinished(part: GeminiPart, isShown: boolean): boolean {
  const call = part.functionCall as Fields | null | undefined;
  if (!isObject(call)) return part.text === undefined || isShown || part.thoughtSignature !== undefined;
  return typeof call['name'] === 'string';
}

function callFragment(part: GeminiPart, streamed: string): CallFragment | undefined {
  const { id, name, args } = (part.functionCall ?? {}) as Fields;
  if (typeof name !== 'string') return undefined;
  const json = streamed !== '' || args === undefined ? streamed : JSON.stringify(args);
  return { id: typeof id === 'string' ? id : undefined, name, json };
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
