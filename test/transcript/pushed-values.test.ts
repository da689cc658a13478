/** A program that pushes what its tool returned, as it is: the model is told it as JSON, in dialects that take a text. */
import { expect, it } from 'vitest';

import { checkTranscript } from '../../src/transcript/index.ts';
import { repairWith } from './support/repair-with.ts';
import { ollama } from '../../src/transcript/dialects/ollama/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';

const values: [string, unknown][] = [
  ['a list of objects', [{ path: 'a' }, { path: 'b' }]],
  ['an object', { path: 'a', size: 2 }],
  ['an object with a type of its own', { type: 'directory', path: 'a' }],
  ['a list of numbers', [1, 2]],
  ['a number', 7],
];

it.each(values)('S17 ollama tells %s as JSON', (_what, content) => {
  const call = { function: { name: 'list', arguments: {} } };
  const messages = [
    { role: 'user', content: 'List.' },
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', tool_name: 'list', content },
  ];
  const settled = repairWith(messages as never, { dialect: ollama }).messages as { content: unknown }[];
  expect(settled[2]?.content).toBe(JSON.stringify(content));
  expect(checkTranscript(settled as never, { dialect: ollama })).toEqual([]);
  expect(repairWith(settled as never, { dialect: ollama }).changes).toEqual([]);
});

it.each(values)('S17 openai-agents tells %s as JSON', (_what, output) => {
  const items = [
    { type: 'message', role: 'user', content: 'List.' },
    { type: 'function_call', callId: 'a', name: 'list', status: 'completed', arguments: '{}' },
    { type: 'function_call_result', callId: 'a', name: 'list', status: 'completed', output },
  ];
  const settled = repairWith(items as never, { dialect: openaiAgents }).messages as { output?: unknown }[];
  expect(settled[2]?.output).toEqual({ type: 'text', text: JSON.stringify(output) });
  expect(checkTranscript(settled as never, { dialect: openaiAgents })).toEqual([]);
  expect(repairWith(settled as never, { dialect: openaiAgents }).changes).toEqual([]);
});
