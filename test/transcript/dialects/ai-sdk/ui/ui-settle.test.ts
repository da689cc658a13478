import { describe, expect, it } from 'vitest';

import { createReason } from '../../../../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../../../../src/core/interrupt/public-types/outcomes.ts';
import { checkTranscript, wordingTable, type TranscriptCall } from '../../../../../src/transcript/index.ts';
import { lostNote } from '../../../../../src/core/foundation/results/lost-note.ts';
import { repairWith } from '../../../support/repair-with.ts';
import { settleInTurn } from '../../../support/settle-in-turn.ts';
import { aiSDKUI } from '../../../../../src/transcript/dialects/ai-sdk/index.ts';
import type { AISDKUIMessage } from '../../../../../src/transcript/dialects/ai-sdk/message.ts';

type Turn = Omit<Parameters<typeof repairWith>[1], 'dialect'>;
type Part = { readonly type: string; readonly [field: string]: unknown };

const user = createReason({ kind: 'user', at: 1 });
const call = (toolCallId: string, state = 'input-available', more: object = {}) => ({
  ...{ type: 'tool-read', toolCallId, state, input: {} },
  ...more,
});
const failed = (id: string, errorText: string, more: object = {}) => call(id, 'output-error', { errorText, ...more });
const step = { type: 'step-start' };
const text = (words: string, state = 'done', more: object = {}) => ({ type: 'text', text: words, state, ...more });
const reply = (...parts: Part[]): AISDKUIMessage => ({ id: 'm', role: 'assistant', parts });
const hello: AISDKUIMessage = { id: 'u', role: 'user', parts: [text('Hello')] };
const row = (id: string, status: ToolOutcome['status'], more: object = {}): ToolOutcome =>
  ({ id, name: 'read', call: undefined, ms: 1, status, ...more }) as ToolOutcome;

function settle(messages: readonly AISDKUIMessage[], turn: Turn = {}) {
  const { messages: settled, changes } = repairWith(messages, { ...turn, dialect: aiSDKUI });
  expect(checkTranscript(settled, { dialect: aiSDKUI })).toEqual([]);
  return { settled, rules: changes.map(({ at, rule }) => `${at} ${rule}`) };
}

it('S12 S17 done, running, not started, awaiting approval: four truths, in place', () => {
  const asking = call('asking', 'approval-requested', { approval: { id: 'q' } });
  const { settled, rules } = settle([hello, reply(step, call('done'), call('running'), call('queued'), asking)], {
    outcomes: [
      row('done', 'completed', { value: { ok: true } }),
      row('running', 'unknown', { reason: user }),
      row('queued', 'not-started', { reason: user }),
      row('asking', 'declined'),
    ],
  });
  expect(settled).toEqual([
    hello,
    reply(
      step,
      call('done', 'output-available', { output: { ok: true } }),
      failed('running', wordingTable.user.unknown),
      failed('queued', wordingTable.user['not-started']),
      call('asking', 'output-denied', {
        approval: { id: 'q', approved: false, reason: wordingTable.unknown.declined },
      }),
    ),
  ]);
  expect(rules).toEqual(Array<string>(4).fill('1 call-answered'));
});

