import { expect, it } from 'vitest';

import { outcomeWords, requireDialect, textOf } from '../../../../src/adapters/internal/framework/told-words.ts';
import { createReason } from '../../../../src/index.ts';
import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';

it('the words of a message are what was said, in any dialect, and nothing that was thought or called', () => {
  const [a, b] = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ];
  const [thought, call] = [
    { type: 'thinking', thinking: 'hm', text: 'hm' },
    { type: 'toolCall', id: 'x', name: 'work' },
  ];
  expect(textOf([a, thought, call, b])).toBe('ab');
  expect(textOf([{ role: 'tool', content: 'told' }])).toBe('told');
  expect(textOf([{ role: 'user', content: [{ type: 'tool_result', content: 'told' }] }])).toBe('told');
  expect(textOf([{ type: 'function_call_output', output: 'told' }])).toBe('told');
  expect([textOf(undefined), textOf(7), textOf({})]).toEqual(['', '', '']);
});

it('what became of a call is said in the same words in each dialect', () => {
  const outcome = { id: 'x', name: 'pay', call: {}, ms: 1, status: 'unknown' as const, reason: createReason('user') };
  const said = outcomeWords(anthropic, outcome, outcome.reason);
  expect(said).toMatch(/may still complete/);
  expect(outcomeWords(openaiChat, outcome, outcome.reason)).toBe(said);
});

it.each([undefined, null, 'openai-chat', {}, { reply: 1, toolResults: 1 }])('%j is no dialect', (dialect) => {
  expect(() => {
    requireDialect(dialect);
  }).toThrow('options.dialect must be a dialect');
});
