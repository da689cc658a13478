/**
 * The events of OpenAI's Responses stream, folded into the items of a reply.
 *
 * @module
 */
import { isCutShort, isObject, replyEnd, type ReplyEnd } from '../../../core/inside.ts';
import {
  endOfReply,
  failureIn,
  isVisible,
  isWholeObject,
  jsonIn,
  listIn,
  parseArguments,
  piecesIn,
  requireEventObject,
  textIn,
  type CallFragment,
  type ModelReply,
  type StreamFold,
} from './fold.ts';
import { replyOf, ReplyPieces, type Piece, type Written } from './reply-pieces.ts';
import { isCall, isOurs, isTheirs } from '../response-items.ts';
import { TokenFloor, tokensIn, usageOf } from '../usage.ts';

/**
 * An item of a response; mutable, as the SDK types its parameters.
 *
 * @since 0.1.0
 */
export interface OpenAIResponsesOutput {
  type: string;
  [field: string]: unknown;
}

/**
 * A call among them that the caller's side answers: `function_call`, `custom_tool_call`, `shell_call`,
 * `local_shell_call`, `apply_patch_call`, `computer_call`, `tool_search_call`.
 *
 * @since 0.1.0
 */
export interface OpenAIResponsesCall extends OpenAIResponsesOutput {
  call_id: string;
}

/**
 * What a Responses stream has said so far. Its `message` is a list of items, to be spread into the next `input`.
 *
 * @since 0.1.0
 */
export interface OpenAIResponsesReply extends ModelReply<OpenAIResponsesOutput[], OpenAIResponsesCall> {
  /** The id of the response. Only one that `isComplete` can be gone on from. */
  readonly responseId: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** An item on its way: what opened it, what the deltas added, and what closed it. */
interface OpenItem extends Piece<OpenAIResponsesOutput, OpenAIResponsesCall> {
  readonly opening: Fields;
  /** The parts of a message, by their place. */
  readonly parts: ReplyPieces<OpenPart, Fields, never>;
  /** The input of a call. */
  input: string;
  done: Fields | undefined;
}

/** A part on its way: what opened it, with its text as far as it had come. */
interface OpenPart extends Piece<Fields, never> {
  readonly fields: Record<string, unknown>;
  /** Whether there is more than white space in it. */
  isVisible: boolean;
}

function writePart({ fields, isVisible: isShown }: OpenPart): Written<Fields, never> {
  return isShown ? { part: { ...fields }, text: textIn(fields['text']) } : {};
}

class OpenAIResponsesFold implements StreamFold<{ readonly type: string }, OpenAIResponsesReply> {
  #items = this.#noItems();
  /** The calls whose outputs came along: the provider ran them. */
  readonly #answered = new Set<unknown>();
  readonly #floor = new TokenFloor();
  #responseId: string | undefined;
  #stopReason: string | undefined;
  #isComplete = false;
  #error: object | undefined;
  #usage: unknown;
  add(event: { readonly type: string }): void {
    requireEventObject(event);
    const fields = event as unknown as Fields;
    const { response } = fields as Readonly<Record<string, Fields | undefined>>;
    if (typeof response?.['id'] === 'string') this.#responseId = response['id'];
    this.#floor.add(textIn(fields['delta']));
    const place = typeof fields['output_index'] === 'number' ? fields['output_index'] : -1;
    switch (event.type) {
      case 'response.output_item.added':
        this.#items.set(place, openItem((fields['item'] ?? {}) as Fields));
        break;
      case 'response.output_item.done':
        this.#close(place, fields['item']);
        break;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.#end(event.type, response ?? {});
        break;
      case 'error':
        this.#end('response.failed', { error: fields['error'] ?? event });
        break;
      default: {
        const item = this.#items.get(place);
        if (item !== undefined && growItem(item, event.type, fields)) this.#items.set(place, item);
      }
    }
  }

