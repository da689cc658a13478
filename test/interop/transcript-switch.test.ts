/**
 * One list of messages, sent to one provider after another by the real SDKs: what a server made up must not be what the
 * next one refuses.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { ChatAnthropic } from '@langchain/anthropic';
import { ChatOpenAI } from '@langchain/openai';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { generateText, type LanguageModel, type ModelMessage } from 'ai';
import { afterEach, expect, it } from 'vitest';

import { startModelServer, type ModelServer } from '../../src/testing/model-server/index.ts';
import { checkTranscript, settleTranscript } from '../../src/transcript/index.ts';
import { aiSDK } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';

let server: ModelServer;
afterEach(() => server.close());

const keys = { apiKey: 'none', maxRetries: 0 };
const claudeOf = (): LanguageModel => createAnthropic({ ...keys, baseURL: `${server.url}/v1` })('m');

/** Each call of the last request, and what it was answered. */
function pairsSent(): Record<string, string> {
  const { messages } = server.requests.at(-1)?.body as { messages: { content: unknown }[] };
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Block[]) : []));
  const results = new Map(blocks.map((block) => [block.tool_use_id, JSON.stringify(block.content)]));
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  return Object.fromEntries(calls.map(({ id, input }) => [input?.path ?? '', results.get(id) ?? 'nothing']));
}

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly input?: { readonly path: string };
  readonly tool_use_id?: string;
  readonly content?: unknown;
}

it('S46 ids that a server counts anew in each reply are no reason for Claude to refuse a history of the AI SDK', async () => {
  server = await startModelServer({ script: () => 'Understood.' });
  const call = (path: string) =>
    ({ type: 'tool-call', toolCallId: 'call_0', toolName: 'read', input: { path } }) as const;
  const done = (value: string) =>
    ({ type: 'tool-result', toolCallId: 'call_0', toolName: 'read', output: { type: 'text', value } }) as const;
  const begun: ModelMessage[] = [
    { role: 'user', content: 'Read a, b and c.' },
    { role: 'assistant', content: [call('a')] },
    { role: 'tool', content: [done('of a')] },
    { role: 'assistant', content: [call('b')] },
    { role: 'tool', content: [done('of b')] },
    { role: 'assistant', content: [call('c')] },
  ];
  const send = async (model: LanguageModel, messages: readonly ModelMessage[]) =>
    (await generateText({ model, maxRetries: 0, messages: [...messages, { role: 'user', content: 'And?' }] })).text;
  await expect(send(claudeOf(), begun.slice(0, 5))).rejects.toThrow('`tool_use` ids must be unique');

  const row = { id: 'call_0', name: 'read', call: { input: { path: 'c' } }, ms: 1 };
  const outcomes = [{ ...row, status: 'completed' as const, value: 'of c' }];
  const { messages, changes } = settleTranscript(begun, { dialect: aiSDK, outcomes });
  expect(await send(claudeOf(), messages)).toBe('Understood.');
  expect(pairsSent()).toEqual({ a: '"of a"', b: '"of b"', c: '"of c"' });
  expect(changes.filter(({ rule }) => rule === 'call-id').map(({ at }) => at)).toEqual([3, 5]);
  expect(messages.slice(0, 3).every((message, i) => message === begun[i])).toBe(true);
  expect(settleTranscript(messages, { dialect: aiSDK, outcomes }).changes).toEqual([]);

  // Back at the first server, which counts on as it did.
  const own = createOpenAI({ ...keys, baseURL: `${server.url}/v1` }).chat('m');
  expect(await send(own, messages)).toBe('Understood.');
  const further: ModelMessage[] = [...messages, { role: 'assistant', content: [call('d')] }];
  const again = settleTranscript(further, { dialect: aiSDK }).messages;
  expect(again.slice(0, messages.length)).toEqual(messages);
  expect(await send(claudeOf(), again)).toBe('Understood.');
  expect(Object.keys(pairsSent())).toEqual(['a', 'b', 'c', 'd']);

  expect(settleTranscript(begun.slice(0, 5), { dialect: aiSDK, ids: 'keep' }).changes).toEqual([]);
});

it('S46 nor to refuse one of LangChain', async () => {
  server = await startModelServer({ script: () => 'Understood.' });
  const call = (path: string) =>
    new AIMessage({ content: '', tool_calls: [{ id: 'call_0', name: 'read', args: { path }, type: 'tool_call' }] });
  const done = (content: string) => new ToolMessage({ content, tool_call_id: 'call_0' });
  const begun = [new HumanMessage('Read a, b and c.'), call('a'), done('of a'), call('b'), done('of b'), call('c')];
  const claude = new ChatAnthropic({ model: 'm', ...keys, anthropicApiUrl: server.url });
  const own = new ChatOpenAI({ model: 'm', ...keys, configuration: { baseURL: `${server.url}/v1` } });
  await expect(claude.invoke(begun.slice(0, 5))).rejects.toThrow('`tool_use` ids must be unique');

  const row = { id: 'call_0', name: 'read', call: { input: { path: 'c' } }, ms: 1 };
  const outcomes = [{ ...row, status: 'completed' as const, value: 'of c' }];
  const { messages, changes } = settleTranscript(begun, { dialect: langchain, outcomes });
  expect(checkTranscript(messages, { dialect: langchain })).toEqual([]);
  expect((await claude.invoke([...messages, 'And?'] as never)).text).toBe('Understood.');
  expect(pairsSent()).toEqual({ a: '"of a"', b: '"of b"', c: '"of c"' });
  expect(changes.filter(({ rule }) => rule === 'call-id').map(({ at }) => at)).toEqual([3, 5]);
  expect(messages.slice(0, 3).every((message, i) => message === begun[i])).toBe(true);
  expect(settleTranscript(messages, { dialect: langchain, outcomes }).changes).toEqual([]);
  expect((await own.invoke([...messages, 'And?'] as never)).text).toBe('Understood.');
  expect(settleTranscript(begun.slice(0, 5), { dialect: langchain, ids: 'keep' }).changes).toEqual([]);
});
