/**
 * What the Responses API keeps on the provider's side: finished responses, conversations, and which reasoning led to
 * what.
 *
 * Invariant: a response that was cut is not kept. Nobody can go on from it, as with the provider.
 *
 * @module
 */
import { isFields, listOf, type Fields } from '../transcript-rules/fields.ts';
import { refuseResponsesItems } from '../transcript-rules/openai-responses.ts';

/** The memory of one server. */
export class ResponsesState {
  /** All items up to and with a response, by its id. */
  readonly #responses = new Map<unknown, readonly Fields[]>();
  readonly #conversations = new Map<unknown, readonly Fields[]>();
  readonly #items = new Map<unknown, Fields>();
  readonly #reasoningOf = new Map<unknown, string>();

  /** Why this request would be refused, seen with what is held. */
  refuse(body: Fields): string | undefined {
    if (typeof body['model'] !== 'string') return "Missing required parameter: 'model'.";
    const previous = body['previous_response_id'];
    const conversation = conversationOf(body);
    const hasState = typeof previous === 'string' || conversation !== undefined;
    if (body['input'] === undefined && !hasState) {
      return "One of 'input' or 'previous_response_id' or 'prompt' or 'conversation' must be provided.";
    }
    if (typeof previous === 'string' && conversation !== undefined) {
      return "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of these parameters.";
    }
    if (typeof previous === 'string' && !this.#responses.has(previous)) {
      return `Previous response with id '${previous}' not found.`;
    }
    const lost = listOf(body['input']).find((item) => isReference(item) && !this.#items.has(item['id']));
    if (lost !== undefined) return `Item with id '${String(lost['id'])}' not found.`;
    const forgotten = listOf(body['input']).find((item) => isBareReasoning(item) && !this.#items.has(item['id']));
    if (forgotten !== undefined) {
      return `Item with id '${String(forgotten['id'])}' not found. Items are not persisted when \`store\` is set to false.`;
    }
    return refuseResponsesItems(this.#transcript(body), this.#reasoningOf);
  }

  /** Keeps a response that went out whole. */
  keep(id: string, body: Fields, output: readonly Fields[]): void {
    let reasoning: string | undefined;
    for (const item of output) {
      if (body['store'] !== false) this.#items.set(item['id'], item);
      if (reasoning !== undefined) this.#reasoningOf.set(item['id'], reasoning);
      reasoning = item['type'] === 'reasoning' ? String(item['id']) : undefined;
    }
    if (body['store'] === false) return;
    const items = [...this.#transcript(body), ...output];
    this.#responses.set(id, items);
    const conversation = conversationOf(body);
    if (conversation !== undefined) this.#conversations.set(conversation, items);
  }

  /** Everything the model reads: what is held, then what the request brings. */
  #transcript(body: Fields): readonly Fields[] {
    const { input } = body;
    const own = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input);
    const held =
      this.#responses.get(body['previous_response_id']) ?? this.#conversations.get(conversationOf(body)) ?? [];
    return [...held, ...own.map((item) => (isReference(item) ? (this.#items.get(item['id']) ?? item) : item))];
  }
}

function isReference(item: Fields): boolean {
  return item['type'] === 'item_reference';
}

/** Reasoning that does not carry itself along: the server has to have it. */
function isBareReasoning(item: Fields): boolean {
  return item['type'] === 'reasoning' && typeof item['encrypted_content'] !== 'string';
}

/** The conversation a request belongs to, by name or as an object. */
function conversationOf(body: Fields): unknown {
  const { conversation } = body;
  return isFields(conversation) ? conversation['id'] : (conversation ?? undefined);
}
