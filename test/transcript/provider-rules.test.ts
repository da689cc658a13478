import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import {
  refuseAnthropic,
  refuseGemini,
  refuseOpenAIChat,
  refuseResponsesItems,
} from '../../src/testing/model-server/transcript-rules/index.ts';
import { wordingTable } from '../../src/transcript/index.ts';
import { repairWith } from './support/repair-with.ts';
import { anthropic, type AnthropicMessage } from '../../src/transcript/dialects/anthropic/index.ts';
import { gemini, type GeminiContent } from '../../src/transcript/dialects/gemini/index.ts';
import { openaiChat, type OpenAIChatMessage } from '../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses, type OpenAIResponsesItem } from '../../src/transcript/dialects/openai-responses/index.ts';

/** Each sentence of what a provider demands: broken, refused; settled, accepted, and nothing completed is lost. */
const reason = createReason({ kind: 'user', at: 1 });

describe('anthropic', () => {
  const hello = { role: 'user', content: 'Hello' } as const;
  const use = (id: string) => ({ type: 'tool_use', id, name: 'read', input: {} });
  const result = (id: string, content = 'ok') => ({ type: 'tool_result', tool_use_id: id, content });
  const says = (...content: { readonly type: string }[]): AnthropicMessage => ({ role: 'assistant', content });
  const answers = (...content: { readonly type: string }[]): AnthropicMessage => ({ role: 'user', content });
  const text = { type: 'text', text: 'And now?' };
  const signed = { type: 'thinking', thinking: 'Hm.', signature: 'sig' };
  const words = (id: string) => ({ ...result(id, wordingTable.unknown.unrecorded), is_error: true });

  it.each<[string, AnthropicMessage[], AnthropicMessage[]]>([
    [
      'every tool_use is answered in the immediately following user message',
      [hello, says(use('a')), hello],
      [hello, says(use('a')), answers(words('a'), { type: 'text', text: 'Hello' } as never)],
    ],
    ['no result without its use', [hello, answers(result('z'), text)], [hello, answers(text)]],
    [
      'results come first in that message, text after',
      [hello, says(use('a')), answers(text, result('a'))],
      [hello, says(use('a')), answers(result('a'), text)],
    ],
    [
      'one result per id',
      [hello, says(use('a')), answers(result('a'), result('a'))],
      [hello, says(use('a')), answers(result('a'))],
    ],
    [
      'all results of one assistant turn in one message',
      [hello, says(use('a'), use('b')), answers(result('a')), answers(result('b'), text)],
      [hello, says(use('a'), use('b')), answers(result('a'), result('b')), answers(text)],
    ],
    [
      'a block cut before its signature is removed',
      [hello, says({ type: 'thinking', thinking: 'H', signature: '' } as never, text), hello],
      [hello, says(text), hello],
    ],
    [
      'and an assistant message that held nothing else goes with it',
      [hello, says({ type: 'thinking', thinking: 'H', signature: '' } as never), hello],
      [hello, hello],
    ],
    [
      'no empty text blocks',
      [hello, says({ type: 'text', text: '' } as never, text), hello],
      [hello, says(text), hello],
    ],
    [
      'final assistant text does not end in white space',
      [hello, { role: 'assistant', content: 'Half a ' }],
      [hello, { role: 'assistant', content: 'Half a' }],
    ],
  ])('%s', (_rule, broken, expected) => {
    const body = (messages: readonly AnthropicMessage[]) => ({ model: 'm', max_tokens: 1, messages });
    expect(refuseAnthropic(body(broken))).toBeDefined();
    const { messages, changes } = repairWith(broken, { dialect: anthropic });
    expect(messages).toEqual(expected);
    expect(refuseAnthropic(body(messages))).toBeUndefined();
    for (const { what } of changes) expect(what).toMatch(/^\w+ .{10,}/);
    expect(changes).not.toEqual([]);
  });

  it('a signed thinking block is replayed byte-identical while its tool cycle is open', () => {
    const open = says(signed, use('a'));
    const { messages } = repairWith([hello, open], { dialect: anthropic });
    expect(messages[1]).toBe(open);
  });

  it('interrupted results carry is_error: true, and real ones do not', () => {
    const row = { name: 'read', call: {}, ms: 1 };
    const outcomes: ToolOutcome[] = [
      { ...row, id: 'a', status: 'stopped', reason },
      { ...row, id: 'b', status: 'completed', value: 'real' },
    ];
    const { messages } = repairWith([hello, says(use('a'), use('b'))], { dialect: anthropic, outcomes });
    expect(messages[2]?.content).toEqual([
      { ...result('a', wordingTable.user.stopped), is_error: true },
      result('b', 'real'),
    ]);
  });
});

