import { describe, expect, it } from 'vitest';

import { InterruptController, type ToolOutcome } from '../../../src/index.ts';
import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { legalReply, readReply } from '../../../src/transcript/dialects/legal-reply.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { Conversation, dialectNamed, type DialectName, type TranscriptDialect } from '../../../src/transcript/index.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

type AnyDialect = TranscriptDialect<object, unknown>;

const words = createWords(undefined);
const rules = rulesOf({ dialect: openaiChat });
const call = (id: string, args = '{}'): object => ({
  id,
  type: 'function',
  function: { name: 'pay', arguments: args },
});
const message = (...tool_calls: object[]): object => ({ role: 'assistant', content: 'I pay.', tool_calls });

describe('a reply by itself', () => {
  it('keeps its calls open where it is whole, and answers them where it was cut', () => {
    expect(legalReply(rules, message(call('a')), { words }).messages).toHaveLength(1);
    const cut = legalReply(rules, message(call('a')), { words, cutBy: { kind: 'user' } });
    expect(cut.messages.length).toBe(1);
    expect(cut.settled().map(({ role }) => role)).toEqual(['assistant', 'tool']);
  });

  it('is found in what a model call came to, and in nothing that only looks like it', () => {
    const said = [message(call('a')), { status: 'completed', value: message(call('a')) }];
    for (const reply of said) expect(readReply(rules, reply)).toMatchObject({ cutBy: undefined, calls: [{ id: 'a' }] });
    const cut = { status: 'interjected', partial: message(call('a')), reason: { kind: 'user' } };
    expect(readReply(rules, cut)).toMatchObject({ cutBy: { kind: 'user' }, calls: [{ id: 'a' }] });
    expect(() => readReply(rules, { status: 'completed' })).toThrow('reply must be a reply of openai-chat');
  });

  it('holds a call that came twice once', () => {
    const { calls } = legalReply(rules, message(call('a'), call('a')), { words });
    expect(calls).toHaveLength(1);
  });

  it('says nothing where it was cut before it was one, and is refused where it was not', () => {
    expect(legalReply(rules, undefined, { words, cutBy: { kind: 'user' } }).messages).toEqual([]);
    expect(() => legalReply(rules, undefined, { words })).toThrow('reply must be a reply of openai-chat');
  });

  it('is refused, cut or whole, if another dialect reads it, by what only that reads', () => {
    const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] };
    const said = 'reply must be a reply of openai-chat, got one with tool_use';
    expect(() => legalReply(rules, use, { words, cutBy: { kind: 'user' } })).toThrow(said);
    expect(() => legalReply(rules, { message: use }, { words })).toThrow(said);
    const text = { message: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }] };
    expect(() => legalReply(rules, text, { words, cutBy: { kind: 'user' } })).toThrow('a reply of openai-chat');
  });
});

/** Runs one reply of a model, and then one without calls. */
async function run(name: DialectName, reply: unknown, last: unknown) {
  const dialect = dialectNamed(name) as unknown as AnyDialect;
  const chat = new Conversation<object>(dialect);
  const ran: unknown[] = [];
  let outcomes: readonly ToolOutcome[] = [];
  const told: object[][] = [];
  await chat.runTurn(new InterruptController(), 'Pay.', async (turn) => {
    const replies = [reply, last];
    for (;;) {
      const { calls, isLast } = await turn.model(({ messages }) => {
        told.push(messages);
        return replies.shift();
      });
      outcomes = await turn.tools(calls, ({ name: tool, input }) => {
        ran.push([tool, input]);
        if (typeof input === 'string') throw new TypeError('the arguments are no JSON');
        return 'paid';
      });
      if (isLast) return;
    }
  });
  expect(dialect.check(chat.messages)).toEqual([]);
  return { ran, outcomes, told: JSON.stringify(told.at(-1)), asked: told.length };
}

describe('a call whose arguments the model did not write as JSON', () => {
  const done = { role: 'assistant', content: 'Done.' };
  it.each<[DialectName, unknown, unknown]>([
    ['openai-chat', { choices: [{ finish_reason: 'tool_calls', message: message(call('a', '{"to":')) }] }, done],
    [
      'openai-responses',
      { output: [{ type: 'function_call', call_id: 'a', name: 'pay', arguments: '{"to":' }] },
      { output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }] },
    ],
    [
      'anthropic',
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'pay', input: '{"to":' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ],
    [
      'openai-agents',
      { usage: {}, output: [{ type: 'function_call', callId: 'a', name: 'pay', arguments: '{"to":' }] },
      {
        usage: {},
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }],
      },
    ],
    [
      'gemini',
      { candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'pay', args: '{"to":' } }] } }] },
      { role: 'model', parts: [{ text: 'Done.' }] },
    ],
    [
      'ollama',
      { message: { role: 'assistant', content: '', tool_calls: [{ function: { name: 'pay', arguments: '{"to":' } }] } },
      done,
    ],
    [
      'ai-sdk',
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: '{"to":' }] },
      done,
    ],
    [
      'langchain',
      { role: 'assistant', content: '', invalid_tool_calls: [{ id: 'a', name: 'pay', args: '{"to":', error: 'No.' }] },
      done,
    ],
  ])('%s: goes to its tool as it came, and the model hears what is wrong with it', async (name, reply, last) => {
    const { ran, told, asked } = await run(name, reply, last);
    expect(ran).toEqual([['pay', '{"to":']]);
    expect(asked).toBe(2);
    expect(told).toContain('the arguments are no JSON');
  });

  it('stands beside those that LangChain could read', async () => {
    const tool_calls = [{ id: 'b', name: 'pay', args: {} }];
    const invalid_tool_calls = [{ id: 'a', name: 'pay', args: '{"to":', error: 'No.' }];
    const { ran, told } = await run(
      'langchain',
      { role: 'assistant', content: '', tool_calls, invalid_tool_calls },
      done,
    );
    expect(ran).toEqual([
      ['pay', {}],
      ['pay', '{"to":'],
    ]);
    expect(told).toContain('the arguments are no JSON');
  });

  it('is not started where Gemini has yet to say the rest of them, and the model is told so', async () => {
    const parts = [
      { functionCall: { name: 'pay', args: {} } },
      { functionCall: { name: 'pay', args: { to: 'a' }, willContinue: true } },
    ];
    const reply = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] };
    const { ran, told } = await run('gemini', reply, { role: 'model', parts: [{ text: 'Done.' }] });
    expect(ran).toEqual([['pay', {}]]);
    expect(told).toContain('This call was not started');
  });

  it('is not started where a limit cut it, and the model is told so', async () => {
    const reply = { choices: [{ finish_reason: 'length', message: message(call('a'), call('b', '{"to":')) }] };
    const { ran, told } = await run('openai-chat', reply, { role: 'assistant', content: 'Done.' });
    expect(ran).toEqual([['pay', {}]]);
    expect(told).toContain('This call was not started');
  });
});

it('a tool of Gemini is known by the name that the model said', async () => {
  const reply = { role: 'model', parts: [{ functionCall: { name: 'fs read', args: {} } }] };
  const { ran } = await run('gemini', reply, { role: 'model', parts: [{ text: 'Done.' }] });
  expect(ran).toEqual([['fs read', {}]]);
});
