/**
 * One list of messages, sent to one provider after another by the real SDKs: what a server made up must not be what the
 * next one refuses.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { ChatAnthropic } from '@langchain/anthropic';
import { ChatOpenAI } from '@langchain/openai';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { convertToModelMessages, generateText, type LanguageModel, type ModelMessage, type UIMessage } from 'ai';
import { afterEach, expect, it } from 'vitest';

import { startModelServer, type ModelServer } from '../../src/testing/model-server/index.ts';
import { checkTranscript } from '../../src/transcript/index.ts';
import { repairWith } from '../transcript/support/repair-with.ts';
import { aiSDK, aiSDKUI } from '../../src/transcript/dialects/ai-sdk/index.ts';
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
  const outcomeOf = ({ input }: { readonly input: unknown }) =>
    JSON.stringify(input).includes('"c"') ? { ...row, status: 'completed' as const, value: 'of c' } : undefined;
  const { messages, changes } = repairWith(begun, { dialect: aiSDK, outcomeOf });
  expect(await send(claudeOf(), messages)).toBe('Understood.');
  expect(pairsSent()).toEqual({ a: '"of a"', b: '"of b"', c: '"of c"' });
  expect(changes.filter(({ rule }) => rule === 'call-id').map(({ at }) => at)).toEqual([3, 5]);
  expect(messages.slice(0, 3).every((message, i) => message === begun[i])).toBe(true);
  expect(repairWith(messages, { dialect: aiSDK, outcomeOf }).changes).toEqual([]);

  // Back at the first server, which counts on as it did.
  const own = createOpenAI({ ...keys, baseURL: `${server.url}/v1` }).chat('m');
  expect(await send(own, messages)).toBe('Understood.');
  const further: ModelMessage[] = [...messages, { role: 'assistant', content: [call('d')] }];
  const again = repairWith(further, { dialect: aiSDK }).messages;
  expect(again.slice(0, messages.length)).toEqual(messages);
  expect(await send(claudeOf(), again)).toBe('Understood.');
  expect(Object.keys(pairsSent())).toEqual(['a', 'b', 'c', 'd']);

  expect(repairWith(begun.slice(0, 5), { dialect: aiSDK, ids: 'keep' }).changes).toEqual([]);
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
  const outcomeOf = ({ input }: { readonly input: unknown }) =>
    JSON.stringify(input).includes('"c"') ? { ...row, status: 'completed' as const, value: 'of c' } : undefined;
  const { messages, changes } = repairWith(begun, { dialect: langchain, outcomeOf });
  expect(checkTranscript(messages, { dialect: langchain })).toEqual([]);
  expect((await claude.invoke([...messages, 'And?'] as never)).text).toBe('Understood.');
  expect(pairsSent()).toEqual({ a: '"of a"', b: '"of b"', c: '"of c"' });
  expect(changes.filter(({ rule }) => rule === 'call-id').map(({ at }) => at)).toEqual([3, 5]);
  expect(messages.slice(0, 3).every((message, i) => message === begun[i])).toBe(true);
  expect(repairWith(messages, { dialect: langchain, outcomeOf }).changes).toEqual([]);
  expect((await own.invoke([...messages, 'And?'] as never)).text).toBe('Understood.');
  expect(repairWith(begun.slice(0, 5), { dialect: langchain, ids: 'keep' }).changes).toEqual([]);
});

it('S46 an error without words, as a tool of the AI SDK left it, is one that Claude takes', async () => {
  server = await startModelServer({ script: () => 'Understood.' });
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: { path: 'a' } } as const;
  for (const value of ['', ' \n']) {
    const output = { type: 'error-text', value } as const;
    const history: ModelMessage[] = [
      { role: 'user', content: 'Read a.' },
      { role: 'assistant', content: [call] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read', output }] },
      { role: 'user', content: 'And?' },
    ];
    const send = async (messages: ModelMessage[]) =>
      (await generateText({ model: claudeOf(), maxRetries: 0, messages })).text;
    if (value === '') await expect(send(history)).rejects.toThrow('content cannot be empty if `is_error` is true');
    expect(checkTranscript(history, { dialect: aiSDK }).map(({ rule }) => rule)).toEqual(['error-says-why']);
    const { messages, changes } = repairWith(history, { dialect: aiSDK });
    expect(await send(messages)).toBe('Understood.');
    expect(pairsSent()).toEqual({ a: '"This call failed without saying why."' });
    expect(changes.map(({ at, rule }) => [at, rule])).toEqual([[2, 'error-says-why']]);
    expect(repairWith(messages, { dialect: aiSDK }).changes).toEqual([]);
  }
});

it('S46 and one in a chat of the AI SDK', async () => {
  server = await startModelServer({ script: () => 'Understood.' });
  const part = {
    type: 'tool-read',
    toolCallId: 'a',
    state: 'output-error',
    input: { path: 'a' },
    errorText: '',
  } as const;
  const chat: UIMessage[] = [
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Read a.' }] },
    { id: 'm', role: 'assistant', parts: [part] },
    { id: 'v', role: 'user', parts: [{ type: 'text', text: 'And?' }] },
  ];
  const send = async (messages: UIMessage[]) =>
    (await generateText({ model: claudeOf(), maxRetries: 0, messages: await convertToModelMessages(messages) })).text;
  await expect(send(chat)).rejects.toThrow('content cannot be empty if `is_error` is true');
  expect(checkTranscript(chat, { dialect: aiSDKUI })).toHaveLength(1);
  const { messages } = repairWith(chat, { dialect: aiSDKUI });
  expect(await send(messages)).toBe('Understood.');
  expect(pairsSent()).toEqual({ a: '"This call failed without saying why."' });
});

it('S46 and one of LangChain', async () => {
  server = await startModelServer({ script: () => 'Understood.' });
  const claude = new ChatAnthropic({ model: 'm', ...keys, anthropicApiUrl: server.url });
  const asked = new AIMessage({
    content: '',
    tool_calls: [{ id: 'a', name: 'read', args: { path: 'a' }, type: 'tool_call' }],
  });
  for (const content of ['', [], ' ']) {
    const history = [new HumanMessage('Go.'), asked, new ToolMessage({ content, tool_call_id: 'a', status: 'error' })];
    expect(checkTranscript(history, { dialect: langchain }).map(({ at }) => at)).toEqual([2]);
    const { messages } = repairWith(history, { dialect: langchain });
    expect((await claude.invoke(messages as never)).text).toBe('Understood.');
    expect(pairsSent()).toEqual({ a: '"This call failed without saying why."' });
    expect(repairWith(messages, { dialect: langchain }).changes).toEqual([]);
  }
});

it('S46 an open turn goes on with a Claude that thinks, without its thinking until the turn has ended', async () => {
  const call = { name: 'read', input: { path: 'b' }, id: 'toolu_b' };
  server = await startModelServer({
    script: [{ toolCalls: [call] }, 'Both are short.', { thinking: 'Hm.', text: 'Yes.' }],
  });
  const claude = createAnthropic({ ...keys, baseURL: `${server.url}/v1` })('claude-sonnet-4-5');
  let messages: ModelMessage[] = [
    { role: 'user', content: 'Read a and b.' },
    // The model before thought as well, in its own form.
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'First a.' },
        { type: 'tool-call', toolCallId: 'call_0', toolName: 'read', input: { path: 'a' } },
      ],
    },
  ];
  const ask = async (isThinking: boolean) => {
    const thinking = isThinking ? { thinking: { type: 'enabled', budgetTokens: 1024 } } : {};
    const { finalStep, text } = await generateText({
      ...{ model: claude, maxRetries: 0, messages },
      providerOptions: { anthropic: thinking },
    });
    messages.push(...finalStep.response.messages);
    return text;
  };
  const outcomes = [{ id: 'call_0', name: 'read', call: {}, ms: 1, status: 'completed' as const, value: 'of a' }];
  messages = repairWith(messages, { dialect: aiSDK, outcomes }).messages;
  await expect(ask(true)).rejects.toThrow('When `thinking` is enabled, a final `assistant` message must start');
  await ask(false);
  // Its own calls of this turn as well.
  messages = repairWith(messages, { dialect: aiSDK }).messages;
  await expect(ask(true)).rejects.toThrow('When `thinking` is enabled, a final `assistant` message must start');
  messages.push({ role: 'user', content: 'Go on.' });
  await expect(ask(true), 'a prompt does not end the turn').rejects.toThrow('When `thinking` is enabled');
  expect(await ask(false)).toBe('Both are short.');
  messages.push({ role: 'user', content: 'Really?' });
  expect(await ask(true)).toBe('Yes.');
});

it('S46 a picture that a model made is refused by none where words stand in its place', async () => {
  server = await startModelServer({ script: () => 'Understood.' });
  const picture = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
  const thought = { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } } as const;
  const historyOf = (content: Extract<ModelMessage, { role: 'assistant' }>['content']): ModelMessage[] =>
    repairWith(
      [
        { role: 'user', content: 'Draw a cat.' },
        { role: 'assistant', content },
        { role: 'user', content: 'And now describe it.' },
      ],
      { dialect: aiSDK },
    ).messages;
  const chat = createOpenAI({ ...keys, baseURL: `${server.url}/v1` }).chat('m');
  const send = async (model: LanguageModel, messages: ModelMessage[]) =>
    (await generateText({ model, maxRetries: 0, messages })).text;
  await expect(send(chat, historyOf([picture]))).rejects.toThrow('got an empty string');
  await expect(send(claudeOf(), historyOf([thought, picture]))).rejects.toThrow('cannot be `thinking`');
  const words = { type: 'text', text: '[image/png]' } as const;
  for (const model of [chat, claudeOf()]) {
    expect(await send(model, historyOf([words]))).toBe('Understood.');
    expect(await send(model, historyOf([thought, words]))).toBe('Understood.');
  }
});

it('S46 a picture that a tool gave back after the stop is shown to Claude by the AI SDK', async () => {
  server = await startModelServer({ script: () => 'Understood.' });
  const begun: ModelMessage[] = [
    { role: 'user', content: 'Show a.' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: { path: 'a' } }] },
  ];
  const value = { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] };
  const row = { id: 'a', name: 'read', call: { input: { path: 'a' } }, ms: 1, status: 'completed' as const, value };
  const { messages } = repairWith(begun, { dialect: aiSDK, outcomes: [row] });
  await generateText({ model: claudeOf(), maxRetries: 0, messages: [...messages, { role: 'user', content: 'And?' }] });
  expect(pairsSent()['a']).toContain('{"type":"base64","media_type":"image/png","data":"AAAA"}');
});
