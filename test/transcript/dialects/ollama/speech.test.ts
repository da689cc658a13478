import { expect, it } from 'vitest';

import { ollama } from '../../../../src/transcript/dialects/ollama/index.ts';
import { messageWriter } from '../../../../src/transcript/index.ts';

const body = { name: 'read', arguments: { path: 'a.txt' } };

it('calls without ids are numbered by tool, and those with ids keep them', () => {
  const tool_calls = [{ function: body }, { id: 'x', function: body }, { function: body }, { function: { name: '' } }];
  const calls = ollama.calls({ message: { role: 'assistant', content: '', tool_calls }, done: true });
  expect(calls.map(({ id }) => id)).toEqual(['read#1', 'x', 'read#2']);
  expect(calls.map(({ raw }) => raw)).toEqual(tool_calls.slice(0, 3));
});

it('the result of a call with an id has it, and one without has none', () => {
  const outcome = { name: 'read', ms: 1, status: 'completed', value: { n: 1 } } as const;
  const call = { id: 'x', function: body };
  expect(
    messageWriter(ollama).toolResults([
      { ...outcome, id: 'x', call: { id: 'x', name: 'read', raw: call } },
      { ...outcome, id: 'x', call },
      { ...outcome, id: 'read#1', call: { raw: { function: body } } },
      { ...outcome, id: 'own', call: undefined },
    ]),
  ).toEqual([
    { role: 'tool', tool_name: 'read', tool_call_id: 'x', content: '{"n":1}' },
    { role: 'tool', tool_name: 'read', tool_call_id: 'x', content: '{"n":1}' },
    { role: 'tool', tool_name: 'read', content: '{"n":1}' },
    { role: 'tool', tool_name: 'read', content: '{"n":1}' },
  ]);
});
