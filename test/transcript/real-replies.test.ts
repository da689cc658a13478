/**
 * Replies as the clients of providers and the servers that speak like them return them: each is taken, whole and cut, is legal
 * in the conversation, and nothing that it says is lost.
 */
import { describe, expect, it } from 'vitest';

import { InterruptController } from '../../src/index.ts';
import { dialectNamed, type DialectName } from '../../src/transcript/dialects/table.ts';
import { checkTranscript, Conversation } from '../../src/transcript/index.ts';
import { aiReplies } from './support/replies/ai-sdk.ts';
import { anthropicReplies } from './support/replies/anthropic.ts';
import { geminiReplies } from './support/replies/gemini.ts';
import { langchainReplies } from './support/replies/langchain.ts';
import { ollamaReplies } from './support/replies/ollama.ts';
import { agentsReplies } from './support/replies/openai-agents.ts';
import { chatReplies } from './support/replies/openai-chat.ts';
import { responses } from './support/replies/openai-responses.ts';
import type { Sample } from './support/replies/sample.ts';
import { taken, type AnyDialect } from './support/replies/taken.ts';

const named = (name: DialectName): AnyDialect => dialectNamed(name) as unknown as AnyDialect;

const samples: Readonly<Record<DialectName, readonly Sample[]>> = {
  anthropic: anthropicReplies,
  'openai-chat': chatReplies,
  'openai-responses': responses,
  'openai-agents': agentsReplies,
  gemini: geminiReplies,
  ollama: ollamaReplies,
  'ai-sdk': aiReplies,
  langchain: langchainReplies,
};

/** The marks in a value. */
function marksIn(value: unknown, isGone: boolean): readonly string[] {
  const marks = JSON.stringify(value).match(/[a-z]+<\d+>/g) ?? [];
  return [...new Set(marks)].filter((mark) => mark.startsWith('gone') === isGone).sort();
}

describe.each(Object.entries(samples) as [DialectName, readonly Sample[]][])('a reply of %s', (name, own) => {
  const dialect = named(name);

  it.each(own)('that holds %s is taken whole', async (_what, value, count = 0) => {
    const { chat, report, calls } = await taken(dialect, value, false);
    expect(report.status === 'failed' ? report.error : report.status).toBe('completed');
    expect(calls.length).toBe(count);
    // What waits for a person is open until something else is said.
    await chat.runTurn(new InterruptController(), 'Next.', () => undefined);
    expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
    expect(marksIn(chat.messages, true)).toEqual([]);
    expect(marksIn(chat.messages, false)).toEqual(marksIn(value, false));
    expect(new Conversation(dialect, { messages: chat.messages }).messages).toEqual(chat.messages);
  });

  it.each(own)('that holds %s is taken when it is cut', async (_what, value) => {
    const { chat, report } = await taken(dialect, value, true);
    expect(report.status === 'failed' ? report.error : report.status).toBe('cancelled');
    expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
    expect(marksIn(chat.messages, true)).toEqual([]);
  });
});

it.each(Object.keys(samples) as DialectName[])('calls by the names of a client are refused by %s', async (name) => {
  const message = {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'a', function: { name: 'pay', arguments: '{}' } }],
  };
  if (name === 'ai-sdk') return;
  const { report } = await taken(named(name), { choices: [{ index: 0, message }] }, false);
  expect(report).toMatchObject({ status: 'failed', error: expect.any(TypeError) as unknown });
});
