/** What is settled is settled: whatever the ledger's ids and names are like, a second time changes nothing. */
import { describe, expect, it } from 'vitest';

import type { ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import { checkTranscript, dialectNamed, settleTranscript } from '../../src/transcript/index.ts';
import { gemini } from '../../src/transcript/dialects/gemini/index.ts';
import { ollama } from '../../src/transcript/dialects/ollama/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { dialectNames } from '../../src/transcript/dialects/table.ts';
import { settleAndVerify } from './support/arbitraries.ts';
import type { Json } from './support/conversations/sights.ts';
import { formWriters } from './support/conversations/writers.ts';

const rowOf = (id: string, name: string): ToolOutcome => ({
  id,
  name,
  call: { input: {} },
  ms: 1,
  status: 'completed',
  value: `done<${name}>`,
});

describe.each(formWriters.map((writer) => [writer.name, writer] as const))('%s', (_name, { dialect, round, see }) => {
  const prompt = round({ prompt: 'Go.', replies: [], results: [] }).slice(0, 1);

  it.each(['files.read', 'read file', '9 lives', 'x'.repeat(80)])('a call of %j that only the ledger has', (name) => {
    const messages = settleAndVerify(dialect, prompt, { outcomes: [rowOf('call_1', name)], reason: 'user' });
    const calls = see(messages as readonly Json[]).filter((one) => one !== 'border' && 'call' in one);
    expect(calls).toHaveLength(1);
    expect(JSON.stringify(messages)).toContain(`done<${name}>`);
  });
});

const outcomes = [rowOf('call_0', 'read'), rowOf('call_0', 'write')];

it('ollama: of two rows with one id, the one whose call is there is its own', () => {
  const call = { function: { name: 'write', arguments: {} } };
  const history = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: '', tool_calls: [call] },
  ];
  const settled = settleAndVerify(ollama as never, history, { outcomes, reason: 'user' }) as readonly Json[];
  const results = settled.filter(({ role }) => role === 'tool');
  expect(results.map(({ tool_name, content }) => [tool_name, content])).toEqual([
    ['write', 'done<write>'],
    ['read', 'done<read>'],
  ]);
});

it('gemini: of two rows with one id, the one whose call is there is its own', () => {
  const history = [
    { role: 'user', parts: [{ text: 'Go.' }] },
    { role: 'model', parts: [{ functionCall: { name: 'write', args: {} } }] },
  ];
  const settled = settleAndVerify(gemini as never, history, { outcomes, reason: 'user' });
  expect(JSON.stringify(settled).match(/done<(\w+)>/g)).toEqual(['done<write>', 'done<read>']);
});

it('gemini: rows of a cut reply without ids are of its calls', () => {
  const reply = { role: 'model', parts: [{ functionCall: { name: 'fs read', args: {} } }] } as const;
  const [call] = gemini.calls(reply);
  const partials = [{ modelCall: 1, value: reply, reason: { kind: 'user', at: 0 } as never }];
  const rows = [rowOf(call?.id ?? '', 'fs read')];
  const turn = { outcomes: rows, partials, reason: 'user' as const };
  const settled = settleAndVerify(gemini as never, [{ role: 'user', parts: [{ text: 'Go.' }] }], turn);
  expect(JSON.stringify(settled).match(/functionCall"/g)).toHaveLength(1);
  expect(JSON.stringify(settled)).toContain('done<fs read>');
});

it('gemini: an id that is no text becomes one, in a call and in its response', () => {
  const part = { functionCall: { id: 7, name: 'read', args: {} } };
  const answer = { functionResponse: { id: 7, name: 'read', response: { output: 'hello' } } };
  const history = [
    { role: 'user', parts: [{ text: 'Go.' }] },
    { role: 'model', parts: [part, part] },
    { role: 'user', parts: [answer] },
  ];
  const settled = settleAndVerify(gemini as never, history, { reason: 'user' });
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
  const settled = settleTranscript(items, { dialect: openaiAgents });
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
    expect(() => settleTranscript(calls, { dialect: openaiChat })).toThrow(error);
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
        for (const read of [() => dialect.reply(reply), () => dialect.calls(reply)]) {
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
    expect(() => openaiChat.reply(reply)).toThrow(new TypeError('reply could not be read'));
  });

  it('langchain: a call without a body is a breach, not a crash', () => {
    const call = { id: 'a', type: 'function', function: null };
    const dialect = dialectNamed('langchain');
    const rules = checkTranscript([{ role: 'assistant', tool_calls: [call] }], { dialect }).map(({ rule }) => rule);
    expect(rules).toContain('call-id');
  });

  it('options that are missing are named', () => {
    const error = new TypeError('options must be an object, got undefined');
    expect(() => settleTranscript([], undefined as never)).toThrow(error);
    expect(() => checkTranscript([], undefined as never)).toThrow(error);
  });
});
