/**
 * The events of OpenAI's Responses stream, folded into the items of a reply.
 *
 * @module
 */
import {
  concatenate,
  isVisible,
  parseArguments,
  piecesIn,
  requireEventObject,
  textIn,
  type CallFragment,
  type ModelReply,
  type StreamFold,
} from './fold.ts';
import { InOrder } from './in-order.ts';
import { TokenFloor, tokensIn } from '../usage.ts';

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
 * A call among them: `function_call`, `custom_tool_call`, `shell_call`, `local_shell_call`, `apply_patch_call`,
 * `computer_call`.
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
interface OpenItem {
  readonly opening: Fields;
  /** The parts of a message, by their place: a text, or a refusal. */
  readonly parts: InOrder<{ text: string; isVisible: boolean; readonly isRefusal: boolean }>;
  /** The input of a call. */
  input: string;
  done: Fields | undefined;
  /** A call that was closed with arguments which the token limit cut. */
  isHalf: boolean;
}

const callTypes = new Set<unknown>([
  'function_call',
  'custom_tool_call',
  'shell_call',
  'local_shell_call',
  'apply_patch_call',
  'computer_call',
]);

class OpenAIResponsesFold implements StreamFold<{ readonly type: string }, OpenAIResponsesReply> {
  readonly #items = new InOrder<OpenItem>();
  readonly #floor = new TokenFloor();
  #responseId: string | undefined;
  #stopReason: string | undefined;
  #isComplete = false;
  #usage: unknown;

  add(event: { readonly type: string }): void {
    requireEventObject(event);
    const fields = event as unknown as Fields;
    const { delta } = fields;
    const { response } = fields as Readonly<Record<string, Fields | undefined>>;
    if (typeof response?.['id'] === 'string') this.#responseId = response['id'];
    if (typeof delta === 'string') this.#floor.add(delta);
    const place = typeof fields['output_index'] === 'number' ? fields['output_index'] : -1;
    const item = this.#items.get(place);
    switch (event.type) {
      case 'response.output_item.added':
        this.#items.set(place, openItem((fields['item'] ?? {}) as Fields));
        break;
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        if (item !== undefined) grow(item, fields, event.type === 'response.refusal.delta');
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        if (item !== undefined && typeof delta === 'string') item.input += delta;
        break;
      case 'response.output_item.done':
        this.#items.set(place, openItem({}, (fields['item'] ?? {}) as Fields));
        break;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.#end(event.type, response ?? {});
        break;
    }
  }

  #end(type: string, response: Fields): void {
    const { incomplete_details: details, usage } = response;
    const reason = (details as { reason?: unknown } | null | undefined)?.reason;
    this.#stopReason = typeof reason === 'string' ? reason : type.slice('response.'.length);
    this.#isComplete = type !== 'response.failed';
    if (usage !== null && usage !== undefined) this.#usage = usage;
  }

  get value(): OpenAIResponsesReply {
    const message = withoutLastReasoning(this.#items.values().flatMap(finishedItem));
    const output = tokensIn(this.#usage, 'output_tokens');
    const isExact = this.#isComplete && output !== undefined;
    return {
      message,
      calls: message.filter((item): item is OpenAIResponsesCall => callTypes.has(item.type)),
      fragments: this.#items.values().flatMap(callFragment),
      text: concatenate(message.map(textOf)),
      stopReason: this.#stopReason,
      isComplete: this.#isComplete,
      responseId: this.#responseId,
      usage: {
        isExact,
        inputTokens: tokensIn(this.#usage, 'input_tokens'),
        outputTokens: isExact ? output : this.#floor.atLeast(output),
        ...(this.#usage === undefined ? {} : { reported: this.#usage }),
      },
    };
  }
}

function grow({ parts }: OpenItem, fields: Fields, isRefusal: boolean): void {
  const place = typeof fields['content_index'] === 'number' ? fields['content_index'] : 0;
  let part = parts.get(place);
  if (part === undefined) parts.set(place, (part = { text: '', isVisible: false, isRefusal }));
  const { delta } = fields;
  if (typeof delta !== 'string') return;
  part.text += delta;
  part.isVisible ||= isVisible(delta);
}

function openItem(opening: Fields, done?: Fields): OpenItem {
  return { opening, parts: new InOrder(), input: '', done, isHalf: done !== undefined && isHalf(done) };
}

/** Whether a call was closed with arguments which the token limit cut. */
function isHalf(done: Fields): boolean {
  return done['type'] === 'function_call' && parseArguments(String(done['arguments'])) === undefined;
}

/** An item that may go back to the provider, or none: cut text is still text, a cut call or thought is nothing. */
function finishedItem({ opening, parts, done, isHalf: isCut }: OpenItem): OpenAIResponsesOutput[] {
  if (done !== undefined) return isCut ? [] : [{ ...done } as OpenAIResponsesOutput];
  const content = parts.values().flatMap(({ text, isVisible: isShown, isRefusal }) => {
    if (!isShown) return [];
    return [isRefusal ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [] }];
  });
  return content.length === 0 ? [] : [{ ...opening, type: 'message', content, status: 'incomplete' }];
}

/** What is left of a call that may not go back. */
function callFragment(item: OpenItem): CallFragment[] {
  const { call_id: id, name, type, arguments: json } = item.done ?? item.opening;
  if (!callTypes.has(type) || finishedItem(item).length > 0) return [];
  return [
    {
      id: typeof id === 'string' ? id : undefined,
      name: typeof name === 'string' ? name : String(type),
      json: typeof json === 'string' && json !== '' ? json : item.input,
    },
  ];
}

/** Reasoning without the item it led to is refused. */
function withoutLastReasoning(items: readonly OpenAIResponsesOutput[]): OpenAIResponsesOutput[] {
  let end = items.length;
  while (end > 0 && items[end - 1]?.type === 'reasoning') end -= 1;
  return items.slice(0, end);
}

function textOf({ type, content }: OpenAIResponsesOutput): string {
  if (type !== 'message' || !Array.isArray(content)) return '';
  return concatenate(piecesIn(content as readonly Fields[]).map(({ text }) => textIn(text)));
}

/**
 * Folds the events of a Responses stream, of `responses.create({ stream: true })` and `responses.stream()` alike.
 *
 * A cut reply has a message with status `incomplete`, and no half call; the server has not kept it, so go on from the
 * response before it. `settleTranscript` takes the value as a partial and says in the text that it was cut.
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
