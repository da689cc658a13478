import { expect, it } from 'vitest';
import { PlacedChunks } from '../../../src/adapters/langchain/placed-chunks.ts';

class Chunk {
  readonly content: unknown;

  constructor(content: unknown) {
    this.content = content;
  }
}

async function* of(...contents: unknown[]): AsyncGenerator<Chunk> {
  await Promise.resolve();
  for (const content of contents) yield new Chunk(content);
}
async function list(chunks: AsyncIterable<unknown>): Promise<Chunk[]> {
  const all: Chunk[] = [];
  for await (const chunk of chunks) all.push(chunk as Chunk);
  return all;
}

it('blocks of a later round come after those of the rounds before it', async () => {
  const placed = new PlacedChunks();
  const thought = { type: 'thinking', index: 0 };
  const text = { type: 'text', index: 1 };
  const contents = (chunks: Chunk[]) => chunks.map(({ content }) => content);
  expect(contents(await list(placed.next(of([thought], [text]))))).toEqual([[thought], [text]]);
  expect(contents(await list(placed.next(of([thought], [text]))))).toEqual([
    [{ type: 'thinking', index: 2 }],
    [{ type: 'text', index: 3 }],
  ]);
  expect(contents(await list(placed.next(of([thought]))))).toEqual([[{ type: 'thinking', index: 4 }]]);
});

it('a chunk that is moved is a copy of its class, and what has no place is left as it is', async () => {
  const placed = new PlacedChunks();
  await list(placed.next(of([{ index: 0 }])));
  const given = [new Chunk([{ index: 0 }, { type: 'text' }, { index: 'lc_1' }]), new Chunk('words'), new Chunk([])];
  const later = await list(
    placed.next(
      (async function* () {
        await Promise.resolve();
        yield* given;
      })(),
    ),
  );
  expect(later[0]).toBeInstanceOf(Chunk);
  expect(later[0]?.content).toEqual([{ index: 1 }, { type: 'text' }, { index: 'lc_1' }]);
  expect(given[0]?.content).toEqual([{ index: 0 }, { type: 'text' }, { index: 'lc_1' }]);
  expect(later.slice(1)).toEqual(given.slice(1));
});
