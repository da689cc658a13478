import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import { checkTranscript, wordingTable } from '../../src/transcript/index.ts';
import { aiSDK } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { gemini } from '../../src/transcript/dialects/gemini/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { ollama } from '../../src/transcript/dialects/ollama/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';
import { settleReport } from './support/settle-report.ts';

const reason = createReason({ kind: 'user', at: 1 });
const mark = wordingTable.user.cut;
const content = (role: string) => (text: string) => ({ role, content: text });
const ui = (id: string, role: string) => (text: string) => ({ id, role, parts: [{ type: 'text', text }] });
const turnOf = (role: string) => (text: string) => ({ role, parts: [{ text }] });
const item = (text: string) => ({
  ...{ type: 'message', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [] }],
});

type Say = (text: string) => object;
const dialects: [string, unknown, Say, Say, object[]][] = [
  ['anthropic', anthropic, content('user'), content('assistant'), []],
  ['openai-chat', openaiChat, content('user'), content('assistant'), []],
  ['ollama', ollama, content('user'), content('assistant'), []],
  ['langchain', langchain, content('user'), content('assistant'), []],
  ['ai-sdk, for a model', aiSDK, content('user'), content('assistant'), []],
  ['ai-sdk, in a chat', aiSDK, ui('u', 'user'), ui('', 'assistant'), []],
  ['gemini', gemini, turnOf('user'), turnOf('model'), []],
  ['openai-responses', openaiResponses, content('user'), item, [{ type: 'reasoning', id: 'rs_1', summary: [] }]],
  ['openai-agents', openaiAgents, content('user'), item, []],
];

describe.each(dialects)(
  '%s: a reply that was pushed behind or before its partial',
  (_name, given, ask, say, before) => {
    const dialect = given as typeof openaiChat;

    function settle(messages: object[], values: [modelCall: number, value: unknown][], turnStart?: number) {
      const partials = values.map(([modelCall, value]) => ({ modelCall, value, reason }));
      const report = { status: 'cancelled', calls: [], partials, stop: { reason } } as const;
      const settled = settleReport(messages as never[], report, { dialect, turnStart }).messages;
      expect(checkTranscript(settled, { dialect })).toEqual([]);
      expect(settleReport(settled, report, { dialect, turnStart })).toMatchObject({ messages: settled, changes: [] });
      const json = JSON.stringify(settled);
      return { settled: settled as object[], count: (words: string) => json.split(words).length - 1 };
    }

    it.each<[string, unknown]>([
      ['a message', say('The build fails because of')],
      ['a fold', { message: say('The build fails because of'), text: '' }],
      ['a text', 'The build fails because of'],
    ])('is told once where the partial, %s, has more', (_what, value) => {
      const { settled, count } = settle([ask('Why?'), ...before, say('The build fails bec')], [[1, value]]);
      expect([count('The build'), count('because of'), count(mark)]).toEqual([1, 1, 1]);
      expect(settled[0]).toEqual(ask('Why?'));
    });

    it('is told once where the transcript has more, and stays as it is', () => {
      const messages = [ask('Why?'), say('The build fails because of')];
      expect(settle(messages, [[1, say('The build fails bec')]]).settled).toEqual(messages);
    });

    it('is told once before a prompt that was pushed behind it', () => {
      const messages = [ask('Why?'), say('The build fails bec'), ask('Go on.')];
      const { settled, count } = settle(messages, [[1, say('The build fails because of')]], 0);
      expect([count('The build'), count('because of'), settled.at(-1)]).toEqual([1, 1, ask('Go on.')]);
    });

    it('is another one where the turn has not had as many, however they begin', () => {
      for (const [first, second] of [
        ['OK.', 'OK. And the other'],
        ['I see that it fails.', 'I see'],
      ] as const) {
        const { count } = settle([ask('Why?'), say(first)], [[2, say(second)]]);
        expect([count(first), count(second), count(mark)]).toEqual(first === 'OK.' ? [2, 1, 1] : [1, 2, 1]);
      }
    });

    it('is another one in the turn before', () => {
      const { count } = settle([ask('Why?'), say('The build'), ask('And?')], [[1, say('The build fails')]]);
      expect([count('The build'), count(mark)]).toEqual([2, 1]);
    });

    it('is another one where neither begins like the other', () => {
      const { count } = settle([ask('Why?'), say('The tests fail')], [[1, say('The build')]]);
      expect([count('The tests fail'), count('The build'), count(mark)]).toEqual([1, 1, 1]);
    });
  },
);

describe('a reply with calls that was pushed behind its partial', () => {
  const ask = { role: 'user' as const, content: 'Pay.' };
  const use = (id: string) => ({ type: 'tool_use', id, name: 'pay', input: {} });
  const text = (words: string) => ({ type: 'text', text: words });
  const reply = (...blocks: object[]) => ({ role: 'assistant' as const, content: blocks });

  function settle(pushed: object[], cut: object[]) {
    const partials = [{ modelCall: 1, value: reply(...cut), reason }];
    const report = { status: 'cancelled', calls: [], partials, stop: { reason } } as const;
    const { messages } = settleReport([ask, reply(...pushed)] as never[], report, { dialect: anthropic });
    expect(checkTranscript(messages, { dialect: anthropic })).toEqual([]);
    expect(settleReport(messages, report, { dialect: anthropic })).toMatchObject({ messages, changes: [] });
    return messages[1];
  }

  it('has the call that came with the last delta', () => {
    expect(settle([text('I pay')], [text('I pay.'), use('a')])).toEqual(reply(text('I pay.'), use('a')));
    expect(settle([text('I pay'), use('a')], [text('I pay'), use('a'), use('b')])).toEqual(
      reply(text('I pay'), use('a'), use('b')),
    );
  });

  it('has the thought that came with it', () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' };
    const said = settle([thought, text('I p')], [thought, text('I pay')]);
    expect(said).toMatchObject(reply(thought, text('I pay'), text(mark)));
  });

  it('in OpenAI’s items has the call that came with the last delta', () => {
    const partials = [
      {
        ...{ modelCall: 1, reason },
        value: [item('I pay.'), { type: 'function_call', call_id: 'a', name: 'pay', arguments: '{}' }],
      },
    ];
    const report = { status: 'cancelled', calls: [], partials, stop: { reason } } as const;
    const { messages } = settleReport([ask, item('I p')] as never[], report, { dialect: openaiResponses });
    expect(messages).toMatchObject([
      ask,
      { content: [{ text: 'I pay.' }] },
      { type: 'function_call' },
      { type: 'function_call_output' },
    ]);
    expect(settleReport(messages, report, { dialect: openaiResponses }).changes).toEqual([]);
  });
});

it('a message of a chat keeps its id and what a page holds with it where the fold of its stream has more', () => {
  const messages = [ui('u', 'user')('Why?'), { ...ui('m', 'assistant')('The build f'), metadata: { model: 'x' } }];
  const value = { message: { role: 'assistant', content: [{ type: 'text', text: 'The build fails' }] } };
  const partials = [{ modelCall: 1, value, reason }];
  const report = { status: 'cancelled', calls: [], partials, stop: { reason } } as const;
  const settled = settleReport(messages as never[], report, { dialect: aiSDK }).messages;
  expect(settled[1]).toMatchObject({ id: 'm', metadata: { model: 'x' } });
  expect(settled).toHaveLength(2);
});
