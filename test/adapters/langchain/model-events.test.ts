import { expect, it } from 'vitest';
import { ModelEvents } from '../../../src/adapters/langchain/model-events.ts';

async function* of(...events: object[]): AsyncGenerator<object> {
  await Promise.resolve();
  yield* events;
}
async function list(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const event of events) all.push(event);
  return all;
}
const text = (index: number) => ({ event: 'content-block-start', index, content: { type: 'text', text: '' } });
const delta = (index: number, said: string) => ({
  event: 'content-block-delta',
  index,
  delta: { type: 'text-delta', text: said },
});

it('a later round starts no message again, and its blocks come after those of the rounds before', async () => {
  const events = new ModelEvents();
  const start = { event: 'message-start' };
  expect(await list(events.next(of(start, text(0), delta(0, 'a'))))).toEqual([start, text(0), delta(0, 'a')]);
  expect(events.close()).toEqual([{ event: 'content-block-finish', index: 0, content: { type: 'text', text: 'a' } }]);
  expect(await list(events.next(of(start, text(0), delta(0, 'b'))))).toEqual([text(1), delta(1, 'b')]);
});

it('what is finished, and what is no text, is not finished again', async () => {
  const events = new ModelEvents();
  const call = { event: 'content-block-start', index: 1, content: { type: 'tool_call_chunk' } };
  const finish = { event: 'content-block-finish', index: 0, content: { type: 'text', text: 'a' } };
  await list(events.next(of(text(0), delta(0, 'a'), call, finish)));
  expect(events.close()).toEqual([]);
});

it('the message of a round has its finished blocks in their places, and none of the rounds before', async () => {
  const events = new ModelEvents();
  const finish = (index: number, content: object) => ({ event: 'content-block-finish', index, content });
  const call = { type: 'tool_call', id: 'c', name: 'pay', args: {} };
  expect(events.message).toBeUndefined();
  await list(events.next(of(text(0), finish(0, { type: 'text', text: 'old' }))));
  await list(events.next(of(text(0), finish(1, call), finish(0, { type: 'text', text: 'new' }), text(2))));
  expect(events.message).toMatchObject({ content: [{ text: 'new' }, call], tool_calls: [call] });
});
