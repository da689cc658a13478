import { describe, expect, it } from 'vitest';

import { foldAISDK } from '../../../../../src/adapters/llm/index.ts';
import { createReason } from '../../../../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../../../../src/core/interrupt/public-types/outcomes.ts';
import { checkTranscript, settleTranscript, wordingTable } from '../../../../../src/transcript/index.ts';
import { aiSDK, type AISDKUIMessage } from '../../../../../src/transcript/dialects/ai-sdk/index.ts';

type Part = { readonly type: string; readonly [field: string]: unknown };

const user = createReason({ kind: 'user', at: 1 });
const step = { type: 'step-start' };
const text = (words: string, state = 'done', more: object = {}) => ({ type: 'text', text: words, state, ...more });
const thought = (words: string) => ({ type: 'reasoning', text: words, state: 'done' });
const call = (toolCallId: string, state = 'input-available', more: object = {}) => ({
  ...{ type: 'tool-pay', toolCallId, state, input: {} },
  ...more,
});
const paid = (id: string, output: unknown = 'PAID') => call(id, 'output-available', { output });
const reply = (...parts: Part[]): AISDKUIMessage => ({ id: 'm', role: 'assistant', parts });
const hello: AISDKUIMessage = { id: 'u', role: 'user', parts: [text('Pay.')] };
const later: AISDKUIMessage = { id: 'v', role: 'user', parts: [text('And?')] };
const mark = text(wordingTable.user.cut);

function settle(messages: readonly AISDKUIMessage[], values: unknown[], outcomes: readonly ToolOutcome[] = []) {
  const partials = values.map((value, i) => ({ modelCall: i + 1, value, reason: user }));
  const turn = { partials, outcomes, reason: user, dialect: aiSDK };
  const { messages: settled, changes } = settleTranscript(messages, turn);
  expect(checkTranscript(settled, { dialect: aiSDK })).toEqual([]);
  expect(settleTranscript(settled, turn)).toEqual({ messages: settled, changes: [] });
  return { settled, rules: changes.map(({ at, rule }) => `${String(at)} ${rule}`) };
}

describe('a snapshot of a message that the chat holds already', () => {
  it('is told where it is the newer one: its text, its calls and what they gave back', () => {
    const older = reply(step, text('I p', 'streaming'));
    const newer = reply(step, text('I pay.'), paid('a'), step, text('Paid, and', 'streaming'));
    const { settled, rules } = settle([hello, older], [newer]);
    expect(settled).toEqual([hello, reply(step, text('I pay.'), paid('a'), step, text('Paid, and'))]);
    expect(rules).toContain('1 partial-kept');
  });

  it('is told where only a call has gone on', () => {
    expect(settle([hello, reply(step, call('a'))], [reply(step, paid('a'))]).settled).toEqual([
      hello,
      reply(step, paid('a')),
    ]);
    const asked = reply(step, call('a', 'input-streaming', { input: { n: 1 } }));
    const { settled } = settle([hello, asked], [reply(step, call('a', 'input-available', { input: { n: 12 } }))]);
    expect(settled[1]?.parts[1]).toMatchObject({ state: 'output-error', input: { n: 12 } });
  });

  it('is told where a source has come', () => {
    const source = { type: 'source-url', sourceId: 's', url: 'https://example.test/' };
    const newer = reply(step, text('See'), source);
    expect(settle([hello, reply(step, text('See'))], [newer]).settled).toEqual([hello, newer]);
  });

  it('is told above a later prompt, where its message stands', () => {
    const newer = reply(step, text('I pay.'));
    expect(settle([hello, reply(step, text('I')), later], [newer]).settled).toEqual([hello, newer, later]);
  });

  it('leaves what is newer in the chat: more text, and the output that a page gave to a call', () => {
    const ahead = [hello, reply(step, text('I pay.'), paid('a'))];
    expect(settle(ahead, [reply(step, text('I p', 'streaming'))])).toEqual({ settled: ahead, rules: [] });
    const both = settle(
      [hello, reply(step, text('I pay.'), paid('a'))],
      [reply(step, text('I pay.'), call('a'), text('Now'))],
    );
    expect(both.settled).toEqual([hello, reply(step, text('I pay.'), paid('a'), text('Now'))]);
  });

  it('takes the newest of several', () => {
    const values = [reply(step, text('I')), reply(step, text('I pay')), reply(step, text('I pay.'))];
    expect(settle([hello, reply(step)], values).settled).toEqual([hello, reply(step, text('I pay.'))]);
  });

  it('is told where the older one was settled before', () => {
    const [, settledBefore] = settleTranscript(
      [hello, reply(step, thought('Hm.'), step, call('a', 'input-streaming'))],
      {
        dialect: aiSDK,
      },
    ).messages;
    const newer = reply(step, thought('Hm.'), step, text('I pay.'));
    expect(settle([hello, settledBefore as AISDKUIMessage], [newer]).settled).toEqual([hello, newer]);
  });

  it('says another thing where neither begins as the other: the chat stays', () => {
    const other = [hello, reply(step, text('Something else'))];
    expect(settle(other, [reply(step, text('I pay, and more'))])).toEqual({ settled: other, rules: [] });
  });

  it('is not told again for what settling takes out: a call without a name', () => {
    const odd = reply({ type: 'tool-', toolCallId: 'a', state: 'input-available' }, text('I pay.'));
    expect(settle([hello, odd], [odd]).settled).toEqual([hello, reply(text('I pay.'))]);
  });

  it('names no items that the provider has not stored, also where the chat holds all of it', () => {
    const said = reply(step, text('I pay.', 'done', { providerMetadata: { openai: { itemId: 'msg_1' } } }));
    expect(settle([hello, said], [said]).settled).toEqual([hello, reply(step, text('I pay.'))]);
  });

  it('is a message of its own where its id is empty, as the SDK leaves it', () => {
    const nameless = (words: string): AISDKUIMessage => ({ ...reply(step, text(words)), id: '' });
    const { settled } = settle([hello, nameless('Hi.'), later], [nameless('I pay')]);
    expect(settled.map(({ parts }) => parts.flatMap((part) => (part as { text?: string }).text ?? []))).toEqual([
      ['Pay.'],
      ['Hi.'],
      ['And?'],
      ['I pay', mark.text],
    ]);
  });
});

