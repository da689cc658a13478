/** What an attack on the repairs found, one test for each finding. */
import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import { aiSDK, aiSDKUI } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { gemini } from '../../src/transcript/dialects/gemini/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';
import { repairWith, type RepairWithOptions } from './support/repair-with.ts';
import type { AnyDialect } from './support/arbitraries.ts';
import { messageWriter, type TranscriptCall } from '../../src/transcript/index.ts';

const reason = createReason({ kind: 'user', at: 0 });
const u = (content: string) => ({ role: 'user', content });
const cut = (partial: unknown) => ({ status: 'interjected', partial, reason });
const fn = (id: unknown, name: string, args: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const row = (more: object): ToolOutcome => ({ id: 'a', name: 'x', call: {}, ms: 1, ...more }) as ToolOutcome;

/** Settles, and holds the result to what holds for all: legal, and nothing left to do. */
function settle(dialect: unknown, messages: readonly object[], options: object = {}) {
  const known = dialect as AnyDialect<object>;
  const how = { dialect: known, ...options } as RepairWithOptions<object, unknown>;
  const settled = repairWith(messages, how);
  expect(known.check(settled.messages as object[])).toEqual([]);
  const again = repairWith(settled.messages as object[], how);
  expect(again.messages).toEqual(settled.messages);
  expect(again.changes).toEqual([]);
  return {
    ...settled,
    messages: settled.messages as Record<string, unknown>[],
    json: JSON.stringify(settled.messages),
  };
}

describe('ids', () => {
  it('openai-chat: empty ids keep call and result', () => {
    const { messages } = settle(openaiChat, [
      u('q'),
      { role: 'assistant', tool_calls: [fn('', 'read'), fn('', 'list')] },
      { role: 'tool', tool_call_id: '', content: 'RESULT' },
      { role: 'tool', tool_call_id: '', content: 'LIST' },
    ]);
    expect(messages[1]?.['tool_calls']).toMatchObject([{ id: 'call_1' }, { id: 'call_2' }]);
    expect(messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'call_1', content: 'RESULT' },
      { role: 'tool', tool_call_id: 'call_2', content: 'LIST' },
    ]);
  });

  it('openai-chat: no ids at all, results by the names of their tools', () => {
    const call = (name: string) => ({ function: { name, arguments: { a: 1 } } });
    const { messages, json } = settle(openaiChat, [
      u('q'),
      { role: 'assistant', content: '', tool_calls: [call('read'), call('list')] },
      { role: 'tool', tool_name: 'list', content: 'LIST' },
      { role: 'tool', tool_name: 'read', content: 'RESULT' },
    ]);
    expect(messages.slice(2).map((one) => [one['tool_call_id'], one['content']])).toEqual([
      ['call_2', 'LIST'],
      ['call_1', 'RESULT'],
    ]);
    expect(json).toContain(String.raw`"arguments":"{\"a\":1}"`);
  });

  it.each([
    ['openai-chat', openaiChat, 'tool_calls'],
    ['anthropic', anthropic, 'content'],
  ])('%s: two different calls with one id stay two, each with its result', (_name, dialect, field) => {
    const isChat = dialect === (openaiChat as unknown);
    const use = (name: string, path: string) => ({ type: 'tool_use', id: 'w', name, input: { path } });
    const calls = isChat
      ? [fn('w', 'read', '{"p":"a"}'), fn('w', 'rm', '{"p":"b"}')]
      : [use('read', 'a'), use('rm', 'b')];
    const result = (content: string) => ({ type: 'tool_result', tool_use_id: 'w', content });
    const results = isChat
      ? ['AAA', 'REMOVED'].map((content) => ({ role: 'tool', tool_call_id: 'w', content }))
      : [{ role: 'user', content: ['AAA', 'REMOVED'].map(result) }];
    const { messages, json } = settle(dialect, [u('q'), { role: 'assistant', [field]: calls }, ...results]);
    expect(messages[1]?.[field]).toHaveLength(2);
    expect(json).toMatch(/"w","content":"AAA".*"w_copy2","content":"REMOVED"/);
  });

  it('anthropic: ids and names of other servers become what it takes, on call and result alike', () => {
    const talk = [
      u('q'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'functions.read:0', name: 'fs.read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.read:0', content: 'r' }] },
    ];
    expect(anthropic.check(talk as never).map(({ rule }) => rule)).toEqual([
      'id-characters',
      'name-characters',
      'id-characters',
    ]);
    const { json } = settle(anthropic, talk);
    expect(json).toMatch(/"id":"(functions_read_0_[0-9a-f]{8})","name":"fs_read".*"tool_use_id":"\1"/);
    expect(repairWith(talk as never[], { dialect: anthropic, ids: 'keep' }).changes).toEqual([]);
    expect(anthropic.check(talk as never, { ids: 'keep' })).toEqual([]);
  });

  it('openai-chat: ids of more than 40 characters are shortened, and two stay two', () => {
    const id = 'c'.repeat(64);
    const talk = [
      u('q'),
      { role: 'assistant', tool_calls: [fn(id, 'x'), fn(`${id}d`, 'x')] },
      { role: 'tool', tool_call_id: id, content: 'one' },
      { role: 'tool', tool_call_id: `${id}d`, content: 'two' },
    ];
    expect(openaiChat.check(talk as never).map(({ rule }) => rule)).toEqual(['id-length', 'id-length']);
    const { messages } = settle(openaiChat, talk);
    expect(new Set(messages.slice(2).map((one) => one['tool_call_id'])).size).toBe(2);
    expect(repairWith(talk as never[], { dialect: openaiChat, ids: 'keep' }).changes).toEqual([]);
  });

  it.each([32, 40, 64])(
    'openai-chat: two calls with one id of %i characters have the results that each was asked for',
    (n) => {
      const id = 'c'.repeat(n);
      const talk = [u('q'), { role: 'assistant', tool_calls: [fn(id, 'x', '{"p":1}'), fn(id, 'x', '{"p":2}')] }];
      const outcomeOf = ({ input }: TranscriptCall) => row({ status: 'completed', value: (input as { p: number }).p });
      const { messages } = settle(openaiChat, talk, { outcomeOf });
      expect(messages.slice(2).map(({ content }) => content)).toEqual(['1', '2']);
    },
  );

  it('a row finds its call under the id that the provider takes', () => {
    const talk = [u('q'), { role: 'assistant', content: [{ type: 'tool_use', id: 'f:0', name: 'x', input: {} }] }];
    const { messages, json } = settle(anthropic, talk, {
      outcomes: [row({ id: 'f:0', status: 'completed', value: 'PAID' })],
    });
    expect([messages.length, json.split('PAID').length]).toEqual([3, 2]);
  });
});

