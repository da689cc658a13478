import { expect, it } from 'vitest';

import { messageMap, settleSent, type AgUiMessage } from '../../../src/adapters/ag-ui/messages.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { checkTranscript, mapDialect, repair } from '../../../src/transcript/index.ts';

const dialect = mapDialect(openaiChat, messageMap);
const settle = (messages: readonly AgUiMessage[]) => repair(messages, { dialect }).messages;
const call = (id: string, text = '{}') => ({ id, type: 'function', function: { name: 'rm', arguments: text } });

it('messages that can be sent stay the same objects', () => {
  const messages: AgUiMessage[] = [
    { id: 'u1', role: 'user', content: 'go' },
    { id: 'm1', role: 'assistant', toolCalls: [call('c1')] },
    { id: 't1', role: 'tool', toolCallId: 'c1', content: 'done' },
    { id: 'm2', role: 'assistant', content: 'Done.' },
  ];
  const settled = settleSent(messages, settle);
  expect(settled.every((message, at) => message === messages[at])).toBe(true);
});

it('a call that has no result gets one, under an id of its own', () => {
  const messages: AgUiMessage[] = [
    { id: 'u1', role: 'user', content: 'go' },
    { id: 'm1', role: 'assistant', content: 'I will', toolCalls: [call('c1')] },
  ];
  const settled = settleSent(messages, settle);
  expect(checkTranscript(settled, { dialect })).toEqual([]);
  expect(settled[2]).toMatchObject({ role: 'tool', toolCallId: 'c1' });
  expect(new Set(settled.map(({ id }) => id)).size).toBe(3);
});

it('half a call is not there, and what was said before it is', () => {
  const messages: AgUiMessage[] = [
    { id: 'u1', role: 'user', content: 'go' },
    { id: 'm1', role: 'assistant', content: 'I will', toolCalls: [call('c1', '{"path":')] },
  ];
  const settled = settleSent(messages, settle);
  expect(checkTranscript(settled, { dialect })).toEqual([]);
  expect(settled[1]).toEqual({ id: 'm1', role: 'assistant', content: 'I will' });
});

it('what is only shown keeps its place, and is not sent', () => {
  const shown = (id: string, role: string): AgUiMessage => ({ id, role, content: 'hm' });
  const messages: AgUiMessage[] = [
    shown('a0', 'activity'),
    { id: 'u1', role: 'user', content: 'go' },
    shown('r1', 'reasoning'),
    { id: 'm1', role: 'assistant', toolCalls: [call('c1')] },
    shown('a1', 'activity'),
  ];
  const seen: string[][] = [];
  const settled = settleSent(messages, (sent) => {
    seen.push(sent.map(({ id }) => id));
    return settle(sent);
  });
  expect(seen).toEqual([['u1', 'm1']]);
  expect(settled.map(({ id, role }) => (role === 'tool' ? role : id))).toEqual(['a0', 'u1', 'r1', 'm1', 'a1', 'tool']);
});

it('what stood behind a message that is gone stands at the end', () => {
  const messages: AgUiMessage[] = [
    { id: 'u1', role: 'user', content: 'go' },
    { id: 'm1', role: 'assistant', content: '' },
    { id: 'r1', role: 'reasoning', content: 'hm' },
  ];
  expect(settleSent(messages, ([first]) => (first === undefined ? [] : [first])).map(({ id }) => id)).toEqual([
    'u1',
    'r1',
  ]);
});
