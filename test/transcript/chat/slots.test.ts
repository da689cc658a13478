import { expect, it } from 'vitest';

import { readSlots } from '../../../src/transcript/chat/slots.ts';

const call = (id: string, name = 'read') => ({ id, type: 'function', function: { name, arguments: '{}' } });

function read(messages: readonly object[]) {
  return readSlots(messages.map((message) => ({ message: message as never, cut: undefined })));
}

it('links tool messages to their calls and knows which stand directly behind', () => {
  const slots = read([
    { role: 'assistant', tool_calls: [call('a')] },
    { role: 'tool', tool_call_id: 'a' },
    { role: 'tool', tool_call_id: 'z' },
    { role: 'user', content: 'x' },
    { role: 'tool', tool_call_id: 'a' },
  ]);
  expect(slots.map(({ at, runEnd }) => [at, runEnd])).toEqual([
    [0, 3],
    [3, 5],
  ]);
  expect(slots.flatMap(({ parts }) => parts.map(({ site }) => site))).toMatchObject([
    { id: 'a', at: 0, results: [{ at: 1 }, { at: 4 }] },
  ]);
});

it('takes out calls that cannot be answered', () => {
  const message = { role: 'assistant', tool_calls: [call(''), call('a', ''), call('b'), call('b')] };
  const slots = read([message]);
  expect(slots[0]?.parts.map((part) => part.site.id)).toEqual(['b']);
});
