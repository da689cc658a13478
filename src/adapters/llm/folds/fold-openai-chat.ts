/**
 * The chunks of OpenAI's Chat Completions stream, folded into a reply.
 *
 * @module
 */
import { isCutShort, isObject, replyEnd } from '../../../core/inside.ts';
import {
  endOfReply,
  failureIn,
  isVisible,
  isWholeObject,
  jsonIn,
  piecesIn,
  requireEventObject,
  textIn,
  type ModelReply,
  type StreamFold,
} from './fold.ts';
import { said, wordsIn } from '../chat-content.ts';
import { OtherFields } from './merge-fields.ts';
import { replyOf, ReplyPieces, type Piece, type Written } from './reply-pieces.ts';
import { JsonEnd } from '../../internal/json-end.ts';
import { TokenFloor, tokensIn, usageOf } from '../usage.ts';

/**
 * A function call of the Chat Completions API. Where custom tools are offered, a call of one stands among the others: its
 * type is `custom`, and `custom` takes the place of `function`, as the SDK has it.
 *
 * @since 0.1.0
 */
export interface OpenAIToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/**
 * An assistant message of the Chat Completions API; mutable, as the SDK types its parameters. What a server says besides,
 * such as `refusal` or `reasoning_content`, is in it under the server's own names.
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
  /** What a proxy says of a provider that fell over; in a choice, too. */
  readonly error?: unknown;
}

/** What a chunk adds to a message; it may hold more. */
interface OpenAIDelta {
  /** Some compatible servers stream a list of parts, thoughts among them. */
  readonly content?: string | readonly unknown[] | null | undefined;
  readonly refusal?: string | null | undefined;
  /** What compatible servers call the model's thoughts. */
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly tool_calls?: readonly OpenAIToolCallDelta[] | null | undefined;
}