describe('S20 held state', () => {
  const output = [
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'x', arguments: '{}' },
  ];
  const held = { responses: [{ id: 'resp_1', status: 'completed', output }] };
  const submitted = (messages: object[], options: object = {}) =>
    repairWith(messages, { dialect: openaiResponses as never, held, ...options }).submit as {
      previous_response_id?: string;
      input: { type: string; output?: string }[];
    };

  it('answers the calls of a response that the application keeps no copy of', () => {
    expect(submitted([])).toMatchObject({
      previous_response_id: 'resp_1',
      input: [{ type: 'function_call_output', call_id: 'c1' }],
    });
    expect(submitted([], { outcomes: [row({ id: 'c1', status: 'completed', value: 'PAID' })] }).input).toMatchObject([
      { output: 'PAID' },
    ]);
  });

  it('sends the real result where the application keeps only its outputs', () => {
    const real = { type: 'function_call_output', call_id: 'c1', output: 'REAL' };
    expect(submitted([real]).input).toEqual([real]);
    expect(submitted([{ role: 'user', content: 'q' }, real]).input).toEqual([real]);
  });

  it('sends back no reasoning of a cancelled response, and what it led to without its id', () => {
    const cancelled = { responses: [{ id: 'resp_1', status: 'cancelled', output }] };
    const { input } = submitted([u('q'), ...output], { held: cancelled });
    expect(input.map(({ type }) => type)).toEqual([undefined, 'function_call', 'function_call_output']);
    expect(JSON.stringify(input)).not.toMatch(/rs_1|fc_1/);
  });
});

