import { describe, expect, it } from 'vitest';

import { createReason } from '../../../../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../../../../src/core/interrupt/public-types/outcomes.ts';
import { checkTranscript, wordingTable } from '../../../../../src/transcript/index.ts';
import { cutReply } from '../../../support/cut-reply.ts';
import { repairWith } from '../../../support/repair-with.ts';
import { settleInTurn } from '../../../support/settle-in-turn.ts';
import { aiSDK } from '../../../../../src/transcript/dialects/ai-sdk/index.ts';
import type { AISDKMessage } from '../../../../../src/transcript/dialects/ai-sdk/message.ts';
import { lostNote } from '../../../../../src/core/foundation/results/lost-note.ts';

type Turn = Omit<Parameters<typeof repairWith>[1], 'dialect'>;
type Parts = readonly { type: string }[];

const user = createReason({ kind: 'user', at: 1 });
const call = (toolCallId: string, more: object = {}) => ({
  ...{ type: 'tool-call', toolCallId, toolName: 'read', input: {} },
  ...more,
});
const server = (id: string) => call(id, { providerExecuted: true });
const result = (toolCallId: string, output: object = { type: 'text', value: `${toolCallId} done` }) => ({
  ...{ type: 'tool-result', toolCallId, toolName: 'read', output },
});
const failed = (id: string, value: string) => result(id, { type: 'error-text', value });
const ask = (toolCallId: string) => ({ type: 'tool-approval-request', approvalId: `q${toolCallId}`, toolCallId });
const decide = (id: string, approved = true) => ({
  ...{ type: 'tool-approval-response', approvalId: `q${id}`, approved },
  ...(approved ? {} : { reason: 'not that' }),
});
const assistant = (...content: Parts): AISDKMessage => ({ role: 'assistant', content });
const tool = (...content: Parts): AISDKMessage => ({ role: 'tool', content });
const text = (words: string) => ({ type: 'text', text: words });
const hello: AISDKMessage = { role: 'user', content: 'Hello' };
const row = (id: string, status: ToolOutcome['status'], more: object = {}): ToolOutcome =>
  ({ id, name: 'read', call: undefined, ms: 1, status, ...more }) as ToolOutcome;

function settle(messages: readonly AISDKMessage[], turn: Turn = {}) {
  const { messages: settled, changes } = repairWith(messages, { ...turn, dialect: aiSDK });
  expect(checkTranscript(settled, { dialect: aiSDK })).toEqual([]);
  return { settled, rules: changes.map(({ at, rule }) => `${at} ${rule}`) };
}

describe('S12 S17 a batch that was cancelled', () => {
  it('done, running, not started, awaiting approval: four truths, in call order, before anybody speaks', () => {
    const batch = assistant(call('done'), call('running'), call('queued'), call('asking'), ask('asking'));
    const { settled, rules } = settle([hello, batch, hello], {
      outcomes: [
        row('done', 'completed', { value: 'done done' }),
        row('running', 'unknown', { reason: user }),
        row('queued', 'not-started', { reason: user }),
        row('asking', 'declined'),
      ],
    });
    expect(settled).toEqual([
      hello,
      batch,
      tool(
        result('done'),
        failed('running', wordingTable.user.unknown),
        failed('queued', wordingTable.user['not-started']),
        result('asking', { type: 'execution-denied', reason: wordingTable.unknown.declined }),
      ),
      hello,
    ]);
    expect(settled[1]).toBe(batch);
    expect(rules).toEqual(Array<string>(4).fill('1 call-answered'));
  });

  it('keeps what the message that is there says besides', () => {
    const there = { ...tool(result('a')), providerOptions: { anthropic: { cacheControl: 'x' } } };
    const { settled } = settle([assistant(call('a'), call('b')), there]);
    expect(settled[1]).toEqual({ ...there, content: [result('a'), failed('b', wordingTable.unknown.unrecorded)] });
  });
});

describe('decisions', () => {
  const asked = [hello, assistant(call('a'), ask('a'))];

  it('closes a question that nobody answered: the call did not run', () => {
    expect(settle(asked).settled[2]).toEqual(tool(failed('a', wordingTable.unknown['not-started'])));
  });

  it('leaves a decision that is about to be carried out, unless the turn was stopped or went on', () => {
    const decided = [...asked, tool(decide('a'))];
    expect(settleInTurn(aiSDK, decided)).toEqual({ messages: decided, changes: [] });
    for (const messages of [settle(decided).settled, settleInTurn(aiSDK, [...decided, hello]).messages]) {
      expect(messages[2]).toEqual(tool(decide('a'), failed('a', wordingTable.unknown.unrecorded)));
    }
  });

  it('tells a refusal in the person’s words', () => {
    expect(settle([...asked, tool(decide('a', false)), hello]).settled[2]).toEqual(
      tool(
        decide('a', false),
        result('a', { type: 'execution-denied', reason: `${wordingTable.unknown.declined}\nTheir words: not that` }),
      ),
    );
  });

  it('moves a decision into the last message, where the SDK looks for it', () => {
    const asking = [assistant(call('a'), ask('a'), call('b')), tool(decide('a')), tool(result('b'))];
    const { messages, changes } = settleInTurn(aiSDK, asking);
    expect(messages.slice(1)).toEqual([tool(decide('a'), result('b'))]);
    expect(changes).toEqual(['call-answered']);
  });
});

