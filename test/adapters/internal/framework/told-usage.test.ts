import { expect, it } from 'vitest';

import { outputTokensOf } from '../../../../src/adapters/internal/framework/told-usage.ts';

it.each([
  ['an answer of the AI SDK, older', { usage: { outputTokens: 7 } }],
  ['an answer of the AI SDK, newer', { usage: { outputTokens: { total: 7, text: 3, reasoning: 4 } } }],
  ['the end of a stream of OpenAI Agents', { type: 'response_done', response: { usage: { outputTokens: 7 } } }],
  ['a message of LangChain', { content: 'hi', usage_metadata: { input_tokens: 9, output_tokens: 7 } }],
  ['a chunk of LangChain', { text: 'hi', message: { usage_metadata: { output_tokens: 7 } } }],
  [
    'answers of LangChain to several prompts',
    { generations: [3, 4].map((count) => [{ message: { usage_metadata: { output_tokens: count } } }]) },
  ],
])('%s tells what it has cost', (_what, told) => {
  expect(outputTokensOf(told)).toBe(7);
});

it.each([
  undefined,
  'text',
  {},
  { usage: undefined, response: 'none' },
  { usage: { outputTokens: undefined } },
  { usage: { outputTokens: { total: undefined } } },
  { usage: { outputTokens: -1 } },
  { usage: { outputTokens: NaN } },
  { usage: { outputTokens: '7' } },
])('%j tells of no cost', (told) => {
  expect(outputTokensOf(told)).toBe(0);
});
