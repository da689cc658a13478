/**
 * The events of Anthropic's Messages stream, folded into a reply.
 *
 * @module
 */
import {
  concatenate,
  isVisible,
  parseOnce,
  requireEventObject,
  type CallFragment,
  type ModelReply,
  type StreamFold,
  type GrowingJSON,
} from './fold.ts';
import { TokenFloor, tokensIn } from '../usage.ts';

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

/** A block on its way: the provider's opening, the text or arguments that the deltas added, whether it was closed. */
interface OpenBlock extends GrowingJSON {
  readonly opening: Fields;
  /** Whether there is more than white space in it. */
  isVisible: boolean;
  signature: string;
  isClosed: boolean;
}

/** What a block's deltas grow, by the field that carries them. */
const growing = ['text', 'thinking', 'partial_json'] as const;

class AnthropicFold implements StreamFold<{ readonly type: string }, AnthropicReply> {
  readonly #blocks: OpenBlock[] = [];
  readonly #floor = new TokenFloor();
  #usage: Fields = {};
  #hasUsage = false;
  #stopReason: string | undefined;
  #isComplete = false;

  add(event: { readonly type: string }): void {
    requireEventObject(event);
    const fields = event as unknown as Readonly<Record<string, Fields | undefined>>;
    switch (event.type) {
      case 'message_start':
        this.#report(fields['message']?.['usage']);
        break;
      case 'content_block_start': {
        const opening = fields['content_block'] ?? {};
        const text = opening['text'] ?? opening['thinking'];
        this.#blocks.push({
          opening,
          json: typeof text === 'string' ? text : '',
          isVisible: typeof text === 'string' && isVisible(text),
          signature: typeof opening['signature'] === 'string' ? opening['signature'] : '',
          isClosed: false,
        });
        break;
      }
      case 'content_block_delta':
        this.#grow(fields['delta'] ?? {});
        break;
      case 'content_block_stop': {
        const block = this.#blocks.at(-1);
        if (block !== undefined) block.isClosed = true;
        break;
      }
      case 'message_delta': {
        const reason = fields['delta']?.['stop_reason'];
        if (typeof reason === 'string') this.#stopReason = reason;
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

  #grow(delta: Fields): void {
    const block = this.#blocks.at(-1);
    if (block === undefined) return;
    if (typeof delta['signature'] === 'string') block.signature += delta['signature'];
    for (const field of growing) {
      const piece = delta[field];
      if (typeof piece !== 'string') continue;
      block.json += piece;
      block.isVisible ||= isVisible(piece);
      this.#floor.add(piece);
    }
  }

  get value(): AnthropicReply {
    const content = this.#blocks.flatMap(finishedBlock);
    const output = tokensIn(this.#usage, 'output_tokens');
    const isExact = this.#stopReason !== undefined && output !== undefined;
    return {
      message: { role: 'assistant', content },
      calls: content.filter((block): block is AnthropicToolUse => block.type === 'tool_use'),
      fragments: this.#blocks.flatMap(callFragment),
      text: concatenate(content.map((block) => (block.type === 'text' ? block.text : ''))),
      stopReason: this.#stopReason,
      isComplete: this.#isComplete,
      usage: {
        isExact,
        inputTokens: this.#inputTokens(),
        outputTokens: isExact ? output : this.#floor.atLeast(output),
        ...(this.#hasUsage ? { reported: this.#usage } : {}),
      },
    };
  }

  /** All input, however it was cached: the provider counts the three apart. */
  #inputTokens(): number | undefined {
    const plain = tokensIn(this.#usage, 'input_tokens');
    if (plain === undefined) return undefined;
    const cached = ['cache_creation_input_tokens', 'cache_read_input_tokens'] as const;
    return cached.reduce((sum, field) => sum + (tokensIn(this.#usage, field) ?? 0), plain);
  }
}

/** A block that may go back to the provider, or none: cut text is still text, a cut call or thought is nothing. */
function finishedBlock(block: OpenBlock): AnthropicBlock[] {
  const { opening, json: text, signature, isClosed } = block;
  switch (opening['type']) {
    case 'text':
      return !block.isVisible ? [] : [{ ...opening, type: 'text', text }];
    case 'thinking':
      return signature === '' || !isClosed ? [] : [{ type: 'thinking', thinking: text, signature }];
    case 'tool_use':
    case 'server_tool_use': {
      if (!isClosed) return [];
      // Compatible servers may send the arguments whole, in the opening.
      const input = text === '' ? { value: opening['input'] ?? {} } : parseOnce(block);
      return input === undefined ? [] : [{ ...opening, input: input.value } as AnthropicToolUse];
    }
    default:
      return isClosed ? [opening as unknown as AnthropicBlock] : [];
  }
}

/** What is left of a call that may not go back. */
function callFragment(block: OpenBlock): CallFragment[] {
  const { opening, json: text } = block;
  if (opening['type'] !== 'tool_use' || finishedBlock(block).length > 0) return [];
  const { id, name } = opening;
  return [{ id: typeof id === 'string' ? id : undefined, name: typeof name === 'string' ? name : '', json: text }];
}

/**
 * Folds the events of a Messages stream, of `messages.create({ stream: true })` and `messages.stream()` alike.
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
