import { expect, it } from 'vitest';
import { isFinalEvent, ModelEvents } from '../../../../src/adapters/langchain/messages/model-events.ts';
import { CancellationTokenSource } from '../../../../src/index.ts';

const round = { token: new CancellationTokenSource().token };

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
  const first = of(start, text(0), delta(0, 'a'));
  expect(await list(events.next(first, round))).toEqual([start, text(0), delta(0, 'a')]);
  expect(events.close()).toEqual([{ event: 'content-block-finish', index: 0, content: { type: 'text', text: 'a' } }]);
  const second = of(start, text(0), delta(0, 'b'));
  expect(await list(events.next(second, round))).toEqual([text(1), delta(1, 'b')]);
});

const call = { event: 'content-block-start', index: 1, content: { type: 'tool_call_chunk' } };

it('what is finished is not finished again', async () => {
  const events = new ModelEvents();
  const finish = { event: 'content-block-finish', index: 0, content: { type: 'text', text: 'a' } };
  await list(events.next(of(text(0), delta(0, 'a'), finish), round));
  expect(events.close()).toEqual([]);
});

it('a call, and what follows it, is for a reader of the whole only: it ends no text, and takes no place', async () => {
  const events = new ModelEvents();
  const finish = { event: 'content-block-finish', index: 0, content: { type: 'text', text: 'a' } };
  const all = [text(0), delta(0, 'a'), call, finish, text(2), { event: 'message-finish' }];
  expect(all.map(isFinalEvent)).toEqual([false, false, true, false, false, true]);
  await list(events.next(of(...all), round));
  expect(events.close()).toEqual([finish]);
  expect(await list(events.next(of(text(0)), round))).toEqual([text(1)]);
});

it('what a model sends after it was told to stop is not its answer', async () => {
  const stop = new CancellationTokenSource();
  const events = new ModelEvents();
  const half = { event: 'content-block-finish', index: 0, content: { type: 'tool_call', name: 'pay', args: {} } };
  async function* source(): AsyncGenerator<object> {
    yield text(0);
    await Promise.resolve();
    stop.cancel('user');
    yield half;
  }
  expect(await list(events.next(source(), { token: stop.token }))).toEqual([text(0)]);
  expect(events.message).toBeUndefined();
});

it('the message of a round has its finished blocks in their places, and none of the rounds before', async () => {
  const events = new ModelEvents();
  const finish = (index: number, content: object) => ({ event: 'content-block-finish', index, content });
  const pay = { type: 'tool_call', id: 'c', name: 'pay', args: {} };
  expect(events.message).toBeUndefined();
  await list(events.next(of(text(0), finish(0, { type: 'text', text: 'old' })), round));
  await list(events.next(of(text(0), finish(1, pay), finish(0, { type: 'text', text: 'new' }), text(2)), round));
  expect(events.message).toMatchObject({ content: [{ text: 'new' }, pay], tool_calls: [pay] });
});
