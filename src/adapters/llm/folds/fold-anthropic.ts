/**
 * The events of Anthropic's Messages stream, folded into a reply.
 *
 * @module
 */
import { isCutShort, isObject, replyEnd, type ReplyEnd } from '../../../core/inside.ts';
import {
  endOfReply,
  failureIn,
  isVisible,
  isWholeObject,
  listIn,
  parseArguments,
  requireEventObject,
  textIn,
  type ModelReply,
  type StreamFold,
} from './fold.ts';
import { replyOf, ReplyPieces, type Piece, type Written } from './reply-pieces.ts';
import { TokenFloor, tokensIn, usageOf } from '../usage.ts';

/**
 * A tool call of the Messages API.
 *
 * @since 0.1.0
 */
export interface AnthropicToolUse {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
}

/**
 * The content blocks that a cut can touch. Others pass through as they came, if they came whole.
 *
 * @since 0.1.0
 */
export type AnthropicBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | AnthropicToolUse;

/**
 * An assistant message of the Messages API; mutable, as the SDK types its parameters.
 *
 * @since 0.1.0
 */
export interface AnthropicMessage {
  role: 'assistant';
  content: AnthropicBlock[];
}

/**
 * What a Messages stream has said so far.
 *
 * @since 0.1.0
 */
export type AnthropicReply = ModelReply<AnthropicMessage, AnthropicToolUse>;

type Fields = Readonly<Record<string, unknown>>;

/** A block on its way: the provider's opening with what the deltas added to it, the arguments, whether it was closed. */
interface OpenBlock extends Piece<AnthropicBlock, AnthropicToolUse> {
  readonly place: number;
  readonly fields: Record<string, unknown>;
  json: string;
  /** Whether there is more than white space in its text. */
  isVisible: boolean;
  isClosed: boolean;
}

/** What grows by its deltas, whatever kind of delta says so. */
const growing = new Set(['text', 'thinking', 'signature']);

class AnthropicFold implements StreamFold<{ readonly type: string }, AnthropicReply> {
  readonly #blocks = new ReplyPieces<OpenBlock, AnthropicBlock, AnthropicToolUse>({
    write: (block, isLast) => writeBlock(block, !isLast ? 'whole' : replyEnd(this.#stopReason)),
  });
  readonly #byIndex = new Map<unknown, OpenBlock>();
  readonly #floor = new TokenFloor();
  #usage: Fields = {};
  #hasUsage = false;
  #stopReason: string | undefined;
  #isComplete = false;
  #error: object | undefined;

  add(event: { readonly type: string }): void {
    requireEventObject(event);
    this.#error ??= failureIn(event);
    const fields = event as unknown as Readonly<Record<string, Fields | undefined>>;
    switch (event.type) {
      case 'message_start':
        this.#report(fields['message']?.['usage']);
        break;
      case 'content_block_start': {
        const opening = { ...fields['content_block'] };
        const place = this.#blocks.last + 1;
        const shown = isVisible(textIn(opening['text']));
        const block: OpenBlock = { place, fields: opening, json: '', isVisible: shown, isClosed: false };
        this.#blocks.set(place, block);
        this.#byIndex.set(fields['index'], block);
        break;
      }
      case 'content_block_delta':
        this.#grow(this.#blockAt(fields['index']), fields['delta']);
        break;
      case 'content_block_stop': {
        const block = this.#blockAt(fields['index']);
        if (block === undefined) break;
        block.isClosed = true;
        this.#blocks.set(block.place, block);
        break;
      }
      case 'message_delta': {
        const reason = fields['delta']?.['stop_reason'];
        if (typeof reason === 'string') {
          this.#stopReason = reason;
          const last = this.#blocks.get(this.#blocks.last);
          if (last !== undefined) this.#blocks.set(last.place, last);
        }
        this.#report(fields['usage']);
        break;
      }
      case 'message_stop':
        this.#isComplete = true;
        break;
    }
  }

