import { expect, it } from 'vitest';

import { InterruptController } from '../../../../src/index.ts';
import { aiSDKTurns } from '../../../../src/transcript/dialects/ai-sdk/turns.ts';
import { checkTranscript, Conversation } from '../../../../src/transcript/index.ts';
import { aiSDK, type AISDKMessage } from '../../../../src/transcript/dialects/ai-sdk/index.ts';

const model = { role: 'user', content: 'Hello' } as const;
const ui = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hello' }] } as const;

it('says in the last message’s own form that a turn was stopped', async () => {
  for (const last of [model, ui]) {
    const chat = new Conversation<AISDKMessage>(aiSDK);
    const agent = new InterruptController();
    await chat.runTurn(agent, last, (turn) => {
      agent.cancel('user');
      turn.checkpoint();
    });
    chat.mark();
    expect(chat.messages).toHaveLength(2);
    expect(checkTranscript(chat.messages, { dialect: aiSDK })).toEqual([]);
    if (last === ui) expect(chat.messages[1]).toMatchObject({ id: 'u_cut' });
  }
});

it('knows who speaks', () => {
  const instructions = { role: 'system', content: 'x' } as const;
  expect([model, instructions].map((one) => aiSDKTurns.isPrompt(one))).toEqual([true, false]);
  expect([model, { role: 'assistant', parts: [] } as const].map((one) => aiSDKTurns.isReply(one))).toEqual([
    false,
    true,
  ]);
});
