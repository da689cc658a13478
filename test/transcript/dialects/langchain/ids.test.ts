import { expect, it } from 'vitest';

import { withIds } from '../../../../src/transcript/dialects/langchain/ids.ts';

const settle = (messages: readonly object[], policy: 'keep' | 'normalise' = 'normalise') =>
  withIds(messages, policy) as readonly Record<string, unknown>[];
const ai = (more: object) => ({ role: 'assistant', content: '', ...more });
const tool = (more: object) => ({ role: 'tool', content: 'x', ...more });

it('gives calls without ids the same one wherever they stand', () => {
  const [reply, result] = settle([
    ai({
      content: [{ type: 'tool_use', name: 'read', input: {} }],
      tool_calls: [{ name: 'read', args: {} }],
      tool_call_chunks: [
        { name: 'read', args: '{', index: 0 },
        { args: '}', index: 0 },
      ],
    }),
    tool({ name: 'read' }),
  ]);
  expect(reply).toMatchObject({
    content: [{ id: 'call_1' }],
    tool_calls: [{ id: 'call_1' }],
    tool_call_chunks: [{ id: 'call_1' }, { args: '}' }],
  });
  expect(result).toMatchObject({ tool_call_id: 'call_1' });
});

it('tells two calls of one id apart, in their order', () => {
  const call = (path: string) => ({ id: 'w', name: 'read', args: { path } });
  const [reply, ...results] = settle([
    ai({ tool_calls: [call('a'), call('b')] }),
    tool({ tool_call_id: 'w' }),
    tool({ tool_call_id: 'w' }),
  ]);
  expect(reply?.['tool_calls']).toMatchObject([{ id: 'w' }, { id: 'w_copy2' }]);
  expect(results.map((one) => one['tool_call_id'])).toEqual(['w', 'w_copy2']);
});

it('drops the provider’s own list where it says other ids, and keeps all where ids are kept', () => {
  const talk = [
    ai({
      tool_calls: [{ id: 'functions.read:0', name: 'fs.read', args: {} }],
      additional_kwargs: { tool_calls: [{ id: 'functions.read:0' }], more: 1 },
    }),
  ];
  expect(settle(talk)[0]).toMatchObject({ tool_calls: [{ name: 'fs_read' }], additional_kwargs: { more: 1 } });
  expect(JSON.stringify(settle(talk))).not.toContain('functions.read:0');
  const kept = settle(talk, 'keep');
  expect(kept).toHaveLength(talk.length);
  expect(kept.every((message, i) => message === talk[i])).toBe(true);
});

it('knows a block without an id for the next call of the list that no block names', () => {
  const block = (more: object = {}) => ({ type: 'tool_call', name: 'read', args: {}, ...more });
  const tool_calls = ['x', 'y', 'z'].map((id) => block({ id }));
  const [reply] = settle([ai({ content: [block(), block({ id: 'y' }), block()], tool_calls })]);
  expect(reply).toMatchObject({ content: [{ id: 'x' }, { id: 'y' }, { id: 'z' }], tool_calls });
});

it('gives the items of a response the ids and the names of their calls', () => {
  const item = { type: 'function_call', call_id: 'a b', name: 'read it', arguments: '{}' };
  const call = { id: 'a b', name: 'read it', args: {} };
  const [reply] = settle([ai({ tool_calls: [call], response_metadata: { output: [item, { type: 'message' }] } })]);
  const { id, name } = (reply?.['tool_calls'] as readonly (typeof call)[])[0] ?? {};
  expect(id).not.toBe('a b');
  expect(reply).toMatchObject({ response_metadata: { output: [{ call_id: id, name }, { type: 'message' }] } });
});
