import { expect, it } from 'vitest';

import { langChainTurns } from '../../../../src/transcript/dialects/langchain/turns.ts';

it('knows who speaks', () => {
  const messages = ['Hello', ['ai', 'x'], { role: 'system', content: 'x' }];
  expect(messages.map((one) => langChainTurns.isPrompt(one))).toEqual([true, false, false]);
  expect(messages.map((one) => langChainTurns.isReply(one))).toEqual([false, true, false]);
  expect(langChainTurns.say('x')).toEqual({ role: 'assistant', content: 'x' });
});