/** What a chunk adds to a tool call; it may hold more. */
interface OpenAIToolCallDelta {
  readonly index?: number | undefined;
  readonly id?: string | null | undefined;
  readonly type?: string | null | undefined;
  readonly function?:
    | { readonly name?: string | null | undefined; readonly arguments?: string | null | undefined }
    | undefined;
  readonly custom?:
    | { readonly name?: string | null | undefined; readonly input?: string | null | undefined }
    | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** A call on its way; its `json` is the text of a custom tool's input, where it is one. */
interface OpenCall extends Piece<never, OpenAIToolCall> {
  json: string;
  id: string;
  name: string;
  isCustom: boolean;
  hasArguments: boolean;
  /** How far the arguments are from their end. */
  readonly end: JsonEnd;
  /** What else is said of it, and what else in its body. */
  readonly own: Record<string, unknown>;
  readonly body: Record<string, unknown>;
}

function openCall(): OpenCall {
  return {
    ...{ id: '', name: '', json: '', isCustom: false, hasArguments: false },
    ...{ end: new JsonEnd(), written: undefined, own: {}, body: {} },
  };
}

/** What the fold has fields of its own for, in a delta, in a call of it, and in the body of that. */
const ownFields = new Set(['content', 'tool_calls', 'role']);
const callFields = new Set(['index', 'id', 'function', 'custom']);
const bodyFields = new Set(['name', 'arguments', 'input']);

class OpenAIChatFold implements StreamFold<OpenAIChatChunk, OpenAIChatReply> {
  readonly #calls = new ReplyPieces<OpenCall, never, OpenAIToolCall>({
    write: (call, isLast) => this.#write(call, isLast),
  });
  readonly #floor = new TokenFloor();
  /** Places of calls whose index was taken. */
  readonly #moved = new Map<number, number>();
  /** What the message holds besides its text and its calls. */
  readonly #own = new OtherFields(ownFields);
  #text = '';
  #stopReason: string | undefined;
  /** The stream ended, and the server had said no word of an end. */
  #hasEnded = false;
  #error: object | undefined;
  #usage: unknown;

  add(chunk: OpenAIChatChunk): void {
    requireEventObject(chunk);
    if (chunk.usage !== null && chunk.usage !== undefined) this.#usage = chunk.usage;
    this.#error ??= failureIn(chunk);
    // A reply is one choice; further ones are other drafts of it.
    const choice = piecesIn(chunk.choices).find(({ index }) => (index ?? 0) === 0);
    if (choice === undefined) return;
    this.#error ??= failureIn(choice);
    const delta = choice.delta ?? {};
    const { content, tool_calls: calls } = delta;
    this.#own.add(delta);
    const words = wordsIn(content);
    this.#text += words.text;
    this.#floor.add(words.text);
    this.#floor.add(words.thought);
    // Thoughts are produced too; a server that says them under both names says them once.
    const thought = textIn(delta.reasoning_content);
    this.#floor.add(thought === '' ? textIn(delta.reasoning) : thought);
    for (const call of piecesIn(calls)) this.#grow(call);
    if (typeof choice.finish_reason !== 'string' || choice.finish_reason === this.#stopReason) return;
    this.#stopReason = choice.finish_reason;
    this.#calls.reset();
  }

  end(): void {
    this.#hasEnded = this.#text !== '' || this.#calls.last >= 0;
    this.#calls.reset();
  }

  #grow(delta: OpenAIToolCallDelta): void {
    const isCustom = isObject(delta.custom);
    const body = ((isCustom ? delta.custom : delta.function) ?? {}) as Fields;
    const { index } = delta;
    const [id, name, piece] = [textIn(delta.id), textIn(body['name']), jsonIn(body[isCustom ? 'input' : 'arguments'])];
    const place = this.#placeOf(index, id, name, piece);
    const call = this.#calls.get(place) ?? openCall();
    this.#calls.set(place, call);
    if (id !== '') call.id = id;
    // Some servers say it again with each piece.
    if (name !== call.name) call.name += name;
    call.json += piece;
    call.isCustom ||= isCustom;
    call.hasArguments ||= isVisible(piece);
    call.end.add(piece);
    assignSaid(call.own, delta, callFields);
    assignSaid(call.body, body, bodyFields);
    this.#floor.add(piece);
  }

  /**
   * Compatible servers leave out the index, or say 0 of each call: another id is another call then, and so is what
   * begins where the arguments had come to their end.
   */
  #placeOf(index: number | undefined, id: string, name: string, piece: string): number {
    const { last } = this.#calls;
    const place = index === undefined ? Math.max(0, last) : (this.#moved.get(index) ?? index);
    const call = this.#calls.get(place);
    if (call === undefined || (id !== '' && id === call.id)) return place;
    const isOther = id !== '' && (call.id !== '' || index === undefined);
    if (!isOther && !beginsAnew(call, name, piece)) return place;
    if (index !== undefined) this.#moved.set(index, last + 1);
    return last + 1;
  }

  get #end(): ReturnType<typeof endOfReply> {
    return endOfReply(this.#stopReason, this.#stopReason !== undefined || this.#hasEnded, this.#error);
  }

  get value(): OpenAIChatReply {
    const output = tokensIn(this.#usage, 'completion_tokens');
    const ended = this.#end;
    const isExact = ended.isComplete && output !== undefined;
    const input = tokensIn(this.#usage, 'prompt_tokens');
    const [text, own] = [this.#text, this.#own.now()];
    const message = (calls: OpenAIToolCall[]) => ({
      role: 'assistant' as const,
      content: null,
      ...said(own.fields(), ended.isComplete),
      ...(text !== '' && { content: text }),
      ...(calls.length > 0 && { tool_calls: calls }),
    });
    return replyOf(
      this.#calls.now(),
      message,
      {
        text: this.#text,
        ...ended,
        usage: usageOf(isExact, input, isExact ? output : this.#floor.atLeast(output), this.#usage),
      },
      own.isLong,
    );
  }

  /** A call is finished when the model stopped by itself – wrong arguments are told to it –, or when the next one began behind JSON. */
  #write(call: OpenCall, isLast: boolean): Written<never, OpenAIToolCall> {
    const { id, name, json, isCustom, hasArguments } = call;
    const end = replyEnd(this.#stopReason);
    const { isComplete } = this.#end;
    const isOver = isComplete && !isCutShort(end);
    // Nobody sees where the text of a custom tool was cut. Arguments on their way are never parsed: that is not linear.
    const isWhole = (): boolean => (isCustom || !hasArguments ? !isLast : isWholeObject(json));
    const isMade = isOver && (end !== 'unknown' || isCustom || !hasArguments);
    const isClosed = isComplete || (!isLast && hasArguments);
    if (isMade || (isClosed && isWhole())) return { call: finishedCall(call) };
    return { fragment: { id: id === '' ? undefined : id, name, json } };
  }
}

function finishedCall({ id, name, json, isCustom, hasArguments, own, body }: OpenCall): OpenAIToolCall {
  const made = isCustom
    ? { id, type: 'custom', ...own, custom: { ...body, name, input: json } }
    : { id, type: 'function', ...own, function: { ...body, name, arguments: hasArguments ? json : '{}' } };
  return made as OpenAIToolCall;
}

/** Whether a piece that names a tool cannot go on with a call: that one's arguments are whole. */
function beginsAnew({ isCustom, hasArguments, end, name: own }: OpenCall, name: string, piece: string): boolean {
  const isWhole = !isCustom && hasArguments && end.hasCome;
  return isWhole && name !== '' && (name !== own || piece.trimStart().startsWith('{'));
}

/** The last word counts, and `null` is none. */
function assignSaid(held: Record<string, unknown>, said: object, except: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(said as Fields))
    if (value !== null && value !== undefined && !except.has(name)) held[name] = value;
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
