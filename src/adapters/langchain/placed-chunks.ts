/**
 * The chunks of a chat model's stream over the rounds of one call. A reader puts blocks of one place together, so those of a
 * later round come after those of the rounds before it: a signed thought stays what was signed.
 *
 * @module
 */

interface Block {
  readonly index?: unknown;
}

/** One call of one or more rounds. */
export class PlacedChunks {
  #blocks = 0;

  /** The chunks of the next round. */
  async *next(chunks: AsyncIterable<unknown>): AsyncGenerator<unknown, undefined> {
    const before = this.#blocks;
    for await (const chunk of chunks) {
      const { content } = chunk as { readonly content?: unknown };
      const blocks = Array.isArray(content) ? (content as readonly Block[]) : [];
      for (const { index } of blocks) {
        if (typeof index === 'number') this.#blocks = Math.max(this.#blocks, before + index + 1);
      }
      yield before === 0 || blocks.length === 0 ? chunk : withContent(chunk as object, moved(blocks, before));
    }
  }
}

function moved(blocks: readonly Block[], by: number): Block[] {
  return blocks.map((block) => (typeof block.index === 'number' ? { ...block, index: block.index + by } : block));
}

/** A copy with another content: the message itself belongs to others too. */
export function withContent(message: object, content: readonly unknown[]): object {
  return Object.assign(Object.create(Object.getPrototypeOf(message) as object) as object, message, { content });
}
