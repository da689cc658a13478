import { expect, it } from 'vitest';

import { requireDialect, textOf, type ToldOutcome } from '../../src/guard/told-words.ts';
import { createReason } from '../../src/core/foundation/reason.ts';
import { mapDialect } from '../../src/transcript/index.ts';
import { aiSDK, aiSDKUI } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { gemini } from '../../src/transcript/dialects/gemini/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { ollama } from '../../src/transcript/dialects/ollama/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { openaiChat, type OpenAIChatMessage } from '../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';

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

const mine = mapDialect(openaiChat, {
  toWire: (one: { readonly wire: OpenAIChatMessage }) => one.wire,
  fromWire: (wire) => ({ wire }),
});
const dialects = { mine, aiSDK, anthropic, gemini, langchain, ollama, openaiAgents, openaiChat, openaiResponses };

it.each(['not-started', 'stopped', 'unknown', 'skipped', 'declined', 'detached'] as const)(
  'of a call that is %s the same words are said in each dialect',
  (status) => {
    const call = { id: 'x', name: 'pay', input: {} };
    const outcome = { ...call, call, ms: 1, status, reason: createReason('user') } as ToldOutcome;
    const said = Object.values(dialects).map((dialect) => {
      requireDialect(dialect);
      return dialect.texts.outcome(outcome, undefined);
    });
    expect(new Set(said)).toEqual(new Set([said[0]]));
    expect(said[0]).toMatch(/this call/i);
  },
);

it.each([undefined, null, 'openai-chat', {}, { texts: {} }, aiSDKUI])('%j is no dialect', (dialect) => {
  expect(() => {
    requireDialect(dialect);
  }).toThrow('options.dialect must be a dialect');
});

it('what only looks like a dialect is refused', () => {
  const { check, calls } = openaiChat;
  expect(() => {
    requireDialect({ check, calls });
  }).toThrow('options.dialect must be a dialect');
});