describe('a run of several steps that was cut, as the fold of its full stream, in a chat', () => {
  const parts = [
    { type: 'start-step' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', text: 'I pay.' },
    { type: 'text-end', id: '0' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: { n: 1 } },
    { type: 'tool-result', toolCallId: 'a', toolName: 'pay', input: { n: 1 }, output: 'PAID' },
    { type: 'finish-step' },
    { type: 'start-step' },
    { type: 'tool-call', toolCallId: 'b', toolName: 'pay', input: { n: 2 } },
    { type: 'tool-error', toolCallId: 'b', toolName: 'pay', input: { n: 2 }, error: new Error('no money') },
    { type: 'tool-call', toolCallId: 'c', toolName: 'search', input: {}, providerExecuted: true },
    { type: 'tool-result', toolCallId: 'c', toolName: 'search', input: {}, output: { n: 7 }, providerExecuted: true },
    { type: 'finish-step' },
    { type: 'start-step' },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', text: 'Paid,' },
  ];
  const folded = (count = parts.length) => {
    const fold = foldAISDK();
    for (const part of parts.slice(0, count)) fold.add(part);
    return fold.value;
  };
  const whole = [
    step,
    text('I pay.'),
    { ...paid('a'), input: { n: 1 } },
    step,
    { ...call('b', 'output-error', { errorText: 'no money' }), input: { n: 2 } },
    { ...call('c', 'output-available', { output: { n: 7 }, providerExecuted: true }), type: 'tool-search' },
    step,
    text('Paid,'),
  ];

  it('is one message that holds all of them', () => {
    const { settled } = settle([hello], [folded()]);
    expect(settled).toEqual([hello, { id: 'u_cut1', role: 'assistant', parts: [...whole, mark] }]);
  });

  it('is known where the chat holds that message', () => {
    const held = [hello, reply(...whole)];
    expect(settle(held, [folded()])).toEqual({ settled: held, rules: [] });
  });

  it('tells what the ledger says where both know a call', () => {
    const row = { id: 'a', name: 'pay', call: {}, ms: 1, status: 'completed', value: 'by the ledger' } as const;
    const { settled } = settle([hello], [folded()], [row]);
    expect(settled[1]?.parts[2]).toMatchObject({ output: 'by the ledger' });
    expect(JSON.stringify(settled)).not.toContain('"PAID"');
  });

  it('is told wherever it was cut, as far as it had come', () => {
    for (let count = 3; count <= parts.length; count += 1) {
      const { settled } = settle([hello], [folded(count)]);
      expect(settled).toHaveLength(2);
      if (count > 5) expect(JSON.stringify(settled)).toContain('PAID');
    }
  });
});

describe('a chat that was saved by the SDK, and a report whose partial is the text of the last step', () => {
  const step = { type: 'step-start' };
  const paid = { type: 'tool-pay', toolCallId: 'a', state: 'output-available', input: {}, output: 'paid' };
  const thought = { type: 'reasoning', text: 'Hm.', state: 'done' };
  const saved = (text: string, ...before: readonly object[]) => [
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go.' }] },
    { id: 'm', role: 'assistant', parts: [...before, step, { type: 'text', text, state: 'done' }] },
  ];
  const cases: readonly (readonly [string, number, readonly object[]])[] = [
    ['a step with a tool', 2, [step, { type: 'text', text: 'I pay.', state: 'done' }, paid]],
    ['a thought', 1, [step, thought]],
    ['nothing', 1, []],
  ];
  it.each(cases)('is told once, behind %s', (_before, modelCall, parts) => {
    const reason = createReason({ kind: 'user', at: 0 });
    for (const value of ['One two', 'One two three', 'One two three four']) {
      const options = { dialect: aiSDK, partials: [{ modelCall, value, reason }], outcomes: [], reason } as const;
      const { messages } = settleTranscript(saved('One two three', ...parts) as never, options);
      expect(messages).toHaveLength(2);
      expect(JSON.stringify(messages).split('One two')).toHaveLength(2);
      expect(settleTranscript(messages, options).changes).toEqual([]);
    }
  });
});