describe('results out of place', () => {
  it.each<[string, AISDKMessage[], string[]]>([
    [
      'after another role',
      [hello, tool(result('a'), result('b'))],
      ['0 call-answered', '0 call-answered', '2 result-has-call', '2 result-has-call'],
    ],
    [
      'one late',
      [tool(result('a')), hello, tool(result('b'))],
      ['0 call-answered', '1 goes-with-others', '3 result-has-call'],
    ],
    ['twice', [tool(result('a'), result('b')), tool(result('a'))], ['1 goes-with-others', '2 one-result-per-call']],
    ['with a stranger', [tool(result('a'), result('z'), result('b'))], ['1 result-has-call']],
  ])('%s', (_how, after, rules) => {
    const seen = settle([assistant(call('a'), call('b')), ...after]);
    expect(seen.settled[1]).toEqual(tool(result('a'), result('b')));
    expect(seen.rules).toEqual(rules);
  });

  it('leaves the order and the messages of results that were legal', () => {
    const messages = [assistant(call('a'), call('b')), tool(result('b')), tool(result('a'))];
    const seen = settle(messages);
    expect(seen.settled.every((one, i) => one === messages[i])).toBe(true);
  });
});

describe('what was cut', () => {
  it('removes a call that was cut inside its arguments, with the question about it', () => {
    const { settled, rules } = settle([hello, assistant(text('I'), call('a', { input: '{"pa' }), ask('a'))]);
    expect(settled).toEqual([hello, assistant(text('I'))]);
    expect(rules).toEqual(['1 call-arguments', '1 call-answered']);
  });

  it('empties such arguments where an outcome exists, and parses whole ones', () => {
    const messages = [assistant(call('a', { input: '{"pa' }), call('b', { input: '{"x":1}' })), tool(result('b'))];
    const { settled } = settle(messages, { outcomes: [row('a', 'failed', { error: new Error('bad JSON') })] });
    expect(settled).toEqual([
      assistant(call('a'), call('b', { input: { x: 1 } })),
      tool(failed('a', 'This call failed: bad JSON'), result('b')),
    ]);
  });

  it('keeps a call of the provider only while the provider may go on with it', () => {
    const open = [hello, assistant(text('I'), server('s'))];
    expect(settleInTurn(aiSDK, open)).toEqual({ messages: open, changes: [] });
    expect(settleInTurn(aiSDK, [...open, hello])).toMatchObject({ changes: ['server-call-answered'] });
    const seen = settle(open);
    expect(seen.settled[1]).toEqual(assistant(text('I')));
    expect(seen.rules).toEqual(['1 server-call-answered']);
  });

  it('does not let a reply end in reasoning', () => {
    const reasoning = { type: 'reasoning', text: 'Hm' };
    expect(settle([assistant(reasoning)])).toEqual({
      settled: [],
      rules: ['0 thinking-not-last'],
    });
    expect(settle([assistant(text('I'), reasoning)]).settled).toEqual([assistant(text('I'))]);
  });

  it('removes what holds nothing', () => {
    expect(settle([assistant(text(' ')), { role: 'assistant', content: '' }, tool()])).toEqual({
      settled: [],
      rules: ['0 text-not-empty', '1 message-not-empty', '2 message-not-empty'],
    });
  });
});

describe('a reply that was cut', () => {
  const mark = text(wordingTable.user.cut);
  const stored = { providerOptions: { openai: { itemId: 'msg_1' } } };

  it.each<[unknown, Parts]>([
    ['I wi', [text('I wi'), mark]],
    [assistant(text('I wi'), call('a', { input: '{"' })), [text('I wi'), mark]],
    [
      { message: assistant({ type: 'reasoning', text: 'Hm' } as never) },
      [{ type: 'reasoning', text: 'Hm' } as never, mark],
    ],
    [assistant({ ...text('I'), ...stored }), [text('I'), mark]],
  ])('%j has a mark', (value, parts) => {
    expect(cutReply(aiSDK, value)).toEqual([assistant(...parts)]);
    expect(settle([hello, assistant(...parts)]).rules).toEqual([]);
  });

  it('says what the provider ran when it was cut', () => {
    const told = { role: 'user', content: lostNote(['read']) };
    expect(cutReply(aiSDK, assistant(text('I'), server('s')))).toEqual([assistant(text('I'), mark), told]);
  });

  it('of several steps keeps those that are whole, with what their tools gave back', () => {
    const steps = [assistant(text('I read.'), call('a')), tool(result('a')), assistant(text('It sa'))];
    const fold = { messages: steps, text: 'It sa', calls: [], isComplete: false };
    expect(cutReply(aiSDK, fold)).toEqual([...steps.slice(0, 2), assistant(text('It sa'), mark)]);
  });

  it('never calls a whole call of a cut reply not started: the SDK runs tools while the reply streams', () => {
    expect(cutReply(aiSDK, assistant(call('a')))).toEqual([
      assistant(call('a')),
      tool(failed('a', wordingTable.user.unrecorded)),
    ]);
  });
});

it.each<[object, object]>([
  [
    { type: 'content', value: 'x' },
    { type: 'text', value: 'x' },
  ],
  [{ type: 'text' }, { type: 'json', value: { type: 'text' } }],
  [
    { type: 'text', value: 7 },
    { type: 'json', value: 7 },
  ],
  [{ type: 'nonsense' }, { type: 'json', value: { type: 'nonsense' } }],
])('an output that the SDK does not know gets the form that outputs have: %j', (given, made) => {
  const { settled } = settle([hello, assistant(call('a')), tool(result('a', given))]);
  expect(settled[2]).toEqual(tool(result('a', made)));
});

it.each([
  { type: 'json', value: null },
  { type: 'error-json', value: [] },
  { type: 'content', value: [] },
  { type: 'execution-denied' },
])('an output that the SDK knows stays as it is: %j', (output) => {
  const given = tool(result('a', output));
  expect(settle([hello, assistant(call('a')), given]).settled[2]).toBe(given);
});
