/** What was cut at some length may end in half an emoji: strict readers of JSON refuse the request, and each after it. */
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import { checkTranscript, repair, messageWriter } from '../../src/transcript/index.ts';
import { aiSDK } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { gemini } from '../../src/transcript/dialects/gemini/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { ollama } from '../../src/transcript/dialects/ollama/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';

const reason = createReason({ kind: 'user', at: 0 });
const half = 'Lift off \ud83d';
const row = { id: 'a', name: 'build', call: { input: {} }, ms: 9 };
const stopped = { ...row, status: 'stopped', reason, partial: half } as const;
const done = { ...row, id: 'b', status: 'completed', value: half } as const;

const content = (role: string) => (text: string) => ({ role, content: text });
const turn = (role: string) => (text: string) => ({ role, parts: [{ text }] });
const dialects: [string, unknown, (text: string) => object][] = [
  ['anthropic', anthropic, content('user')],
  ['openai-chat', openaiChat, content('user')],
  ['openai-responses', openaiResponses, content('user')],
  ['openai-agents', openaiAgents, content('user')],
  ['gemini', gemini, turn('user')],
  ['ollama', ollama, content('user')],
  ['ai-sdk', aiSDK, content('user')],
  ['langchain', langchain, content('user')],
];

const isWhole = (messages: unknown): boolean => !/\\ud[89a-f]/.test(JSON.stringify(messages));

describe.each(dialects)('%s', (_name, given, ask) => {
  const dialect = given as typeof openaiChat;

  it('sends no half of a character of a message', () => {
    const messages = [ask(half)] as never[];
    expect(checkTranscript(messages, { dialect }).map(({ rule }) => rule)).toContain('text-well-formed');
    const settled = repair(messages, { dialect });
    expect(isWhole(settled.messages)).toBe(true);
    expect(JSON.stringify(settled.messages).split('Lift off \ufffd').length - 1).toBe(1);
    expect(settled.changes[0]).toMatchObject({ at: 0, rule: 'text-well-formed' });
    expect(checkTranscript(settled.messages, { dialect })).toEqual([]);
    expect(repair(settled.messages, { dialect })).toEqual({ messages: settled.messages, changes: [] });
  });

  it('makes no message of a loop with half of a character', () => {
    expect(isWhole(messageWriter(dialect).reply(half))).toBe(true);
    expect(isWhole(messageWriter(dialect).reply({ status: 'interjected', partial: half, reason }))).toBe(true);
    expect(isWhole(messageWriter(dialect).toolResults([stopped, done], { reason }))).toBe(true);
  });
});

it('finds none where a text names a code unit', () => {
  const message = { role: 'user', content: String.raw`The unit \ud83d, \\ud83d and 🚀` } as const;
  expect(checkTranscript([message], { dialect: anthropic })).toEqual([]);
  const { messages } = repair([message], { dialect: anthropic });
  expect(messages[0]).toBe(message);
});

it('keeps the class of a message of LangChain', () => {
  const call = { id: 'a', name: 'build', args: { path: half }, type: 'tool_call' } as const;
  const messages = [
    new HumanMessage(half),
    new AIMessage({ content: [{ type: 'text', text: half }], tool_calls: [call] }),
  ];
  const settled = repair(messages, { dialect: langchain });
  expect(settled.messages[0]).toBeInstanceOf(HumanMessage);
  expect(settled.messages[1]).toBeInstanceOf(AIMessage);
  expect(isWhole(settled.messages)).toBe(true);
  expect(checkTranscript(settled.messages, { dialect: langchain })).toEqual([]);
});
