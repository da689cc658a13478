/**
 * The parts of the AI SDK's full stream, folded into a reply.
 *
 * Unlike a provider's stream this one holds several replies, because the SDK runs tools and asks again by itself. The
 * reply is the last of them; everything that came, with the results of tools, is in its `messages`.
 *
 * @module
 */
import { endOfReply, requireEventObject, type ModelReply, type StreamFold } from './fold.ts';
import { Step, type AISDKStepMessage, type AISDKToolCall } from './fold-ai-sdk-step.ts';
import { LONG, setField } from './reply-pieces.ts';
import { TokenFloor, tokensIn, type StreamUsage } from '../usage.ts';

/**
 * What a stream of the AI SDK has said so far.
 *
 * @since 0.1.0
 */
export interface AISDKReply extends ModelReply<AISDKStepMessage & { role: 'assistant' }, AISDKToolCall> {
  /** Everything so far as messages for the next request: the replies of all steps, and the results of their tools. */
  readonly messages: readonly AISDKStepMessage[];
}

type Fields = Readonly<Record<string, unknown>>;

class AISDKFold implements StreamFold<{ readonly type: string }, AISDKReply> {
  /** The messages of the steps before this one, and their text; the list is only added to. */
  readonly #messages: AISDKStepMessage[] = [];
  #text = '';
  /** The tokens that those steps reported. */
  readonly #tokens = { inputTokens: 0, outputTokens: 0 };
  /** The step that is on its way; the stream of a single step may not announce it. */
  #step = new Step();
  readonly #floor = new TokenFloor();
  #stopReason: string | undefined;
  #isComplete = false;
  #error: unknown;
  #total: unknown;

  add(part: { readonly type: string }): void {
    requireEventObject(part);
    const fields = part as unknown as Fields;
    const { type } = part as { readonly type?: unknown };
    switch (type) {
      case 'start-step':
        this.#begin();
        break;
      case 'finish-step':
        this.#step.finish(fields);
        this.#stop(fields);
        break;
      case 'error':
        this.#error ??= fields['error'] ?? part;
        break;
      case 'finish':
        this.#isComplete = true;
        this.#total = fields['totalUsage'];
        this.#stop(fields);
        break;
      default: {
        const piece = fields['text'] ?? fields['delta'];
        if (typeof type !== 'string') return;
        if (type.endsWith('-delta') && typeof piece === 'string') this.#floor.add(piece);
        this.#step.add(type, fields);
      }
    }
  }

  #begin(): void {
    const step = this.#step.now();
    this.#messages.push(...step.messages(step.message()));
    this.#text += step.text;
    for (const field of ['inputTokens', 'outputTokens'] as const) this.#tokens[field] = this.#sum(field);
    this.#step = new Step();
  }

  #sum(field: 'inputTokens' | 'outputTokens'): number {
    return this.#tokens[field] + (tokensIn(this.#step.usage, field) ?? 0);
  }

  #stop(fields: Fields): void {
    if (typeof fields['finishReason'] === 'string') this.#stopReason = fields['finishReason'];
  }

  get value(): AISDKReply {
    const step = this.#step.now();
    const [before, count] = [this.#messages, this.#messages.length];
    const isLong = step.isLong || count > LONG;
    const value = {
      text: this.#text + step.text,
      // The SDK ends the stream of a model that failed as it ends any other.
      ...endOfReply(this.#stopReason, this.#isComplete, this.#error),
      stopReason: this.#step.isFinished ? this.#stopReason : undefined,
      usage: this.#usage(),
    } as { -readonly [K in keyof AISDKReply]: AISDKReply[K] };
    setField(value, 'message', isLong, () => step.message());
    setField(value, 'messages', isLong, () => before.slice(0, count).concat(step.messages(value.message)));
    setField(value, 'calls', isLong, () => step.calls());
    setField(value, 'fragments', isLong, () => step.fragments);
    return value;
  }

  #usage(): StreamUsage {
    const output = tokensIn(this.#total, 'outputTokens');
    if (output !== undefined) {
      const inputTokens = tokensIn(this.#total, 'inputTokens');
      return { isExact: true, inputTokens, outputTokens: output, reported: this.#total };
    }
    const inputTokens = this.#sum('inputTokens');
    return {
      isExact: false,
      inputTokens: inputTokens === 0 ? undefined : inputTokens,
      outputTokens: this.#floor.atLeast(this.#sum('outputTokens')),
    };
  }
}

/**
 * Folds the parts of `streamText(…).fullStream`, of an agent's stream alike.
 *
 * What a cut left unfinished is not in the reply: no half call, no reasoning before its end, no ids of items that the
 * provider did not store. A call without a result may have run: the SDK starts a tool while the reply still streams.
 *
 * @checkpoint never
 * @returns A fresh fold; give the function itself to `cancellableStream` or `readStream` as their `fold`.
 * @example
 * ```ts
 * import { foldAISDK } from 'desist/llm'
 *
 * const fold = foldAISDK()
 * fold.add({ type: 'text-start', id: '0' } as { type: string })
 * fold.add({ type: 'text-delta', id: '0', text: 'Hel' } as { type: string })
 * fold.value.message.content // => [{ type: 'text', text: 'Hel' }]
 * fold.value.isComplete // => false
 * ```
 * @source `ai` `toResponseMessages`
 * @since 0.1.0
 */
export function foldAISDK(): StreamFold<{ readonly type: string }, AISDKReply> {
  return new AISDKFold();
}