describe('cut replies', () => {
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'half' }] };

  it.each([
    message,
    { role: 'assistant', content: 'half' },
    { message: { role: 'assistant', content: 'half' } },
    { output: [message] },
  ])('openai-responses: reads %j', (value) => {
    expect(JSON.stringify(messageWriter(openaiResponses).reply(cut(value)))).toMatch(/half.*cut off/);
  });

  it.each<[string, unknown, object]>([
    ['anthropic', anthropic, { role: 'assistant', content: [{ type: 'text', text: 'All done.' }] }],
    ['openai-chat', openaiChat, { role: 'assistant', content: 'All done.' }],
    ['openai-responses', openaiResponses, [{ type: 'message', role: 'assistant', content: 'All done.' }]],
    ['gemini', gemini, { role: 'model', parts: [{ text: 'All done.' }] }],
    ['ai-sdk', aiSDK, { role: 'assistant', content: 'All done.' }],
    ['langchain', langchain, { role: 'assistant', content: 'All done.' }],
  ])('%s: a fold that is complete is never told that it was cut', (_name, dialect, whole) => {
    const fold = { message: whole, text: 'All done.', calls: [], isComplete: true };
    const said = (value: object) => JSON.stringify(messageWriter(dialect as AnyDialect<object>).reply(cut(value)));
    expect(said(fold)).toContain('All done.');
    expect(said(fold)).not.toContain('cut off');
    expect(said({ ...fold, isComplete: false })).toContain('cut off');
  });
});

describe('openai-responses', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'x', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'c', output: 'r' };

  it('judges reasoning by what follows it in the result', () => {
    const empty = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: '' }] };
    const orphan = { type: 'function_call_output', call_id: 'old', output: 'late' };
    for (const between of [empty, orphan]) {
      expect(settle(openaiResponses, [u('q'), reasoning, between, call, output]).messages).toEqual([
        u('q'),
        reasoning,
        call,
        output,
      ]);
    }
  });

  it('answers the client’s tool search with its own kind of output', () => {
    const search = { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: {}, status: 'completed' };
    expect(openaiResponses.check([search]).map(({ rule }) => rule)).toEqual(['call-answered']);
    const { messages } = settle(openaiResponses, [u('q'), search, u('n')]);
    expect(messages[2]).toMatchObject({ type: 'tool_search_output', call_id: 'c', tools: [] });
    const hosted = { ...search, call_id: null, execution: 'server' };
    expect(settle(openaiResponses, [u('q'), hosted]).changes).toEqual([]);
  });

  it('sends no status of reasoning', () => {
    const talk = [u('q'), { ...reasoning, status: 'completed' }, { role: 'assistant', content: 'x' }];
    expect(openaiResponses.check(talk as never).map(({ rule }) => rule)).toEqual(['reasoning-status']);
    expect(settle(openaiResponses, talk).messages[1]).toEqual(reasoning);
  });
});

