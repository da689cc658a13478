import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../../src/core/interrupt/public-types/outcomes.ts';
import { anyId } from '../../../src/transcript/reading/ids.ts';
import { rowsBy, settleEntries } from '../../../src/transcript/reading/settle-entries.ts';
import { settleTranscript, type SettleTranscriptOptions } from '../../../src/transcript/index.ts';
import type { ReplyReader } from '../../../src/transcript/reading/partials.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';
import { aiSDK } from '../../../src/transcript/dialects/ai-sdk/index.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import { gemini } from '../../../src/transcript/dialects/gemini/index.ts';
import { langchain } from '../../../src/transcript/dialects/langchain/index.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../../src/transcript/dialects/openai-responses/index.ts';

const reason = createReason({ kind: 'user', at: 1 });
const cut = (value: unknown) => ({ modelCall: 1, value, reason });

/** Settles twice with the same leavings; the second time nothing may be left to do. */
function settleTwice(messages: readonly object[], options: SettleTranscriptOptions<never, unknown>) {
  const settle = settleTranscript as unknown as (
    given: readonly object[],
    how: SettleTranscriptOptions<never, unknown>,
  ) => { messages: object[] };
  const first = settle(messages, options);
  expect(settle(first.messages, options)).toMatchObject({ messages: first.messages, changes: [] });
  return first.messages;
}

it('looks for cut replies in what is left once the transcript is settled by itself', () => {
  const reader: ReplyReader<string> = {
    parts: (message) => ({ prose: message, calls: [], wholeCalls: [], seals: [] }),
    isPrompt: () => false,
    fromCall: ({ name }) => name,
    fromPartial: String,
  };
  const turn = {
    outcomes: [],
    partials: [cut('a'), cut('b')],
    reason,
    words: createWords(undefined),
    ids: 'normalise' as const,
    note: () => undefined,
  };
  const { messages } = settleEntries(['x', 'A'], turn, reader, (entries) =>
    entries.flatMap(({ message }, from) => (message === 'x' ? [] : [{ message: message.toLowerCase(), from }])),
  );
  expect(messages).toEqual(['a', 'b']);
});

describe('S17 a cut reply that the transcript holds already is added once or never', () => {
  const row = (id: string, status: string): ToolOutcome =>
    ({ id, name: 'read', call: undefined, ms: 1, status, reason }) as ToolOutcome;

  const byUser = createReason({ kind: 'interjection', at: 1 });

  it('ai-sdk: two steps of a chat have calls of one id, and each has a row', () => {
    const step = [
      { type: 'step-start' },
      { type: 'tool-read', toolCallId: 'b', state: 'output-available', input: {}, output: 1 },
    ];
    const chat = [{ id: 'm', role: 'assistant', parts: [...step, ...step] }];
    const outcomes = [row('b', 'not-started'), row('b', 'not-started')];
    const named = [...step, step[0], { ...step[1], toolCallId: 'b_copy2' }];
    expect(settleTwice(chat, { dialect: aiSDK, outcomes })).toEqual([{ id: 'm', role: 'assistant', parts: named }]);
  });

  it('openai-responses: a call that only the ledger has took the id of its own in another round', () => {
    const call = { type: 'function_call', call_id: 'call_0', name: 'list', arguments: '{}' };
    const text = {
      type: 'message',
      id: 'msg_0',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'First.' }],
    };
    const items = [
      text,
      call,
      { role: 'user', content: 'Wait' },
      { type: 'function_call_output', call_id: 'call_0', output: '' },
    ];
    const partials = [cut([text]), { modelCall: 2, value: [call], reason: byUser }];
    const outcomes = [row('call_0', 'not-started'), row('call_0', 'not-started')];
    expect(settleTwice(items, { dialect: openaiResponses, partials, outcomes })).toHaveLength(6);
  });

  it('gemini: an empty text stood between its call and another', () => {
    const call = (name: string) => ({ functionCall: { name, args: {} } });
    const contents = [{ role: 'model', parts: [call('b'), { text: '' }, call('a')] }];
    const partials = [cut({ role: 'model', parts: [call('b')] })];
    expect(settleTwice(contents, { dialect: gemini, partials })).toHaveLength(5);
  });

  it('gemini: it was put together with the call of the next reply', () => {
    const said = { role: 'model', parts: [{ text: 'Let me look.' }] };
    const call = { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] };
    const hello = { role: 'user', parts: [{ text: 'Hello' }] };
    const settled = settleTwice([hello, said, call], { dialect: gemini, partials: [cut(said)] });
    expect(settled).toHaveLength(3);
    expect(settled[1]).toEqual({ role: 'model', parts: [...said.parts, { text: '\n' }, ...call.parts] });
  });

  it('langchain: its call was cut in two other replies, of which the ledger knows one', () => {
    const invalid = (...ids: string[]) => ({
      role: 'assistant',
      content: '',
      invalid_tool_calls: ids.map((id) => ({ id, name: 'read', args: '{"pa' })),
    });
    const whole = { role: 'assistant', content: '', tool_calls: [{ id: 'a', name: 'read', args: {} }] };
    settleTwice([whole, invalid('a', 'c'), invalid('a')], {
      dialect: langchain,
      outcomes: [row('a', 'not-started'), row('c', 'stopped')],
      partials: [cut(whole)],
    });
  });

  it('langchain: a call beside its own was cut, and the ledger has a row for that one’s id', () => {
    const value = {
      role: 'assistant',
      content: '',
      tool_calls: [{ type: 'tool_call', id: 'b', name: 'read', args: {} }],
      invalid_tool_calls: [{ id: 'a', name: 'read', args: '{"pa' }],
    };
    const settled = settleTwice([], { dialect: langchain, outcomes: [row('a', 'stopped')], partials: [cut(value)] });
    expect(settled[2]).toMatchObject({ tool_calls: value.tool_calls, invalid_tool_calls: [] });
  });

  it('anthropic: a server tool in it has two results', () => {
    const call = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
    const partials = [cut({ role: 'assistant', content: [call, found, found] })];
    expect(settleTwice([{ role: 'user', content: 'Hello' }], { dialect: anthropic, partials })).toHaveLength(2);
  });

  it('openai-responses: the reasoning before it is not in it, and stays', () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'seal' };
    const said = { type: 'message', id: 'msg_1', role: 'assistant', content: 'Let me look.' };
    const items = [{ role: 'user', content: 'Hello' }, reasoning, said];
    expect(settleTwice(items, { dialect: openaiResponses, partials: [cut([said])] })).toEqual(items);
  });

  it('openai-responses: one before it is missing, and the server holds it', () => {
    const said = { type: 'message', id: 'msg_1', role: 'assistant', content: 'Let me look.' };
    const call = { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' };
    const items = [{ role: 'user', content: 'Hello' }, said];
    const settled = settleTwice(items, {
      dialect: openaiResponses,
      partials: [cut([call]), { ...cut([said]), modelCall: 2 }],
      held: { responses: [{ id: 'resp_1' }] },
    });
    expect(settled).toHaveLength(4);
    expect(settled.slice(0, 3)).toEqual([...items, call]);
  });

  it('openai-responses: what the repair takes from its end stays gone', () => {
    const call = { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' };
    const items = [{ role: 'user', content: 'Hello' }, call, { ...call }];
    const options = { dialect: openaiResponses, partials: [cut([call])] } as const;
    expect(settleTwice(items, options)).toHaveLength(3);
  });

  it('openai-responses: what the provider ran for it is there under its id', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const options = { dialect: openaiResponses, partials: [cut([search]), cut([search, search])] } as const;
    expect(settleTwice([search], options)).toEqual([search]);
  });
});

