import { expect, it } from 'vitest';

import { createReason } from '../../../../src/core/foundation/reason.ts';
import { aiSDKTurns } from '../../../../src/transcript/dialects/ai-sdk/turns.ts';
import { checkTranscript, settleTurn } from '../../../../src/transcript/index.ts';
import { aiSDK } from '../../../../src/transcript/dialects/ai-sdk/index.ts';

const report = {
  status: 'cancelled',
  calls: [],
  partials: [],
  stop: { reason: createReason({ kind: 'user', at: 1 }) },
} as const;
const model = { role: 'user', content: 'Hello' } as const;
const ui = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hello' }] } as const;

it('says in the last message’s own form that a turn was stopped', () => {
  for (const last of [model, ui]) {
    const options = { dialect: aiSDK, policy: 'marker' } as const;
    const marked = settleTurn([last], report, options).messages;
    expect(marked).toHaveLength(2);
    expect(checkTranscript(marked, { dialect: aiSDK })).toEqual([]);
    expect(settleTurn(marked, report, options).messages).toEqual(marked);
  }
  expect(settleTurn([ui], report, { dialect: aiSDK, policy: 'marker' }).messages[1]).toMatchObject({ id: 'u_cut' });
});

it('gives the prompt of a dropped turn back', () => {
  const reply = { role: 'assistant', content: 'Hi' } as const;
  const { messages, prompts } = settleTurn([model, reply, model], report, { dialect: aiSDK, policy: 'drop-turn' });
  expect([messages, prompts]).toEqual([[model, reply], [model]]);
});

it('knows who speaks', () => {
  const instructions = { role: 'system', content: 'x' } as const;
  expect([model, instructions].map((one) => aiSDKTurns.isPrompt(one))).toEqual([true, false]);
  expect([model, { role: 'assistant', parts: [] } as const].map((one) => aiSDKTurns.isReply(one))).toEqual([
    false,
    true,
  ]);
  expect(aiSDKTurns.split(model)).toBeUndefined();
});
