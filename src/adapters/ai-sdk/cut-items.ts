/**
 * Answers that a message cut, in the prompts of the loop that goes on. A provider that stores answers, as OpenAI's Responses
 * API does, stores none that was cut; the loop names its items all the same. And where a cut came behind calls, the loop has
 * the thought that was cut as the last of them, which Anthropic refuses.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';
import { itemIdsOf, unnamedPart, type MessagePart } from './answer-parts.ts';
import { isRun } from './cut-answer.ts';
import type { AIStreamPart } from './streamed-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What one round of a stream is known by. */
export class RoundItems {
  readonly ids: Set<string> = new Set();
  /** Its calls for tools of ours. */
  readonly calls: Set<string> = new Set();
  /** What the provider ran for it, and whether that has ended. */
  readonly ran: Map<string, boolean> = new Map();

  add(part: AIStreamPart): void {
    const { type, providerMetadata, toolCallId, providerExecuted } = part as AIStreamPart & Fields;
    for (const id of itemIdsOf(providerMetadata)) this.ids.add(id);
    const id = String(toolCallId);
    if (type === 'tool-call' && providerExecuted !== true) this.calls.add(id);
    else if (type === 'tool-call' || type === 'tool-result') this.ran.set(id, type === 'tool-result');
  }
}

/** All rounds of one loop that were cut. */
export class CutItems {
  /** The items that no provider has; those of rounds without calls are not needed by any provider either. */
  readonly #ids = new Map<string, { readonly isNeeded: boolean }>();
  readonly #calls = new Set<string>();
  readonly #ran = new Set<string>();

  add({ ids, calls, ran }: RoundItems): void {
    for (const id of ids) this.#ids.set(id, { isNeeded: calls.size > 0 });
    for (const id of calls) this.#calls.add(id);
    // Nobody goes on with what had not ended, but for what made calls of ours.
    for (const [id, hasEnded] of ran) if (ids.size > 0 || !(hasEnded || calls.size > 0)) this.#ran.add(id);
  }

  /** A prompt that can be sent: what it names is sent itself, what cannot be or was cut is left out. */
  without(prompt: readonly unknown[]): readonly unknown[] {
    if (this.#ids.size === 0 && this.#calls.size === 0 && this.#ran.size === 0) return prompt;
    return prompt.flatMap((message) => {
      const { role, content } = (isObject(message) ? message : {}) as Fields;
      if (role !== 'assistant' || !Array.isArray(content)) return [message];
      const parts = this.#withoutLastThoughts((content as readonly unknown[]).flatMap((part) => this.#partOf(part)));
      const isSame = parts.length === content.length && parts.every((part, index) => part === content[index]);
      if (isSame) return [message];
      return parts.length === 0 ? [] : [{ ...(message as object), content: parts }];
    });
  }

  #partOf(given: unknown): readonly unknown[] {
    if (!isObject(given)) return [given];
    const part = given as MessagePart;
    const { type, text, toolCallId, providerOptions } = part;
    if (isRun(part) && this.#ran.has(String(toolCallId))) return [];
    const cut = itemIdsOf(providerOptions).flatMap((id) => this.#ids.get(id) ?? []);
    if (cut.length === 0) return [part];
    // A block that was cut before its first word was there for its name only.
    if (type === 'text' && text === '') return [];
    return type === 'reasoning' && !cut.some(({ isNeeded }) => isNeeded) ? [] : unnamedPart(part);
  }

  /** Where a round was cut behind its calls: what it thought after the last of them led to nothing. */
  #withoutLastThoughts(parts: readonly unknown[]): readonly unknown[] {
    const all = parts as readonly (Fields | null)[];
    if (!all.some((part) => this.#calls.has(String(part?.['toolCallId'])))) return parts;
    let end = all.length;
    while (all[end - 1]?.['type'] === 'reasoning' || all[end - 1]?.['text'] === '') end -= 1;
    return parts.slice(0, end);
  }
}
