/**
 * The chunks of a chat model's stream over the rounds of one call. A reader puts blocks of one place together, so those of a
 * later round come after those of the rounds before it: a signed thought stays what was signed.
 *
 * @module
 */
import type { CancellationToken } from '../../../core/inside.ts';
import type { CallIds } from './call-ids.ts';
import { copyWith } from './message-copy.ts';

interface Block {
  readonly index?: unknown;
}

/** One call of one or more rounds. */
export class PlacedChunks {
  #blocks = 0;
  #hasEnded = false;

  /** Whether the round came to its end. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The chunks of the next round, each call by its own id. */
  async *next(
    chunks: AsyncIterable<unknown>,
    token: CancellationToken,
    ids: CallIds,
  ): AsyncGenerator<unknown, undefined> {
    const before = this.#blocks;
    this.#hasEnded = false;
    for await (const each of chunks) {
      const chunk = ids.message(each);
      const { content } = chunk as { readonly content?: unknown };
      const blocks = Array.isArray(content) ? (content as readonly Block[]) : [];
      for (const { index } of blocks) {
        if (typeof index === 'number') this.#blocks = Math.max(this.#blocks, before + index + 1);
      }
      yield before === 0 || blocks.length === 0 ? chunk : copyWith(chunk as object, { content: moved(blocks, before) });
    }
    // Told to stop, some models just end.
    this.#hasEnded = !token.isCancelled;
  }
}

function moved(blocks: readonly Block[], by: number): Block[] {
  return blocks.map((block) => (typeof block.index === 'number' ? { ...block, index: block.index + by } : block));
}