describe('openai-chat', () => {
  const hello: OpenAIChatMessage = { role: 'user', content: 'Hello' };
  const call = (id: string, args = '{}') => ({ id, type: 'function', function: { name: 'read', arguments: args } });
  const calls = (...tool_calls: object[]) => ({ role: 'assistant', content: null, tool_calls }) as OpenAIChatMessage;
  const tool = (tool_call_id: string, content = 'ok') => ({ role: 'tool', tool_call_id, content }) as OpenAIChatMessage;

  it.each<[string, OpenAIChatMessage[], OpenAIChatMessage[]]>([
    [
      'every tool_calls[].id has a tool message before any other role',
      [hello, calls(call('a')), hello, tool('a')],
      [hello, calls(call('a')), tool('a'), hello],
    ],
    ['no tool message without its call', [hello, tool('a')], [hello]],
    ['half-streamed arguments: drop the call', [hello, calls(call('a', '{"pa'))], [hello]],
    [
      'an assistant message with neither content nor calls is dropped',
      [hello, { role: 'assistant', content: null }, hello],
      [hello, hello],
    ],
  ])('%s', (_rule, broken, expected) => {
    expect(refuseOpenAIChat({ model: 'm', messages: broken })).toBeDefined();
    const { messages, changes } = repairWith(broken, { dialect: openaiChat });
    expect(messages).toEqual(expected);
    expect(refuseOpenAIChat({ model: 'm', messages })).toBeUndefined();
    for (const { what } of changes) expect(what).toMatch(/^\w+ .{10,}/);
    expect(changes).not.toEqual([]);
  });

  it('or replace them by {} when an outcome exists', () => {
    const outcomes: ToolOutcome[] = [{ id: 'a', name: 'read', call: {}, ms: 1, status: 'stopped', reason }];
    const { messages } = repairWith([hello, calls(call('a', '{"pa'))], { dialect: openaiChat, outcomes });
    expect(messages.slice(1)).toEqual([calls(call('a')), tool('a', wordingTable.user.stopped)]);
  });
});

describe('openai-responses', () => {
  const hello: OpenAIResponsesItem = { role: 'user', content: 'Hello' } as never;
  const item = (type: string, more: object = {}) => ({ type, ...more }) as OpenAIResponsesItem;
  const call = (id: string) => item('function_call', { call_id: id, name: 'read', arguments: '{}' });
  const output = (id: string) => item('function_call_output', { call_id: id, output: 'ok' });
  const thought = item('reasoning', { id: 'rs_1', summary: [], encrypted_content: 'sealed' });
  const patch = { operation: { type: 'delete_file', path: 'a' }, status: 'completed' };

  it.each<[string, OpenAIResponsesItem[], string[]]>([
    ['every function_call has its output', [hello, call('a')], ['function_call', 'function_call_output']],
    [
      'a custom tool call has its own',
      [hello, item('custom_tool_call', { call_id: 'a', name: 'x', input: '' })],
      ['custom_tool_call', 'custom_tool_call_output'],
    ],
    [
      'a shell call has its own',
      [hello, item('shell_call', { call_id: 'a', action: { commands: ['ls'] }, status: 'completed' })],
      ['shell_call', 'shell_call_output'],
    ],
    [
      'an apply-patch call has its own',
      [hello, item('apply_patch_call', { call_id: 'a', ...patch })],
      ['apply_patch_call', 'apply_patch_call_output'],
    ],
    ['no output without its call', [hello, output('a')], []],
    [
      'answering a call keeps the reasoning before it',
      [hello, thought, call('a')],
      ['reasoning', 'function_call', 'function_call_output'],
    ],
    [
      'dropping a call drops the reasoning directly before it',
      [hello, thought, item('function_call', { call_id: 'a', name: 'read', arguments: '{"pa' })],
      [],
    ],
  ])('%s', (_rule, broken, expected) => {
    expect(refuseResponsesItems(broken as never)).toBeDefined();
    const { messages, changes } = repairWith(broken, { dialect: openaiResponses });
    expect(messages.slice(1).map(({ type }) => type)).toEqual(expected);
    expect(refuseResponsesItems(messages as never)).toBeUndefined();
    expect(changes).not.toEqual([]);
  });
});

describe('gemini', () => {
  const user = (...parts: object[]): GeminiContent => ({ role: 'user', parts });
  const model = (...parts: object[]): GeminiContent => ({ role: 'model', parts });
  const hello = user({ text: 'Hello' });
  const call = (name: string) => ({ functionCall: { name, args: {} } });
  const answer = (name: string) => ({ functionResponse: { name, response: { output: name } } });
  const words = (name: string) => ({
    functionResponse: { name, response: { error: wordingTable.unknown.unrecorded } },
  });

  it.each<[string, GeminiContent[], GeminiContent[]]>([
    ['as many responses as calls', [model(call('a'), call('b')), user(answer('a'))], [user(answer('a'), words('b'))]],
    ['in their order', [model(call('a'), call('b')), user(answer('b'), answer('a'))], [user(answer('a'), answer('b'))]],
    [
      'all in one turn of the user',
      [model(call('a'), call('b')), user(answer('a')), user(answer('b'))],
      [user(answer('a'), answer('b'))],
    ],
    ['directly after', [model(call('a')), hello, user(answer('a'))], [user(answer('a')), hello]],
    ['and alone in it', [model(call('a')), user(answer('a'), { text: 'Hello' })], [user(answer('a')), hello]],
  ])('%s', (_rule, broken, expected) => {
    expect(refuseGemini({ contents: [hello, ...broken] })).toBeDefined();
    const { messages, changes } = repairWith([hello, ...broken], { dialect: gemini });
    expect(messages.slice(2)).toEqual(expected);
    expect(refuseGemini({ contents: messages })).toBeUndefined();
    expect(changes).not.toEqual([]);
  });

  it('roles need not alternate', () => {
    const talk = [hello, hello, model({ text: 'Hi.' }), model({ text: 'There.' }), hello];
    expect(refuseGemini({ contents: talk })).toBeUndefined();
    expect(repairWith(talk, { dialect: gemini }).changes).toEqual([]);
  });

  it('thoughtSignature stays on the first call part', () => {
    const { messages } = repairWith([hello, model({ ...call('a'), thoughtSignature: 's' }, call('b'))], {
      dialect: gemini,
    });
    expect(messages[1]?.parts).toEqual([{ ...call('a'), thoughtSignature: 's' }, call('b')]);
    expect(refuseGemini({ contents: messages }, 'gemini-3-pro')).toBeUndefined();
  });
});