describe('how far a call came', () => {
  const allowed = { approval: { id: 'q', approved: true } };
  const refused = { approval: { id: 'q', approved: false, reason: 'not that' } };

  it.each<[Part, Part]>([
    [call('a'), failed('a', wordingTable.unknown.unrecorded)],
    [call('a', 'approval-requested', { approval: { id: 'q' } }), failed('a', wordingTable.unknown['not-started'])],
    [call('a', 'approval-responded', allowed), failed('a', wordingTable.unknown.unrecorded, allowed)],
    [
      call('a', 'approval-responded', refused),
      call('a', 'output-denied', {
        approval: { ...refused.approval, reason: `${wordingTable.unknown.declined}\nTheir words: not that` },
      }),
    ],
    [
      call('a', 'output-available', { output: 'half', preliminary: true }),
      failed('a', `${wordingTable.unknown.unrecorded}\nOutput so far:\nhalf`),
    ],
    [call('a', 'output-error'), failed('a', 'This call failed without saying why.')],
    [
      call('a', 'input-streaming', { rawInput: '{"x":1}' }),
      { ...failed('a', wordingTable.unknown.unrecorded), input: { x: 1 } },
    ],
  ])('%j ends as %j', (part, end) => {
    expect(settle([reply(part), hello]).settled).toEqual([reply(end), hello]);
  });

  it('leaves a decision that is about to be carried out, unless the turn was stopped', () => {
    const decided = [reply(call('a', 'approval-responded', allowed))];
    expect(settleInTurn(aiSDKUI, decided)).toEqual({ messages: decided, changes: [] });
    expect(settle(decided).rules).toEqual(['0 call-answered']);
  });

  it('removes half a call, unless it has an outcome', () => {
    const half = reply(text('I'), call('a', 'input-streaming', { rawInput: '{"pa', input: { pa: 1 } }));
    expect(settle([half])).toEqual({ settled: [reply(text('I'))], rules: ['0 call-arguments'] });
    const outcomes = [row('a', 'failed', { error: new Error('bad JSON') })];
    expect(settle([half], { outcomes }).settled).toEqual([reply(text('I'), failed('a', 'This call failed: bad JSON'))]);
  });

  it('keeps a call of the provider only while the provider may go on with it', () => {
    const server = call('s', 'input-available', { providerExecuted: true });
    const open = [reply(text('I'), server)];
    expect(settleInTurn(aiSDKUI, open)).toEqual({ messages: open, changes: [] });
    const told = reply(text('I'), text(lostNote(['read'])));
    expect(settle(open).settled).toEqual([told]);
    expect(settle([...open, hello]).settled).toEqual([told, hello]);
    expect(settle([reply(text('I', 'streaming'), server)]).settled).toEqual([told]);
    const asked = call('s', 'approval-requested', { providerExecuted: true, approval: { id: 'p' } });
    expect(settle([reply(text('I'), asked)]).settled).toEqual([reply(text('I'))]);
  });
});

it('a call is asked for as the page has it, also where its part was streaming', () => {
  const stored = { callProviderMetadata: { openai: { itemId: 'fc' } } };
  const half = reply(text('I', 'streaming'), call('f:0', 'input-streaming', { rawInput: '{"x":1}', ...stored }));
  const asked: unknown[] = [];
  const outcomeOf = ({ id, name, input }: TranscriptCall) => {
    asked.push([id, name, input]);
    return row('x', 'completed', { value: 'done' });
  };
  expect(JSON.stringify(settle([half], { outcomeOf }).settled)).toContain('"output":"done"');
  expect(asked).toEqual([['f:0', 'read', { x: 1 }]]);
});

describe('what was cut', () => {
  it('ends what was streaming, without the ids of what was never stored', () => {
    const stored = { providerMetadata: { openai: { itemId: 'm' } } };
    expect(settle([reply(step, text('I wi', 'streaming', stored))])).toEqual({
      settled: [reply(step, text('I wi'))],
      rules: ['0 part-done'],
    });
  });

  it('says after reasoning that stands alone that the reply was cut', () => {
    const reasoning = { ...text('Hm', 'streaming'), type: 'reasoning' };
    expect(settle([reply(step, reasoning), hello]).settled).toEqual([
      reply(step, { ...reasoning, state: 'done' }, text(wordingTable.unknown.cut)),
      hello,
    ]);
  });

  it('removes messages that hold nothing', () => {
    expect(settle([reply(step, text(' ')), { ...hello, parts: [] }])).toEqual({
      settled: [],
      rules: ['0 text-not-empty', '1 message-not-empty'],
    });
  });
});

describe('reasoning that is the last of what the model says', () => {
  const thought = {
    type: 'reasoning',
    text: 'Hm.',
    state: 'done',
    providerMetadata: { anthropic: { signature: 's' } },
  };
  const mark = { type: 'text', text: wordingTable.unknown.cut, state: 'done' };

  it.each<[string, Part[], string]>([
    ['a call that was cut', [call('c', 'input-streaming')], 'call-arguments'],
    ['nothing', [], 'thinking-not-last'],
    ['a source', [{ type: 'source-url', url: 'https://example.test/' }], 'thinking-not-last'],
    ['a text that never came', [text('', 'streaming')], 'text-not-empty'],
  ])('is followed by words also where a step with %s comes after it', (_what, later, rule) => {
    const { settled, rules } = settle([hello, reply(step, thought, step, ...later)]);
    expect(settled[1]?.parts.slice(0, 4)).toEqual([step, thought, mark, step]);
    expect(rules).toEqual([`1 ${rule}`]);
  });

  it('is followed by words before what a person said in between', () => {
    const steering = { type: 'steering-message', text: 'Faster.' };
    const { settled } = settle([hello, reply(step, thought, steering, text('Done.'))]);
    expect(settled[1]?.parts).toEqual([step, thought, mark, steering, text('Done.')]);
  });

  it('is none where a later step says something', () => {
    const said = reply(step, thought, step, text('Done.'));
    expect(settle([hello, said]).settled[1]).toBe(said);
  });
});
