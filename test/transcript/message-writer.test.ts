import { describe, expect, it } from 'vitest';

import { InterruptController } from '../../src/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { aiSDKUI } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';
import { checkTranscript, Conversation, messageWriter } from '../../src/transcript/index.ts';

const call = (id: string, more: object = {}): object => ({
  ...{ id, type: 'function', function: { name: 'pay', arguments: '{}' } },
  ...more,
});
const message = (...tool_calls: object[]): object => ({ role: 'assistant', content: 'I pay.', tool_calls });

describe('a writer of messages', () => {
  it('gives a whole reply back as it came', () => {
    expect(messageWriter(openaiChat).reply(message(call('a')))).toEqual([message(call('a'))]);
  });

  it('gives a call that came twice back once', () => {
    expect(messageWriter(openaiChat).reply(message(call('a'), call('a')))).toEqual([message(call('a'))]);
  });

  it('answers each call of a reply that was cut', () => {
    const cut = { status: 'interjected', partial: message(call('a'), call('b')), reason: { kind: 'user' } };
    const written = messageWriter(openaiChat).reply(cut);
    expect(written.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool']);
    expect(JSON.stringify(written)).toContain('This call was not started');
  });

  it('writes results in the order of the outcomes, and nothing for none', () => {
    const row = { name: 'pay', call: {}, ms: 1, status: 'completed' } as const;
    const { toolResults } = messageWriter(anthropic);
    const results = toolResults([
      { ...row, id: 'b', value: 'second' },
      { ...row, id: 'a', value: 'first' },
    ]);
    expect(results).toMatchObject([{ role: 'user', content: [{ tool_use_id: 'b' }, { tool_use_id: 'a' }] }]);
    expect(toolResults([])).toEqual([]);
  });

  it('is refused to what is no dialect of a model', () => {
    expect(() => messageWriter(aiSDKUI as never)).toThrow('no model is sent messages of ai-sdk-ui');
    expect(() => messageWriter(undefined as never)).toThrow('options.dialect must be a dialect');
  });
});

it('tells in your words what a limit cut, a call and what had begun of one', async () => {
  const tool = (id: string, json: string): object => call(id, { function: { name: 'pay', arguments: json } });
  const cut = { ...message(tool('a', '{}'), tool('b', '{"x')), fragments: [{ name: 'read' }] };
  const reply = { choices: [{ finish_reason: 'length', message: cut }], fragments: [{ name: 'read' }] };
  const { toolResults } = messageWriter(openaiChat);
  const report = await new InterruptController().runTurn(async (turn) => {
    const outcomes = await turn.tools(openaiChat.calls(await turn.model(() => reply)), () => 'v');
    return toolResults(outcomes, { wording: ({ outcome }) => `mine: ${outcome}` });
  });
  const said = report.unwrap().map(({ content }) => content);
  expect(said).toEqual(['v', 'mine: over-limit', '[Your call of read: mine: over-limit]']);
});

it('says behind what was cut of a reply what the provider had run in it', () => {
  const said = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
  };
  const running = {
    type: 'mcp_call',
    id: 'm',
    name: 'roll',
    arguments: '{}',
    server_label: 's',
    status: 'in_progress',
  };
  const cut = { status: 'interjected', partial: { output: [said, running] }, reason: { kind: 'user' } };
  const written = messageWriter(openaiResponses).reply(cut);
  expect(written.map(({ role }) => role)).toEqual(['assistant', 'user']);
  expect(JSON.stringify(written[1])).toContain('while the provider ran: roll');
});

it('what a limit cut is told behind the results of the other calls of its reply', async () => {
  const first = { type: 'tool_use', id: 't1', name: 'read', input: {} };
  const reply = { role: 'assistant', content: [first], fragments: [{ name: 'pay' }] };
  const { reply: said, toolResults } = messageWriter(anthropic);
  const list: object[] = [{ role: 'user', content: 'Go.' }];
  await new InterruptController().runTurn(async (turn) => {
    const value = await turn.model(() => reply);
    list.push(...said(value), ...toolResults(await turn.tools(anthropic.calls(value), () => 'ok')));
  });
  expect(checkTranscript(list as never, { dialect: anthropic })).toEqual([]);
  expect(JSON.stringify(list.slice(-1))).toContain('Your call of pay');
});

it.each(['value', 'calls'] as const)('a call that was found in the %s of a reply may have run', async (name) => {
  const reply = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'pay', input: {} }] };
  const chat = new Conversation(anthropic);
  const agent = new InterruptController();
  await chat.runTurn(agent, 'Pay.', async (turn) => {
    const outcome = await turn.model(() => reply);
    expect(name in outcome && Object(outcome)[name]).toBeDefined();
    agent.cancel('user');
    turn.checkpoint();
  });
  expect(JSON.stringify(chat.messages)).toContain('It may have run');
});