  #report(usage: unknown): void {
    if (typeof usage !== 'object' || usage === null) return;
    this.#hasUsage = true;
    // The last event repeats some counts as null.
    const said = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    this.#usage = { ...this.#usage, ...Object.fromEntries(said) };
  }

  #blockAt(index: unknown): OpenBlock | undefined {
    return this.#byIndex.get(index) ?? this.#blocks.get(this.#blocks.last);
  }

  /** Texts are appended, and so are citations; of anything else the last word counts, whatever its name is. */
  #grow(block: OpenBlock | undefined, delta: unknown): void {
    if (block === undefined || !isObject(delta)) return;
    const { fields } = block;
    this.#blocks.set(block.place, block);
    for (const name of Object.keys(delta)) {
      const piece = (delta as Fields)[name];
      if (name === 'type') continue;
      if (name === 'partial_json') block.json += this.#count(textIn(piece));
      else if (name === 'citation') fields['citations'] = [...listIn(fields['citations']), piece];
      else if (growing.has(name) || `${name}_delta` === (delta as Fields)['type']) {
        fields[name] = textIn(fields[name]) + (name === 'signature' ? textIn(piece) : this.#count(textIn(piece)));
        block.isVisible ||= name === 'text' && isVisible(textIn(piece));
      } else fields[name] = piece;
    }
  }

  #count(piece: string): string {
    this.#floor.add(piece);
    return piece;
  }

  get value(): AnthropicReply {
    const moment = this.#blocks.now();
    const output = tokensIn(this.#usage, 'output_tokens');
    const isExact = this.#stopReason !== undefined && output !== undefined;
    const reported = this.#hasUsage ? this.#usage : undefined;
    return replyOf(moment, () => ({ role: 'assistant' as const, content: moment.parts() }), {
      text: moment.text,
      ...endOfReply(this.#stopReason, this.#isComplete, this.#error),
      usage: usageOf(isExact, this.#inputTokens(), isExact ? output : this.#floor.atLeast(output), reported),
    });
  }

  /** All input, however it was cached: the provider counts the three apart. */
  #inputTokens(): number | undefined {
    const plain = tokensIn(this.#usage, 'input_tokens');
    if (plain === undefined) return undefined;
    const cached = ['cache_creation_input_tokens', 'cache_read_input_tokens'] as const;
    return cached.reduce((sum, field) => sum + (tokensIn(this.#usage, field) ?? 0), plain);
  }
}

/** What a block comes to: one that may go back to the provider, or what is left of a call that may not. */
function writeBlock(block: OpenBlock, end: ReplyEnd): Written<AnthropicBlock, AnthropicToolUse> {
  const part = isCutShort(end) && isHalf(block) ? undefined : finishedBlock(block, end);
  if (part?.type === 'text') return { part, text: part.text };
  if (part !== undefined) return part.type === 'tool_use' ? { part, call: part } : { part };
  const { type, id, name } = block.fields;
  if (type !== 'tool_use') return {};
  return { fragment: { id: typeof id === 'string' ? id : undefined, name: textIn(name), json: block.json } };
}

/** Whether it is a call whose arguments have not come, or not to their end. */
function isHalf({ fields: { type, input }, json }: OpenBlock): boolean {
  const isGiven = json.trim() === '' && isObject(input) && Object.keys(input).length > 0;
  return type === 'tool_use' && !isGiven && !isWholeObject(json);
}

/** Cut text is still text, a cut call or thought is nothing. */
function finishedBlock(
  { fields, json, isVisible: isShown, isClosed }: OpenBlock,
  end: ReplyEnd,
): AnthropicBlock | undefined {
  const { type, input, signature } = fields;
  if (type === 'text') return isShown ? ({ ...fields } as AnthropicBlock) : undefined;
  if (!isClosed || (type === 'thinking' && textIn(signature) === '')) return undefined;
  if (json !== '') {
    // What the model itself wrote wrong is sent back to it in the way that the provider asks for.
    const wrong = end !== 'unknown' && type === 'tool_use' ? { value: { INVALID_JSON: json } } : undefined;
    const parsed = parseArguments(json) ?? wrong;
    return parsed && ({ ...fields, input: parsed.value } as AnthropicBlock);
  }
  // Compatible servers may send the arguments whole, in the opening.
  const isCall = typeof type === 'string' && type.endsWith('tool_use');
  return { ...fields, ...(isCall && { input: input ?? {} }) } as AnthropicBlock;
}

/**
 * Folds the events of a Messages stream, of `messages.create({ stream: true })` and `messages.stream()` alike.
 *
 * Arguments that the model itself wrote wrong are `{ INVALID_JSON: text }`, as the provider wants them back.
 *
 * @checkpoint never
 * @returns A fresh fold; give the function itself to `cancellableStream` or `readStream` as their `fold`.
 * @example
 * ```ts
 * import { foldAnthropic } from 'desist/llm'
 *
 * const fold = foldAnthropic()
 * fold.add({ type: 'content_block_start', content_block: { type: 'text', text: '' } } as { type: string })
 * fold.add({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hel' } } as { type: string })
 * fold.value.text // => 'Hel'
 * fold.value.isComplete // => false
 * ```
 * @source `@anthropic-ai/sdk` `MessageStream.currentMessage`
 * @since 0.1.0
 */
export function foldAnthropic(): StreamFold<{ readonly type: string }, AnthropicReply> {
  return new AnthropicFold();
}