  #close(place: number, item: unknown): void {
    const closed = doneItem(item);
    const { type, call_id: id } = closed.done ?? {};
    if (typeof type === 'string' && type.endsWith('_output') && !this.#answered.has(id)) {
      this.#answered.add(id);
      this.#items.reset(); // its call stands before it
    }
    this.#items.set(place, closed);
  }

  #noItems(): ReplyPieces<OpenItem, OpenAIResponsesOutput, OpenAIResponsesCall> {
    return new ReplyPieces({
      write: (item, isLast) => this.#write(item, isLast),
      // Reasoning without the item it led to is refused.
      wantsMore: ({ type }) => type === 'reasoning',
    });
  }

  #end(type: string, response: Fields): void {
    const { incomplete_details: details, usage } = response;
    const reason = (details as { reason?: unknown } | null | undefined)?.reason;
    this.#stopReason = typeof reason === 'string' ? reason : type.slice('response.'.length);
    this.#isComplete = type !== 'response.failed';
    this.#error ??= failureIn(response);
    this.#items.reset();
    if (usage !== null && usage !== undefined) this.#usage = usage;
    if (!this.#isComplete) return;
    // A server may leave it to the end to say what an item came to.
    const output = listIn(response['output']);
    const closed = this.#items.values().filter(({ done }) => done !== undefined).length;
    if (output.length <= closed && closed === this.#items.values().length) return;
    if (output.length > 0) this.#items = this.#noItems();
    for (const [at, item] of output.entries()) this.#close(at, item);
  }

  get value(): OpenAIResponsesReply {
    const moment = this.#items.now();
    const output = tokensIn(this.#usage, 'output_tokens');
    const isExact = this.#isComplete && output !== undefined;
    const input = tokensIn(this.#usage, 'input_tokens');
    const reply = replyOf(moment, () => moment.parts(), {
      text: moment.text,
      ...endOfReply(this.#stopReason, this.#isComplete, this.#error),
      usage: usageOf(isExact, input, isExact ? output : this.#floor.atLeast(output), this.#usage),
    });
    return Object.assign(reply, { responseId: this.#responseId });
  }

  /** What an item comes to: one that may go back to the provider, or what is left of a call that may not. */
  #write(item: OpenItem, isLast: boolean): Written<OpenAIResponsesOutput, OpenAIResponsesCall> {
    const part = finishedItem(item, replyEnd(this.#stopReason), isLast);
    if (part === undefined) return { fragment: callFragment(item) };
    const call = isOurs(part) && !this.#answered.has(part['call_id']) ? (part as OpenAIResponsesCall) : undefined;
    return { part, call, text: item.done === undefined ? item.parts.now().text : textOf(part) };
  }
}

const placeOf = (index: unknown): number => (typeof index === 'number' ? index : 0);

function openPart(part: unknown): OpenPart {
  const fields: Record<string, unknown> = isObject(part) ? { ...part } : {};
  return { fields, isVisible: isVisible(textIn(fields['text']) + textIn(fields['refusal'])) };
}

/** Takes in what is said of an item on its way; whether it was that. */
function growItem(item: OpenItem, type: string, fields: Fields): boolean {
  const place = placeOf(fields['content_index']);
  switch (type) {
    case 'response.content_part.added':
    case 'response.content_part.done':
      item.parts.set(place, openPart(fields['part']));
      return true;
    case 'response.output_text.delta':
      return grow(item, fields, 'output_text', 'text');
    case 'response.refusal.delta':
      return grow(item, fields, 'refusal', 'refusal');
    case 'response.output_text.annotation.added': {
      const part = item.parts.get(place);
      if (part === undefined) return false;
      part.fields['annotations'] = [...listIn(part.fields['annotations']), fields['annotation']];
      item.parts.set(place, part);
      return true;
    }
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
    case 'response.shell_call_command.delta':
      item.input += textIn(fields['delta']);
      return true;
    default:
      return false;
  }
}

function grow({ parts }: OpenItem, fields: Fields, type: string, name: string): boolean {
  const place = placeOf(fields['content_index']);
  const part = parts.get(place) ?? openPart({ type, [name]: '', ...(type !== 'refusal' && { annotations: [] }) });
  parts.set(place, part);
  const delta = textIn(fields['delta']);
  part.fields[name] = textIn(part.fields[name]) + delta;
  part.isVisible ||= isVisible(delta);
  return true;
}

function openItem(opening: Fields): OpenItem {
  return { opening, parts: new ReplyPieces({ write: writePart }), input: '', done: undefined };
}

function doneItem(item: unknown): OpenItem {
  const given = (isObject(item) ? item : {}) as Fields;
  const input = given['type'] === 'function_call' ? given['arguments'] : undefined;
  return { ...openItem({}), done: isObject(input) ? { ...given, arguments: jsonIn(input) } : given };
}

/** Whether a call was closed with arguments that are not whole; what the model itself wrote wrong is a call. */
function isHalf(item: Fields, end: ReplyEnd, isLast: boolean): boolean {
  const { type, status, arguments: json } = item;
  const isCut = isCutShort(end);
  if (status === 'incomplete' || (isCut && status === 'in_progress')) return isOurs(item);
  if (type === 'custom_tool_call') return isCut && isLast && status !== 'completed';
  if (type !== 'function_call' || (status === 'completed' && !isCut)) return false;
  return isCut && !(textIn(json).trim() === '' && !isLast)
    ? !isWholeObject(String(json))
    : parseArguments(String(json)) === undefined;
}

/** What a reply has of an item: cut text is still text, a cut call of ours or a thought is nothing. */
function finishedItem(
  { opening, parts, done }: OpenItem,
  end: ReplyEnd,
  isLast: boolean,
): OpenAIResponsesOutput | undefined {
  if (done !== undefined) return isHalf(done, end, isLast) ? undefined : ({ ...done } as OpenAIResponsesOutput);
  const { type = 'message' } = opening;
  if (isTheirs(opening)) return { ...opening } as OpenAIResponsesOutput;
  if (type !== 'message') return undefined;
  const content = parts.now().parts();
  return content.length === 0 ? undefined : { ...opening, type, content, status: 'incomplete' };
}

/** What is left of a call that may not go back. */
function callFragment({ done, opening, input: streamed }: OpenItem): CallFragment | undefined {
  const { call_id: id, name, type, arguments: json, input } = done ?? opening;
  if (!isCall(type)) return undefined;
  return {
    id: typeof id === 'string' ? id : undefined,
    name: typeof name === 'string' ? name : String(type),
    json: textIn(json) || textIn(input) || streamed,
  };
}

function textOf({ type, content }: OpenAIResponsesOutput): string {
  if (type !== 'message' || !Array.isArray(content)) return '';
  return piecesIn(content as readonly Fields[]).reduce((all, { text }) => all + textIn(text), '');
}

/**
 * Folds the events of a Responses stream, of `responses.create({ stream: true })` and `responses.stream()` alike.
 *
 * A cut reply has a message with status `incomplete`, no half call, and what the provider was running as it stood; the
 * server has not kept it, so go on from the response before it. A `Conversation` takes it and says that it was cut.
 *
 * @checkpoint never
 * @returns A fresh fold; give the function itself to `cancellableStream` or `readStream` as their `fold`.
 * @example
 * ```ts
 * import { foldOpenAIResponses } from 'desist/llm'
 *
 * const fold = foldOpenAIResponses()
 * const item = { type: 'message', role: 'assistant', content: [] }
 * const events = [
 *   { type: 'response.output_item.added', output_index: 0, item },
 *   { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hel' },
 * ]
 * for (const event of events) fold.add(event)
 * fold.value.text // => 'Hel'
 * fold.value.message[0]?.['status'] // => 'incomplete'
 * ```
 * @source `openai` `ResponseStream`
 * @since 0.1.0
 */
export function foldOpenAIResponses(): StreamFold<{ readonly type: string }, OpenAIResponsesReply> {
  return new OpenAIResponsesFold();
}
