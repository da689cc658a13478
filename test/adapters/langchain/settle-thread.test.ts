import { expect, it, vi } from 'vitest';
import { settleThread } from '../../../src/adapters/langchain/index.ts';

function graphOf(messages: unknown) {
  return {
    getState: vi.fn((_config: object) => Promise.resolve({ values: { messages } })),
    updateState: vi.fn((_config: object, _values: object) => Promise.resolve()),
  };
}
const config = { configurable: { thread_id: '1' } };

it('a thread is replaced by its settled messages', async () => {
  const graph = graphOf(['go', 'call']);
  const settled = await settleThread(graph, config, (messages: string[]) => [...messages, 'result']);
  expect(settled).toEqual(['go', 'call', 'result']);
  const [[given, { messages }]] = graph.updateState.mock.calls as unknown as [[object, { messages: unknown[] }]];
  expect([given, messages[0], ...messages.slice(1)]).toEqual([
    config,
    expect.objectContaining({ type: 'remove', id: '__remove_all__' }),
    ...settled,
  ]);
});

it('a thread that is settled already is left as it is', async () => {
  const graph = graphOf(['go', 'answer']);
  expect(await settleThread(graph, config, async (messages) => await Promise.resolve(messages))).toEqual([
    'go',
    'answer',
  ]);
  expect(graph.updateState).not.toHaveBeenCalled();
});

it.each([[{}], [undefined], [null]])(
  'a thread that has not begun, of state %j, has nothing to settle',
  async (values) => {
    const graph = { ...graphOf([]), getState: (_config: object) => Promise.resolve({ values }) };
    expect(await settleThread(graph, config, (messages) => messages)).toEqual([]);
    expect(graph.updateState).not.toHaveBeenCalled();
  },
);

type Reducer = (before: unknown[], written: unknown[] | { __overwrite__: unknown[] }) => unknown[];

/** A graph that keeps what is written, by its own reducer, and shows what was. */
function keeping(reducer: Reducer, nodes: object = {}) {
  let messages: unknown[] = ['go', 'call'];
  const written: unknown[] = [];
  return {
    written,
    nodes,
    channels: {
      messages: {
        fromCheckpoint: (value: unknown[]) => ({
          update: ([each]: unknown[]) => (value = reducer(value, each as unknown[])),
          get: () => value,
        }),
      },
    },
    getState: (_config: object) => Promise.resolve({ values: { messages } }),
    updateState: vi.fn((_config: object, values: { messages: unknown[] } | null, _node?: string) => {
      if (values !== null) messages = reducer(messages, values.messages);
      written.push(values?.messages);
      return Promise.resolve();
    }),
  };
}
const concat: Reducer = (before, written) => before.concat(written);
const adding = (messages: string[]) => [...messages, 'result'];

it('a thread whose reducer only appends is given what is missing', async () => {
  const graph = keeping(concat);
  expect(await settleThread(graph, config, adding)).toEqual(['go', 'call', 'result']);
  expect((await graph.getState(config)).values.messages).toEqual(['go', 'call', 'result']);
  // What the same step had saved by then is read before.
  expect(graph.written).toEqual([undefined, ['result']]);
});

it('a thread whose reducer only appends is refused as it is, where something else than an end is missing', async () => {
  const graph = keeping(concat);
  const settling = settleThread(graph, config, ([go, call]: string[]) => [go, 'said', call]);
  await expect(settling).rejects.toThrow('the reducer of the messages cannot replace what is there');
  expect(graph.updateState).not.toHaveBeenCalled();
});

it('a thread whose reducer only appends is refused, where what had been saved does not end as it should', async () => {
  const graph = keeping(concat);
  let calls = 0;
  const settling = settleThread(graph, config, (messages: string[]) => (++calls === 1 ? adding(messages) : ['other']));
  await expect(settling).rejects.toThrow('cannot replace');
  expect(graph.written).toEqual([undefined]);
});

it('a thread whose reducer only appends is left as it is, where what had been saved was all that was missing', async () => {
  const graph = keeping(concat);
  let calls = 0;
  await settleThread(graph, config, (messages: string[]) => (++calls === 1 ? adding(messages) : messages));
  expect(graph.written).toEqual([undefined]);
});

it.each<[string, Reducer]>([
  ['is none', (_before, written) => written as unknown[]],
  [
    'can be passed over',
    (before, written) => ('__overwrite__' in written ? written.__overwrite__ : before.concat(written)),
  ],
])('a thread whose reducer %s is replaced', async (_title, reducer) => {
  const graph = keeping(reducer);
  expect(await settleThread(graph, config, adding)).toEqual(['go', 'call', 'result']);
  expect((await graph.getState(config)).values.messages).toEqual(['go', 'call', 'result']);
});

it('a thread is written as a node behind which nothing fails', async () => {
  const graph = keeping((_before, written) => written as unknown[], { __start__: {}, agent: {}, tools: {} });
  graph.updateState.mockRejectedValueOnce(new Error('Ambiguous update')).mockRejectedValueOnce(new Error('its router'));
  await settleThread(graph, config, adding);
  expect(graph.updateState.mock.calls.map(([, , node]) => node)).toEqual([undefined, 'agent', 'tools']);
});

it('a thread that takes nothing says why not', async () => {
  const graph = graphOf(['go']);
  graph.updateState.mockRejectedValueOnce(new Error('The database is gone')).mockRejectedValueOnce(new Error('other'));
  await expect(settleThread(graph, config, adding)).rejects.toThrow('The database is gone');
});

it.each([
  ['no graph', {}, (messages: unknown[]) => messages, 'graph must be a compiled graph'],
  ['nothing', null, (messages: unknown[]) => messages, 'graph must be a compiled graph'],
  ['a state without messages', graphOf(undefined), (messages: unknown[]) => messages, 'the state must have messages'],
  ['nothing to settle with', graphOf([]), undefined, 'settle must be a function'],
])('%s is refused', async (_title, graph, settle, message) => {
  await expect(settleThread(graph as never, config, settle as never)).rejects.toThrow(message);
});
