import { expect, it } from 'vitest';

import { InterruptController } from '../../../../src/index.ts';
import { Conversation } from '../../../../src/transcript/index.ts';
import { langchain } from '../../../../src/transcript/dialects/langchain/index.ts';
import { servesALoop } from '../../support/loop-contract.ts';

const whole = {
  role: 'assistant',
  content: 'Hello.',
  tool_calls: [{ type: 'tool_call', id: 'call_1', name: 'read', args: { path: 'a.txt' } }],
};

servesALoop({
  dialect: langchain,
  prompt: ['human', 'Go.'],
  whole,
  fold: { message: whole, isComplete: false },
  empty: { role: 'assistant', content: '' },
});

it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'])(
  'a reply that ended in a call by %s is not the last',
  async (finishReason) => {
    const chat = new Conversation(langchain);
    const reply = { role: 'assistant', content: 'I pay.', response_metadata: { finishReason, finishMessage: 'pay(' } };
    const report = await chat.runTurn(
      new InterruptController(),
      'Pay.',
      async (turn) => (await turn.model(() => reply)).isLast,
    );
    expect(report.unwrap()).toBe(false);
    expect(JSON.stringify(chat.messages.at(-1))).toContain('[Your call of a tool (pay()');
  },
);
