import { expect, it } from 'vitest';
import { CallIds } from '../../../../src/adapters/langchain/messages/call-ids.ts';
import { PlacedChunks } from '../../../../src/adapters/langchain/messages/placed-chunks.ts';
import { CancellationTokenSource } from '../../../../src/index.ts';

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
const { token } = new CancellationTokenSource();
const ids = new CallIds();

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
  expect(contents(await list(placed.next(of([thought], [text]), token, ids)))).toEqual([[thought], [text]]);
  expect(contents(await list(placed.next(of([thought], [text]), token, ids)))).toEqual([
    [{ type: 'thinking', index: 2 }],
    [{ type: 'text', index: 3 }],
  ]);
  expect(contents(await list(placed.next(of([thought]), token, ids)))).toEqual([[{ type: 'thinking', index: 4 }]]);
});

it('a chunk that is moved is a copy of its class, and what has no place is left as it is', async () => {
  const placed = new PlacedChunks();
  await list(placed.next(of([{ index: 0 }]), token, ids));
  const given = [new Chunk([{ index: 0 }, { type: 'text' }, { index: 'lc_1' }]), new Chunk('words'), new Chunk([])];
  const later = await list(
    placed.next(
      (async function* () {
        await Promise.resolve();
        yield* given;
      })(),
      token,
      ids,
    ),
  );
  expect(later[0]).toBeInstanceOf(Chunk);
  expect(later[0]?.content).toEqual([{ index: 1 }, { type: 'text' }, { index: 'lc_1' }]);
  expect(given[0]?.content).toEqual([{ index: 0 }, { type: 'text' }, { index: 'lc_1' }]);
  expect(later.slice(1)).toEqual(given.slice(1));
});

it('a round has ended once its source has, unless that was told to', async () => {
  const placed = new PlacedChunks();
  const stop = new CancellationTokenSource();
  expect(placed.hasEnded).toBe(false);
  await list(placed.next(of('words'), token, ids));
  expect(placed.hasEnded).toBe(true);
  stop.cancel('user');
  await list(placed.next(of('words'), stop.token, ids));
  expect(placed.hasEnded).toBe(false);
});
