import { expect, it } from 'vitest';

import type { AISDKMessage } from '../../../../../src/transcript/dialects/ai-sdk/message.ts';
import { readSlots } from '../../../../../src/transcript/dialects/ai-sdk/model/model-slots.ts';

const call = (toolCallId: string, more: object = {}) => ({ type: 'tool-call', toolCallId, toolName: 'read', ...more });
const result = (toolCallId: string) => ({ type: 'tool-result', toolCallId, output: { type: 'text', value: 'x' } });
const ask = (toolCallId: string) => ({ type: 'tool-approval-request', approvalId: `q${toolCallId}`, toolCallId });
const decide = (id: string) => ({ type: 'tool-approval-response', approvalId: `q${id}`, approved: true });
const say = (role: 'assistant' | 'tool', ...content: { type: string }[]): AISDKMessage => ({ role, content });
const hello: AISDKMessage = { role: 'user', content: 'Hello' };

function read(...messages: AISDKMessage[]) {
  return readSlots(messages.map((message) => ({ message, cut: undefined })));
}

it('gathers the tool messages behind each message, and links what they say to the calls', () => {
  const reply = say('assistant', call('a'), ask('a'), call('b'));
  const slots = read(reply, say('tool', decide('a')), say('tool', result('a')), hello, say('tool', result('b')));
  expect(slots.map(({ at, run }) => [at, run.length])).toEqual([
    [0, 2],
    [3, 1],
  ]);
  const calls = slots[0]?.parts.flatMap((part) => part.call ?? []) ?? [];
  expect(calls.map(({ site }) => site.results.map((one) => one.at))).toEqual([[2], [4]]);
  expect(calls.map(({ question }) => question?.response?.at)).toEqual([1, undefined]);
});

it('keeps a result in a reply only where the provider ran the call', () => {
  const server = call('s', { providerExecuted: true });
  const slots = read(say('assistant', server, result('s'), call('a'), result('a')));
  expect(slots[0]?.parts.map(({ part }) => part.type)).toEqual(['tool-call', 'tool-result', 'tool-call']);
  expect(slots[0]?.parts.map(({ call: one }) => [one?.isAnswered, one?.site.results.length])).toEqual([
    [true, 0],
    [undefined, undefined],
    [false, 1],
  ]);
});

it('removes what is illegal in itself', () => {
  const bad = [call(''), call('a'), call('a'), { type: 'text', text: ' ' }, ask('z'), ask('a'), ask('a')];
  const slots = read(say('assistant', ...bad), say('tool', result('z'), decide('z'), hello as never), say('tool'));
  expect(slots[0]?.parts).toHaveLength(2);
});
