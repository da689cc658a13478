import { expect, it } from 'vitest';
import { textsIn, toolResultsIn } from '../../../src/testing/agent-suite/tool-results.ts';

it.each([
  ['Chat Completions', { messages: [{ role: 'user' }, { role: 'tool', tool_call_id: '1' }] }],
  ['Anthropic', { messages: [{ role: 'user', content: [{ type: 'text' }, { type: 'tool_result', id: '1' }] }] }],
  ['Responses', { input: [{ type: 'function_call' }, { type: 'function_call_output', id: '1' }] }],
  ['Responses with a shell', { input: [{ type: 'shell_call' }, { type: 'shell_call_output', id: '1' }] }],
  ['Gemini', { contents: [{ parts: [{ functionCall: {} }, { functionResponse: { id: '1' } }] }] }],
])('the results of tools are found in a request of %s', (_name, body) => {
  expect(toolResultsIn(body)).toHaveLength(1);
  expect(toolResultsIn(body)[0]).toContain('"1"');
});

it('the texts of a request are those that somebody said, in order', () => {
  const call = { type: 'tool_use', id: 'c1', name: 'pay', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'paid' }] };
  const messages = [{ role: 'user', content: 'go' }, { role: 'assistant', content: [call] }, { role: 'user', content: [result] }]; // prettier-ignore
  expect(textsIn({ model: 'm', messages })).toEqual(['go', 'paid']);
  expect(textsIn({ input: [{ type: 'function_call_output', output: 'paid', call_id: 'c1' }] })).toEqual(['paid']);
  expect([undefined, null, 'go', 7].map(textsIn)).toEqual([[], [], [], []]);
});

it('the results of tools come in their order, and a body that is none has none', () => {
  const results = ['one', 'two', 'three'].map((content) => ({ role: 'tool', content }));
  expect(toolResultsIn({ messages: results })).toEqual(results.map((result) => JSON.stringify(result)));
  expect([undefined, null, 'tool', 7].map(toolResultsIn)).toEqual([[], [], [], []]);
});
