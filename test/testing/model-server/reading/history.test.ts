import { expect, it } from 'vitest';

import { historyOf } from '../../../../src/testing/model-server/reading/history.ts';
import type { ModelDialect } from '../../../../src/testing/model-server/reading/history.ts';

const bodies: Readonly<Record<ModelDialect, Record<string, unknown>>> = {
  anthropic: {
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'Go.' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'a', name: 'bash', input: { command: 'ls' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', is_error: true, content: [{ type: 'text', text: 'stopped' }] },
        ],
      },
    ],
  },
  'openai-chat': {
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'stopped' },
    ],
  },
  'openai-responses': {
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Go.' }] },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'a', name: 'bash', arguments: '{"command":"ls"}' },
      { type: 'function_call_output', call_id: 'a', output: 'stopped' },
    ],
  },
  gemini: {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Go.' }] },
      {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true },
          { text: 'I look.' },
          { functionCall: { id: 'a', name: 'bash', args: { command: 'ls' } } },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'bash', response: { output: 'stopped' } } }] },
    ],
  },
  ollama: {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Go.' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ function: { name: 'bash', arguments: { command: 'ls' } } }],
      },
      { role: 'tool', tool_name: 'bash', content: 'stopped' },
    ],
  },
};

it.each(Object.keys(bodies) as ModelDialect[])('a history of %s says who said what, in order', (dialect) => {
  const items = historyOf({ dialect, body: bodies[dialect] });
  const spoken = items.filter(({ kind }) => kind !== 'thinking');
  expect(spoken.map(({ role, kind, text }) => [role, kind, text.includes('stopped') ? 'stopped' : text])).toEqual([
    ['system', 'text', 'Be brief.'],
    ['user', 'text', 'Go.'],
    ['assistant', 'text', 'I look.'],
    ['assistant', 'call', '{"command":"ls"}'],
    ['tool', 'result', 'stopped'],
  ]);
  expect(spoken.map(({ name }) => name).slice(3, 4)).toEqual(['bash']);
  const ids = spoken.slice(3).map(({ callId }) => callId);
  expect(ids).toEqual(dialect === 'ollama' ? [undefined, undefined] : ['a', 'a']);
  expect(items.at(-1)?.isError).toBe(dialect === 'anthropic');
});

it.each([
  [{ error: 'stopped' }, true],
  [{ output: '', error: null }, false],
  [{ output: '', error: '' }, false],
])('a response of Gemini %j is an error: %s', (response, isError) => {
  const contents = [{ role: 'user', parts: [{ functionResponse: { name: 'bash', response } }] }];
  expect(historyOf({ dialect: 'gemini', body: { contents } })).toMatchObject([{ kind: 'result', isError }]);
});

it('a history of a text alone is one item, and an unknown protocol is refused', () => {
  const cut = [{ type: 'function_call_output', call_id: 'a', output: '', status: 'incomplete' }];
  expect(historyOf({ dialect: 'openai-responses', body: { input: cut } })).toMatchObject([{ isError: true }]);
  expect(historyOf({ dialect: 'openai-responses', body: { input: 'Go.' } })).toMatchObject([
    { role: 'user', text: 'Go.' },
  ]);
  expect(() => historyOf({ dialect: 'morse' as ModelDialect, body: {} })).toThrow('there is no dialect "morse"');
});
