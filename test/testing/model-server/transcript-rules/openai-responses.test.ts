import { expect, it } from 'vitest';
import { refuseResponsesItems } from '../../../../src/testing/model-server/transcript-rules/openai-responses.ts';

const user = { role: 'user', content: 'Go.' };
const call = (id: string, args = '{}') => ({ type: 'function_call', call_id: id, name: 't', arguments: args });
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'ok' });
const custom = { type: 'custom_tool_call', call_id: 'c', name: 't', input: 'x' };
const shell = { type: 'shell_call', call_id: 's', action: { commands: ['ls'] } };
const patch = { type: 'apply_patch_call', call_id: 'p', operation: { type: 'delete_file', path: 'a' } };
const local = { type: 'local_shell_call', id: 'lsh', call_id: 'l', action: {} };
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
const refuse = (...items: object[]) => refuseResponsesItems(items as Record<string, unknown>[]);

it('refuseResponsesItems accepts a clean round of every kind of call', () => {
  expect(
    refuse(
      user,
      reasoning,
      call('a'),
      call('b'),
      output('b'),
      output('a'),
      custom,
      { type: 'custom_tool_call_output', call_id: 'c', output: 'ok' },
      shell,
      { type: 'shell_call_output', call_id: 's', output: [] },
      patch,
      { type: 'apply_patch_call_output', call_id: 'p', status: 'failed' },
      local,
      { type: 'local_shell_call_output', id: 'l', output: 'ok' },
      { role: 'assistant', content: 'Done.' },
    ),
  ).toBeUndefined();
});

it.each([
  [[call('a')], 'No tool output found for function call a.'],
  [[call('b'), call('a'), output('b')], 'No tool output found for function call a.'],
  [[custom, output('c')], 'No tool call found for function call output with call_id c.'],
  [[custom], 'No tool output found for custom tool call c.'],
  [[shell], 'No tool output found for shell call s.'],
  [[patch], 'No tool output found for apply patch call p.'],
  [[local], 'No tool output found for local shell call l.'],
  [[output('z')], 'No tool call found for function call output with call_id z.'],
  [[output('a'), call('a')], 'No tool call found for function call output with call_id a.'],
  [[call('a'), output('a'), output('a')], 'No tool call found for function call output with call_id a.'],
  [
    [{ type: 'custom_tool_call_output', call_id: 'c', output: '' }],
    'No tool call found for custom tool call output with call_id c.',
  ],
])('refuseResponsesItems refuses calls and outputs without each other: %#', (items, message) => {
  expect(refuse(user, ...items)).toBe(message);
});

it.each([
  [call('a', '{"pa'), output('a'), "Invalid 'input[0].arguments': expected a string of valid JSON."],
  [call('a'), { ...output('a'), output: undefined }, "Missing required parameter: 'input[1].output'."],
  [
    shell,
    { type: 'shell_call_output', call_id: 's', output: 'ok' },
    "Invalid type for 'input[1].output': expected an array of objects, but got a string instead.",
  ],
  [
    { type: 'computer_call', call_id: 'cu', action: { type: 'screenshot' } },
    { type: 'computer_call_output', call_id: 'cu', output: 'words' },
    "Invalid type for 'input[1].output': expected an object, but got a string instead.",
  ],
  [
    patch,
    { type: 'apply_patch_call_output', call_id: 'p' },
    "Invalid value: 'undefined'. Supported values are: 'completed' and 'failed'.",
  ],
])('refuseResponsesItems refuses what an item must not hold: %#', (first, second, message) => {
  expect(refuse(first, second)).toBe(message);
});

it('refuseResponsesItems refuses an id that is too long and a name that no tool can have', () => {
  const long = 'c'.repeat(65);
  expect(refuse(user, call(long), output(long))).toMatch(/^Invalid 'input\[1\]\.call_id': string too long\./);
  for (const named of [call('a'), custom]) {
    const own = { ...named, name: '9 lives' };
    const answer = { type: `${named.type}_output`, call_id: named.call_id, output: 'ok' };
    expect(refuse(user, own, answer)).toMatch(/^Invalid 'input\[1\]\.name': string does not match pattern\./);
  }
});

it('refuseResponsesItems wants reasoning and what it produced together', () => {
  const lonely = "Item 'rs_1' of type 'reasoning' was provided without its required following item.";
  expect(refuse(user, reasoning)).toBe(lonely);
  expect(refuse(reasoning, user)).toBe(lonely);
  expect(refuse(call('a'), reasoning, output('a'))).toBe(lonely);
  expect(refuse(reasoning, { role: 'assistant', content: 'Hi' })).toBeUndefined();
  const known = new Map([['msg_1', 'rs_1']]);
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
  expect(refuseResponsesItems([message], known)).toBe(
    "Item 'msg_1' of type 'message' was provided without its required 'reasoning' item: 'rs_1'.",
  );
  expect(refuseResponsesItems([reasoning, message], known)).toBeUndefined();
});

it('refuseResponsesItems refuses an item sent twice', () => {
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
  expect(refuse(message, user, message)).toBe(
    'Duplicate item found with id msg_1. Remove duplicate items from your input and try again.',
  );
});

it('refuseResponsesItems refuses a call in the form of another API', () => {
  expect(refuse(user, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 't', input: {} }] })).toBe(
    "Invalid value: 'tool_use' for 'input[1].content[0].type'.",
  );
});
