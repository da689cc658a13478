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

it.each([
  ['no graph', {}, (messages: unknown[]) => messages, 'graph must be a compiled graph'],
  ['nothing', null, (messages: unknown[]) => messages, 'graph must be a compiled graph'],
  ['a state without messages', graphOf(undefined), (messages: unknown[]) => messages, 'the state must have messages'],
  ['nothing to settle with', graphOf([]), undefined, 'settle must be a function'],
])('%s is refused', async (_title, graph, settle, message) => {
  await expect(settleThread(graph as never, config, settle as never)).rejects.toThrow(message);
});
