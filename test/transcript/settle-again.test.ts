/** What is settled is settled: whatever the ledger's ids and names are like, a second time changes nothing. */
import { describe, expect, it } from 'vitest';

import type { ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import { checkTranscript, dialectNamed, repair, messageWriter } from '../../src/transcript/index.ts';
import { gemini } from '../../src/transcript/dialects/gemini/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { dialectNames } from '../../src/transcript/dialects/table.ts';
import { settleAndVerify } from './support/arbitraries.ts';
import { formWriters } from './support/conversations/writers.ts';

describe.each(formWriters.map((writer) => [writer.name, writer] as const))('%s', (_name, { dialect, round }) => {
  it.each(['files.read', 'read file', '9 lives', 'x'.repeat(80)])('a call of %j is told what it came to', (name) => {
    const calls = [{ mark: '1', id: 'call_1', name, isHalf: false }];
    const history = round({ prompt: 'Go.', replies: [{ text: 'text<1>', calls }], results: [] });
    const outcomeOf = (): ToolOutcome => ({ id: 'x', name, call: {}, ms: 1, status: 'completed', value: 'done<1>' });
    expect(JSON.stringify(settleAndVerify(dialect, history, { outcomeOf }))).toContain('done<1>');
  });
});

it('gemini: an id that is no text becomes one, in a call and in its response', () => {
  const part = { functionCall: { id: 7, name: 'read', args: {} } };
  const answer = { functionResponse: { id: 7, name: 'read', response: { output: 'hello' } } };
  const history = [
    { role: 'user', parts: [{ text: 'Go.' }] },
    { role: 'model', parts: [part, part] },
    { role: 'user', parts: [answer] },
  ];
  const settled = settleAndVerify(gemini as never, history, {});
  expect(JSON.stringify(settled)).toContain('"id":"7"');
  expect(JSON.stringify(settled)).not.toContain('"id":7');
});

it('openai-agents: a status of reasoning that is not sent stays as it is', () => {
  const said = {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'A' }],
  };
  const items = [
    { role: 'user', content: 'Hi.' },
    { type: 'reasoning', id: 'rs_1', content: [], status: 'completed' },
    said,
  ];
  const settled = repair(items, { dialect: openaiAgents });
  expect(settled.changes).toEqual([]);
  expect(settled.messages[1]).toBe(items[1]);
});

describe('malformed', () => {
  const openaiChat = dialectNamed('openai-chat');
  const calls = [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: '', tool_calls: [null] },
  ] as never[];

  it('a list of calls is named by its message and place', () => {
    const error = new TypeError('messages[1].tool_calls[0] must be an object, got null');
    expect(() => repair(calls, { dialect: openaiChat })).toThrow(error);
    expect(() => checkTranscript(calls, { dialect: openaiChat })).toThrow(error);
  });

  it.each(dialectNames)('%s: a reply that cannot be read is named, whatever breaks', (name) => {
    const dialect = dialectNamed(name);
    const parts = [null, 7, { type: 7 }, { functionCall: { name: 7 } }, { type: 'function_call', arguments: {} }];
    for (const part of parts) {
      const replies = [
        { role: 'assistant', content: [part], tool_calls: [part], parts: [part] },
        { output: [part], candidates: [{ content: { role: 'model', parts: [part] } }] },
        { choices: [{ message: { role: 'assistant', content: [part], tool_calls: [part] } }] },
      ];
      for (const reply of replies) {
        for (const read of [() => messageWriter(dialect as never).reply(reply), () => dialect.calls(reply)]) {
          try {
            read();
          } catch (error) {
            expect(error).toBeInstanceOf(TypeError);
            expect((error as Error).message).toMatch(/^reply /);
          }
        }
      }
    }
  });

  it('a reply with a part that is none is named', () => {
    const reply = { role: 'assistant', content: [null] };
    expect(() => messageWriter(openaiChat).reply(reply)).toThrow(new TypeError('reply could not be read'));
  });

  it('langchain: a call without a body is a breach, not a crash', () => {
    const call = { id: 'a', type: 'function', function: null };
    const dialect = dialectNamed('langchain');
    const rules = checkTranscript([{ role: 'assistant', tool_calls: [call] }], { dialect }).map(({ rule }) => rule);
    expect(rules).toContain('call-id');
  });

  it('options that are missing are named', () => {
    const error = new TypeError('options must be an object, got undefined');
    expect(() => repair([], undefined as never)).toThrow(error);
    expect(() => checkTranscript([], undefined as never)).toThrow(error);
  });
});