it('S46 gives a row the id that its call will have, unless ids are kept', () => {
  const row = { id: 'f:0', name: 'x', call: {}, ms: 1, status: 'completed', value: 1 } as const;
  const named = rowsBy(anyId)({ outcomes: [row], partials: [], ids: 'normalise' }, []);
  expect(named[0]?.id).toMatch(/^f_0_[0-9a-f]{8}$/);
  const outcomes = [row];
  expect(rowsBy(anyId)({ outcomes, partials: [], ids: 'keep' }, [])).toBe(outcomes);
});

describe('S45 a row of a turn whose beginning is known', () => {
  const call = { type: 'function_call', call_id: 'call_1', name: 'pay', arguments: '{}' };
  const use = { id: 'call_1', type: 'function', function: { name: 'pay', arguments: '{}' } };
  const row: ToolOutcome = { id: 'call_1', name: 'pay', call: {}, ms: 1, status: 'completed', value: 'paid again' };
  const ask = { role: 'user', content: 'Pay.' };
  const olds = [
    [
      openaiChat,
      [ask, { role: 'assistant', tool_calls: [use] }, { role: 'tool', tool_call_id: 'call_1', content: 'paid' }],
    ],
    [openaiResponses, [ask, call, { type: 'function_call_output', call_id: 'call_1', output: 'paid' }]],
  ] as const;

  it.each(olds.map(([dialect, old]) => [dialect.name, dialect, old] as const))(
    'is never that of an older call of the same id: %s',
    (_name, dialect, old) => {
      const options = { dialect: dialect as never, outcomes: [row], reason, turnStart: 3 };
      const messages = settleTwice([...old, ask], options);
      expect(JSON.stringify(messages.slice(4))).toContain('paid again');
    },
  );

  it('is never that of an older call whose id was changed, however many there are', () => {
    const bought = (n: number): ToolOutcome => ({ ...row, id: 'ü', value: `bought ${String(n)}` });
    let messages: readonly object[] = [];
    for (const [n, extra] of [[], [], [{ ...row, id: 'other' }]].entries()) {
      const turnStart = messages.length;
      const options = { dialect: anthropic as never, outcomes: [bought(n), ...extra], reason, turnStart };
      messages = settleTwice([...messages, ask], options);
      messages = [...messages, { role: 'assistant', content: 'Done.' }];
    }
    for (const n of [0, 1, 2]) expect(JSON.stringify(messages).split(`bought ${String(n)}`)).toHaveLength(2);
  });
});
