import { expect, it } from 'vitest';
import { Conversation } from '../../../../src/transcript/index.ts';
import { openCallsIn, openReply } from '../../../../src/transcript/conversation/waiting/open-calls.ts';
import { aiSDK, type AISDKMessage } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
import { rulesOf } from '../../../../src/transcript/dialects/create-dialect.ts';

const rules = rulesOf({ dialect: aiSDK });

it('an open reply has the open calls, what answers them behind it, and begins behind what a person said', () => {
  const [a, b] = ['a', 'b'].map((toolCallId) => ({
    type: 'tool-call',
    toolCallId,
    toolName: 'pay',
    input: { toolCallId },
  }));
  const question = { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'a' };
  const [prompt, said, done, yes] = [
    { role: 'user', content: 'Pay.' },
    { role: 'assistant', content: [a, b, question] },
    { role: 'tool', content: [{ ...b, type: 'tool-result', output: { type: 'text', value: 'paid' } }] },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'q', approved: true }] },
  ] as AISDKMessage[] as [AISDKMessage, AISDKMessage, AISDKMessage, AISDKMessage];
  const messages = [prompt, said, done, yes];
  expect(openCallsIn(rules, messages).map(({ id }) => id)).toEqual(['a']);
  const open = openReply(rules, messages, messages);
  expect(open).toMatchObject({ start: 1, end: 2, calls: [{ id: 'a' }] });
  expect(openReply(rules, [...messages, prompt], messages)).toBeUndefined();
});

it('calls that wait are known in a fork by the ids that they had where they were stored', () => {
  const call = { type: 'tool-call', toolCallId: 'stored:1', toolName: 'pay', input: {} };
  const asked = [{ role: 'assistant', content: [call] }] as AISDKMessage[];
  const result = { ...call, type: 'tool-result', output: { type: 'text', value: 'paid' } };
  const paid = { role: 'tool', content: [result] } as AISDKMessage;
  const chat = new Conversation(aiSDK, { messages: asked, waits: true });
  const forks = [chat.fork(), chat.fork().fork()];
  for (const fork of forks) {
    fork.push(paid);
    expect(aiSDK.check(fork.messages)).toEqual([]);
    fork.push('Thanks.');
    expect(fork.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
    expect(aiSDK.check(fork.messages)).toEqual([]);
    expect(JSON.stringify(fork.messages)).toContain('paid');
    expect(JSON.stringify(fork.messages)).not.toContain('may have run');
  }
  expect(chat.messages).toHaveLength(1);
});
