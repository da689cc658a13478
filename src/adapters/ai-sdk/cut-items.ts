/**
 * Items of an answer that a message cut. A provider that stores answers, as OpenAI's Responses API does, stores none that
 * was cut; the loop goes on to name its items all the same, and the next step would be refused.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';
import type { AIStreamPart } from './streamed-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The names that providers gave to an item of theirs. */
function itemIdsOf(metadata: unknown): string[] {
  if (!isObject(metadata)) return [];
  return Object.values(metadata).flatMap((own: unknown) => {
    const itemId = isObject(own) ? (own as Fields)['itemId'] : undefined;
    return typeof itemId === 'string' ? [itemId] : [];
  });
}

/** The items of one round of a stream. */
export class RoundItems {
  readonly ids: Set<string> = new Set();

  add(part: AIStreamPart): void {
    for (const id of itemIdsOf((part as { readonly providerMetadata?: unknown }).providerMetadata)) this.ids.add(id);
  }
}

/** The items that no provider has, of all rounds of one loop that were cut. */
export class CutItems {
  readonly #ids = new Set<string>();

  add({ ids }: RoundItems): void {
    for (const id of ids) this.#ids.add(id);
  }

  /** A prompt that names none of them: words and calls are sent themselves, a thought that cannot be is left out. */
  without(prompt: readonly unknown[]): readonly unknown[] {
    if (this.#ids.size === 0) return prompt;
    return prompt.flatMap((message) => {
      const { role, content } = (isObject(message) ? message : {}) as Fields;
      if (role !== 'assistant' || !Array.isArray(content)) return [message];
      const parts = (content as readonly unknown[]).flatMap((part) => this.#partOf(part));
      const isSame = parts.length === content.length && parts.every((part, index) => part === content[index]);
      if (isSame) return [message];
      return parts.length === 0 ? [] : [{ ...(message as object), content: parts }];
    });
  }

  #partOf(part: unknown): readonly unknown[] {
    const { type, text, providerOptions } = (isObject(part) ? part : {}) as Fields;
    if (!itemIdsOf(providerOptions).some((id) => this.#ids.has(id))) return [part];
    // A block that was cut before its first word was there for its name only.
    if (type === 'reasoning' || text === '') return [];
    const options = Object.entries(providerOptions as object).map(([provider, own]: [string, unknown]) => {
      if (!isObject(own)) return [provider, own] as const;
      const { itemId: _, ...rest } = own as Fields;
      return [provider, rest] as const;
    });
    return [{ ...(part as object), providerOptions: Object.fromEntries(options) }];
  }
}
