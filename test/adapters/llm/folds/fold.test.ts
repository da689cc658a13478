import { expect, it } from 'vitest';
import { parseArguments } from '../../../../src/adapters/llm/folds/fold.ts';
import { foldAnthropic, foldGemini, foldOllama, foldOpenAIChat } from '../../../../src/adapters/llm/index.ts';
import { rulesOf } from '../../../../src/transcript/dialects/create-dialect.ts';
import { gemini } from '../../../../src/transcript/dialects/gemini/index.ts';
import { requireEnd } from '../../../../src/transcript/reading/ends/reply-failures.ts';

it.each([
  ['{"a":1}', { value: { a: 1 } }],
  ['', { value: {} }],
  [' ', { value: {} }],
  ['{"a":', undefined],
])('reads %j as %o', (json, parsed) => {
  expect(parseArguments(json)).toEqual(parsed);
});

const blocked = { promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'Not that.' } };

it.each([
  ['anthropic', foldAnthropic, { type: 'error', error: { type: 'overloaded_error', message: 'Later.' } }, 'Later.'],
  ['ollama', foldOllama, { error: 'no memory' }, 'no memory'],
  ['gemini', foldGemini, { error: { code: 503, message: 'Later.' } }, '503: Later.'],
  ['gemini, blocked', foldGemini, blocked, 'SAFETY: Not that.'],
  ['openai-chat', foldOpenAIChat, { error: { code: 502, message: 'Later.' } }, '502: Later.'],
])('what a provider says of its failure is that of the reply: %s', (_name, makeFold, event, words) => {
  const fold = makeFold();
  fold.add(event as never);
  const { value } = fold;
  expect(value.isComplete).toBe(false);
  expect(() => {
    requireEnd(rulesOf({ dialect: gemini }), value);
  }).toThrow(`the provider ended the reply: failed: ${words}`);
});
