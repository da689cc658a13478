import { describe, expect, it } from 'vitest';

import { foldAISDK } from '../../../../../src/adapters/llm/index.ts';
import { createReason } from '../../../../../src/core/foundation/reason.ts';
import { checkTranscript, settleTranscript, wordingTable } from '../../../../../src/transcript/index.ts';
import { aiSDK, type AISDKModelMessage } from '../../../../../src/transcript/dialects/ai-sdk/index.ts';

const reason = createReason({ kind: 'user', at: 1 });
const hello: AISDKModelMessage = { role: 'user', content: 'Pay.' };
const pay = { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} };
const paid = (output: object) => ({ type: 'tool-result', toolCallId: 'a', toolName: 'pay', output });

/** What the SDK streams of a run that pays and then tells a story. */
function folded(output: unknown, words: string | undefined) {
  const fold = foldAISDK();
  const parts = [
    { type: 'start-step' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', text: 'I pay.' },
    { type: 'text-end', id: '0' },
    pay,
    { type: 'tool-result', toolCallId: 'a', toolName: 'pay', input: {}, output },
    { type: 'finish-step' },
    ...(words === undefined
      ? []
      : [{ type: 'start-step' }, { type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', text: words }]),
  ];
  for (const part of parts) fold.add(part);
  return fold.value;
}

function settle(messages: readonly AISDKModelMessage[], value: unknown, outcomes: readonly object[] = []) {
  const turn = { partials: [{ modelCall: 1, value, reason }], outcomes: outcomes as never, reason };
  const { messages: settled } = settleTranscript(messages, { ...turn, dialect: aiSDK });
  expect(checkTranscript(settled, { dialect: aiSDK })).toEqual([]);
  const again = settleTranscript(settled, { ...turn, dialect: aiSDK });
  expect(again.messages).toEqual(settled);
  return settled;
}

describe('a run that was cut, as the fold of its full stream', () => {
  const said = { role: 'assistant', content: [{ type: 'text', text: 'I pay.' }, pay] };
  const result = { role: 'tool', content: [paid({ type: 'text', value: 'PAID' })] };
  const story = {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Paid,' },
      { type: 'text', text: wordingTable.user.cut },
    ],
  };

  it('keeps the result of a tool where it was cut right after it', () => {
    expect(settle([hello], folded('PAID', undefined))).toMatchObject([hello, said, result]);
  });

  it('keeps the steps before the one that was cut', () => {
    expect(settle([hello], folded('PAID', 'Paid,'))).toMatchObject([hello, said, result, story]);
  });

  it('is known where its first step was pushed', () => {
    const history = [hello, said, result] as AISDKModelMessage[];
    expect(settle(history, folded('PAID', 'Paid,'))).toMatchObject([hello, said, result, story]);
  });

  it('tells what the ledger says where both know a call', () => {
    const row = { id: 'a', name: 'pay', call: {}, ms: 1, status: 'completed', value: 'by the ledger' };
    const settled = settle([hello], folded('PAID', 'Paid,'), [row]);
    expect(JSON.stringify(settled)).toContain('by the ledger');
    expect(JSON.stringify(settled)).not.toContain('PAID');
  });

  it.each([
    [
      { type: 'json', value: { ok: true } },
      { type: 'json', value: { ok: true } },
    ],
    [
      { type: 'content', value: [{ type: 'text', text: 'x' }] },
      { type: 'content', value: [{ type: 'text', text: 'x' }] },
    ],
    [
      { type: 'error-text', value: 'no money' },
      { type: 'error-text', value: 'This call failed: no money' },
    ],
    [{ type: 'execution-denied' }, { type: 'execution-denied', reason: wordingTable.user.declined }],
  ])('tells the output %j', (output, told) => {
    const last = { role: 'assistant', content: 'So' };
    const value = {
      message: last,
      messages: [{ role: 'assistant', content: [pay] }, { role: 'tool', content: [paid(output)] }, last],
    };
    expect(settle([hello], value)[2]).toMatchObject({ role: 'tool', content: [{ output: told }] });
  });

  it('does not say of a call without a result that it was not started: the SDK had started it', () => {
    const fold = foldAISDK();
    fold.add({ type: 'start-step' });
    for (const toolCallId of ['a', 'b']) fold.add({ ...pay, toolCallId } as { type: string });
    fold.add({ type: 'tool-result', toolCallId: 'a', toolName: 'pay', input: {}, output: 'PAID' } as { type: string });
    const json = JSON.stringify(settle([hello], fold.value));
    expect(json).toContain(JSON.stringify(wordingTable.user.unrecorded).slice(1, -1));
    expect(json).not.toContain('not started');
  });
});