describe('anthropic', () => {
  const use = (id: string, name = 'x') => ({ type: 'tool_use', id, name, input: {} });
  const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content });
  const say = (...content: object[]) => ({ role: 'assistant', content });

  it('takes consecutive messages of the model for one turn', () => {
    const talk = [
      u('q'),
      say({ type: 'thinking', thinking: 'T', signature: 'S' }),
      say(use('a')),
      say(use('b', 'y')),
      { role: 'user', content: [result('a', 'A'), result('b', 'B')] },
    ];
    expect(anthropic.check(talk as never)).toEqual([]);
    expect(settle(anthropic, talk).changes).toEqual([]);
    const open = settle(anthropic, talk.slice(0, 4));
    expect(open.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'assistant', 'user']);
  });

  it('removes a call that a removed server call made, or forgets who made it', () => {
    const code = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: 'x' } };
    const made = { ...use('a'), caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' } };
    const { json } = settle(anthropic, [u('q'), say(code, made), u('stop')]);
    expect(json).not.toContain('srvtoolu_1');
    const paid = [row({ id: 'a', status: 'completed', value: 'PAID' })];
    expect(settle(anthropic, [u('q'), say(code, made), u('stop')], { outcomes: paid }).json).toContain('PAID');
    expect(anthropic.check([u('q'), say(made), { role: 'user', content: [result('a', 'r')] }] as never)).toMatchObject([
      { rule: 'caller-there' },
    ]);
  });

  it('lets a message of settings stand, which has no content', () => {
    const talk = [
      u('q'),
      { role: 'assistant', content: 'a' },
      { role: 'system', output_config: { effort: 'low' } },
      u('n'),
    ];
    expect(settle(anthropic, talk).changes).toEqual([]);
  });

  it('keeps no compaction without words', () => {
    const talk = [u('q'), say({ type: 'compaction', content: '' }, { type: 'text', text: 'x' })];
    expect(anthropic.check(talk as never).map(({ rule }) => rule)).toEqual(['text-not-empty']);
    expect(settle(anthropic, talk).messages[1]).toEqual(say({ type: 'text', text: 'x' }));
  });

  it('keeps the error and the picture of an MCP tool', () => {
    const open = [u('q'), say(use('a'))];
    const value = { isError: true, content: [{ type: 'text', text: 'no such file' }] };
    expect(settle(anthropic, open, { outcomes: [row({ status: 'completed', value })] }).messages[2]).toEqual({
      role: 'user',
      content: [{ ...result('a', 'no such file'), is_error: true }],
    });
    const picture = { content: [{ type: 'image', data: 'iVBO', mimeType: 'image/png' }] };
    expect(settle(anthropic, open, { outcomes: [row({ status: 'completed', value: picture })] }).json).toContain(
      '"source":{"type":"base64","media_type":"image/png","data":"iVBO"}',
    );
  });
});

describe('values', () => {
  it('gemini: a Date is no object of fields', () => {
    const call = [
      { role: 'user', parts: [{ text: 'q' }] },
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'x', args: {} } }] },
    ];
    const { json } = settle(gemini, call, { outcomes: [row({ status: 'completed', value: new Date(0) })] });
    expect(json).toContain('"response":{"output":"1970-01-01T00:00:00.000Z"}');
  });

  const chat = (part: object) => [
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'q' }] },
    { id: 'm', role: 'assistant', parts: [{ type: 'tool-x', toolCallId: 'a', input: {}, ...part }] },
  ];

  it('ai-sdk: a chat can be written as JSON, whatever a tool returned', () => {
    const outcomes = [row({ status: 'completed', value: { n: 1n } })];
    expect(settle(aiSDKUI, chat({ state: 'input-available' }), { outcomes }).json).toContain('"output":{"n":"1"}');
  });

  it('ai-sdk: an output that was preliminary survives a stop', () => {
    const part = { state: 'output-available', output: { lines: 'SO FAR' }, preliminary: true };
    const { json } = settle(aiSDKUI, chat(part), { outcomes: [row({ status: 'stopped', reason })] });
    expect(json).toMatch(/stopped part-way.*SO FAR/);
  });

  it('ai-sdk: the input of a part in a chat is an object', () => {
    const talk = chat({ type: 'dynamic-tool', toolName: 'x', state: 'output-error', input: '{"a":', errorText: 'Bad' });
    expect(aiSDKUI.check(talk as never).map(({ rule }) => rule)).toEqual(['call-arguments']);
    expect(settle(aiSDKUI, talk).json).toContain('"input":{}');
  });

  it('gemini: a turn that holds a person’s words is the user’s', () => {
    const { messages } = settle(gemini, [
      { role: 'user', parts: [{ text: 'q' }] },
      { role: 'model', parts: [{ functionCall: { name: 'x', args: {} } }] },
      { role: 'function', parts: [{ functionResponse: { name: 'x', response: { output: 'r' } } }] },
      { role: 'user', parts: [{ text: 'the person speaks' }] },
    ]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'model', 'function', 'user']);
    const both = { role: 'function', parts: [(messages[2] as { parts: object[] }).parts[0], { text: 'speaks' }] };
    expect(settle(gemini, [...messages.slice(0, 2), both]).messages.slice(2)).toEqual([
      messages[2],
      { role: 'user', parts: [{ text: 'speaks' }] },
    ]);
  });
});
