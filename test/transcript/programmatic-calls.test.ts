import { describe, expect, it } from 'vitest';

import type { ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import { createReason } from '../../src/core/foundation/reason.ts';
import { checkTranscript, repair, wordingTable, messageWriter } from '../../src/transcript/index.ts';
import { settleInTurn } from './support/settle-in-turn.ts';
import { aiSDK } from '../../src/transcript/dialects/ai-sdk/index.ts';
import type { AISDKMessage } from '../../src/transcript/dialects/ai-sdk/message.ts';
import { anthropic, type AnthropicMessage } from '../../src/transcript/dialects/anthropic/index.ts';
import { lostNote } from '../../src/core/foundation/results/lost-note.ts';

type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

const user = createReason({ kind: 'user', at: 1 });
const prompt: AnthropicMessage = { role: 'user', content: 'Pay both.' };
const says = (...content: Block[]): AnthropicMessage => ({ role: 'assistant', content });
const answered = (id: string): AnthropicMessage => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: `${id} paid` } as Block],
});
const code: Block = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: 'x' } };
const ran: Block = { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: {} };
const direct = (id: string): Block => ({ type: 'tool_use', id, name: 'pay', input: {} });
const made = (id: string): Block => ({
  ...direct(id),
  caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' },
});

function settle(messages: readonly AnthropicMessage[]) {
  const settled = settleInTurn(anthropic, messages);
  expect(checkTranscript(settled.messages, { dialect: anthropic })).toEqual([]);
  expect(settleInTurn(anthropic, settled.messages).messages).toEqual(settled.messages);
  return settled;
}

describe('code on the provider’s side that waits for one call after the other', () => {
  const rounds = [prompt, says(code, made('a')), answered('a'), says(made('b'))];

  it('is left alone while it runs on', () => {
    const talk = [...rounds, answered('b')];
    const { messages, changes } = settle(talk);
    expect(changes).toEqual([]);
    messages.forEach((message, at) => expect(message).toBe(talk[at]));
    const third = [...talk, says(made('c')), answered('c')];
    expect(settle(third).changes).toEqual([]);
    expect(settle([...third, says(ran, { type: 'text', text: 'Paid.' })]).changes).toEqual([]);
  });

  it('hears of a later call that nobody recorded that it may have run', () => {
    const { messages, changes } = settle(rounds);
    expect(messages.slice(0, 4)).toEqual(rounds);
    expect(JSON.stringify(messages[4])).toContain(wordingTable.unknown.unrecorded);
    expect(changes).toEqual(['call-answered']);
  });

  it('gets what a row has for a later call', () => {
    const row: ToolOutcome = { id: 'b', name: 'pay', call: {}, ms: 1, status: 'completed', value: 'b paid' };
    const settled = settleInTurn(anthropic, rounds, ({ id }) => (id === 'b' ? row : undefined));
    expect(settled.messages).toEqual([...rounds, answered('b')]);
  });

  it('is over once somebody says something else, or the model speaks without a call of it', () => {
    for (const rest of [[{ role: 'user' as const, content: 'Stop.' }], [says({ type: 'text', text: 'So.' })]]) {
      const talk = [...rounds, answered('b'), ...rest];
      expect(checkTranscript(talk, { dialect: anthropic })).toMatchObject([{ at: 1, rule: 'server-call-answered' }]);
      const { messages } = settle(talk);
      const over = [prompt, says(direct('a')), answered('a'), says(direct('b')), answered('b')];
      const told = { role: 'user', content: lostNote(['code_execution']) };
      const isPersons = rest[0]?.role === 'user';
      expect(messages).toEqual([...over, ...(isPersons ? [told, ...rest] : [...rest, told])]);
    }
  });

  it('is over in a list that was stored', () => {
    const search: Block = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    const paused = [prompt, says({ type: 'text', text: 'I search.' }, search)];
    expect(settle(paused).changes).toEqual([]);
    const stopped = repair(paused, { dialect: anthropic });
    const told = { role: 'user', content: lostNote(['web_search']) };
    expect(stopped.messages).toEqual([prompt, says({ type: 'text', text: 'I search.' }), told]);
    expect(stopped.changes).toMatchObject([{ at: 1, rule: 'server-call-answered' }]);
    expect(checkTranscript([...stopped.messages, prompt], { dialect: anthropic })).toEqual([]);
    expect(settle([...paused, prompt]).messages).toEqual([...stopped.messages, prompt]);
    expect(repair([...rounds, answered('b')], { dialect: anthropic }).messages[1]).toEqual(says(direct('a')));
  });

  it('leaves its calls behind when it is over, as calls of the model', () => {
    const { messages } = settle([prompt, says(code, made('a')), { role: 'user', content: 'Stop.' }]);
    expect(messages[1]).toEqual(says(direct('a')));
    expect(JSON.stringify(messages[2])).toContain(wordingTable.unknown.unrecorded);
    const text = { type: 'text', text: 'I pay.' };
    const partial = says(text, code, made('a'));
    const cut = messageWriter(anthropic).reply({ status: 'interjected', partial, reason: user });
    expect(cut[0]).toEqual(says(text, direct('a')));
    expect(JSON.stringify(cut[1])).toContain(wordingTable.user['not-started']);
  });
});

describe('the same in messages of the AI SDK', () => {
  const call = (toolCallId: string, more: object = {}) => ({
    type: 'tool-call',
    toolCallId,
    toolName: 'pay',
    input: {},
    ...more,
  });
  const byCode = (id: string, provider = 'anthropic') =>
    call(id, { providerOptions: { [provider]: { caller: { toolId: 'code', callerId: 'code' } } } });
  const running = call('code', { toolName: 'code_execution', providerExecuted: true });
  const reply = (...content: { type: string }[]): AISDKMessage => ({ role: 'assistant', content });
  const done = (toolCallId: string): AISDKMessage => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName: 'pay', output: { type: 'text', value: 'ok' } } as never],
  });
  const settleSDK = (messages: readonly AISDKMessage[]) => {
    const settled = settleInTurn(aiSDK, messages);
    expect(checkTranscript(settled.messages, { dialect: aiSDK })).toEqual([]);
    return settled;
  };
  const asked: AISDKMessage = { role: 'user', content: 'Pay both.' };
  const rounds = [asked, reply(running, byCode('a')), done('a'), reply(byCode('b'))];

  it('is left alone while it runs on', () => {
    expect(settleSDK([...rounds, done('b')]).changes).toEqual([]);
    expect(settleSDK(rounds).changes).toEqual(['call-answered']);
    const openai = [asked, reply(running, byCode('a', 'openai')), done('a'), reply(byCode('b', 'openai')), done('b')];
    expect(settleSDK(openai).changes).toEqual([]);
  });

  it('says no longer who made its calls when it is over', () => {
    const told: AISDKMessage = { role: 'user', content: lostNote(['code_execution']) };
    const over = [asked, reply(call('a')), done('a'), reply(call('b')), done('b'), told];
    const talk = [...rounds, done('b')];
    expect(repair(talk, { dialect: aiSDK }).messages).toEqual(over);
    expect(settleSDK([...talk, asked]).messages).toEqual([...over, asked]);
    expect(aiSDK.check([asked, reply(byCode('a')), done('a')])).toMatchObject([{ at: 1, rule: 'caller-there' }]);
  });
});
