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

const program = { type: 'program', id: 'prog_1', call_id: 'pc1', code: 'x', fingerprint: 'F' };
const byProgram = { type: 'program', caller_id: 'pc1' };
const shell = {
  type: 'shell_call',
  id: 'sh_1',
  call_id: 'h1',
  action: { commands: ['ls'] },
  environment: { type: 'container_reference', container_id: 'c' },
};
const listed = { type: 'shell_call_output', id: 'sho_1', call_id: 'h1', output: [] };

it('gives all that a whole response holds, and of a reply that was cut what is known', () => {
  const output = [{ type: 'compaction', id: 'cmp_1' }, program, shell, listed, { type: 'news', id: 'n_1' }];
  expect(repliesInItems({ status: 'completed', output })).toEqual(output);
  expect(repliesInItems(output)).toEqual(output.slice(0, -1));
});

it('gives no call to run that the provider has run itself', () => {
  expect(callsInItems([shell, listed])).toEqual([]);
  expect(callsInItems([shell]).map(({ id }) => id)).toEqual(['h1']);
});

it('gives a call without arguments none', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'read', arguments: '' };
  expect(callsInItems([call])[0]?.input).toEqual({});
});

it('tells the program that called', () => {
  const raw = { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}', caller: byProgram };
  const outcome = { id: 'a', name: 'read', call: { raw }, ms: 1, status: 'completed', value: 'y' } as const;
  const answer = { status: 'completed', value: 'y' } as const;
  expect(resultsForItems([{ outcome, answer }])).toEqual([
    { type: 'function_call_output', call_id: 'a', output: 'y', caller: byProgram },
  ]);
});
