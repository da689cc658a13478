import { expect, it } from 'vitest';

import { callsInItems, repliesInItems, resultsForItems } from '../../../src/transcript/items/speech.ts';

it('leaves out messages that say nothing', () => {
  const empty = { type: 'message', role: 'assistant', content: [] };
  const said = { type: 'message', role: 'assistant', content: 'x' };
  expect(repliesInItems({ output: [empty, said] })).toEqual([said]);
  expect(repliesInItems(7)).toBeUndefined();
});

it('gives what each kind of call asks for', () => {
  const calls = [
    { type: 'function_call', call_id: 'a', name: 'read', arguments: '{"n":1}' },
    { type: 'custom_tool_call', call_id: 'b', name: 'sh', input: 'ls' },
    { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } },
    { type: 'apply_patch_call', call_id: 'd', operation: { type: 'delete_file' } },
    { type: 'web_search_call', id: 'ws_1' },
  ];
  expect(callsInItems(calls).map(({ name, input }) => [name, input])).toEqual([
    ['read', { n: 1 }],
    ['sh', 'ls'],
    ['shell', { commands: ['ls'] }],
    ['apply_patch', { type: 'delete_file' }],
  ]);
});

it('gives each call an output of its kind', () => {
  const kinds = ['function_call', 'custom_tool_call', 'shell_call', 'local_shell_call', 'apply_patch_call'];
  const answered = [...kinds.map((type) => ({ raw: { type } })), { type: 'shell_call' }, undefined].map((call) => ({
    outcome: { id: 'a', name: 'x', call, ms: 1, status: 'completed', value: 'y' } as const,
    answer: { status: 'completed', value: 'y' } as const,
  }));
  expect(resultsForItems(answered).map(({ type }) => type)).toEqual(
    [...kinds, 'shell_call', 'function_call'].map((type) => `${type}_output`),
  );
});
