/**
 * What a model's stream has said so far, and which of its blocks are open.
 * In the adapter's room below the middleware, which closes the open blocks where a message cut them.
 *
 * @module
 */
/**
 * A piece of a model's stream.
 *
 * @since 0.1.0
 */
export interface AIStreamPart {
  readonly type: string;
}

/** What a cut call is kept as: its text, and the message that a model is sent for it. */
export interface CutAnswer {
  readonly text: string;
  readonly message: { readonly role: 'assistant'; readonly content: readonly { type: 'text'; text: string }[] };
}

const openers = { 'text-start': 'text-end', 'reasoning-start': 'reasoning-end', 'tool-input-start': 'tool-input-end' };
const closers: ReadonlySet<string> = new Set(Object.values(openers));

/** One stream of one or more rounds. */
export class StreamedText {
  readonly #open = new Map<string, AIStreamPart & { readonly id: string }>();
  #text = '';
  #rounds = 0;

  /** The parts of the next round; a stream starts once. */
  async *next(stream: ReadableStream<AIStreamPart>): AsyncGenerator<AIStreamPart, undefined> {
    this.#text = '';
    const isFirst = this.#rounds++ === 0;
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        if (isFirst || value.type !== 'stream-start') yield value;
      }
    } finally {
      // A stream that was left is closed; one that ended or broke has nothing more to say.
      void reader.cancel().catch(() => undefined);
    }
  }

  /** Takes a part in; returns what this round has said, if anything. */
  add(part: AIStreamPart): CutAnswer | undefined {
    const { type, id, delta } = part as { readonly type: string; readonly id?: unknown; readonly delta?: unknown };
    if (typeof id === 'string') {
      const end = (openers as Readonly<Record<string, string>>)[type];
      if (end !== undefined) this.#open.set(`${end} ${id}`, { type: end, id });
      else if (closers.has(type)) this.#open.delete(`${type} ${id}`);
    }
    if (type === 'text-delta' && typeof delta === 'string') this.#text += delta;
    const text = this.#text;
    return text === '' ? undefined : { text, message: { role: 'assistant', content: [{ type: 'text', text }] } };
  }

  /** The ends of all blocks that are open. */
  close(): readonly AIStreamPart[] {
    const ends = [...this.#open.values()];
    this.#open.clear();
    return ends;
  }
}
