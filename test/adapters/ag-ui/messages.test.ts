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

const at = (type: string, value: string, mimeType?: string) => ({ type, value, ...(mimeType && { mimeType }) });

it.each([
  [
    { type: 'text', text: 'hm' },
    { type: 'text', text: 'hm' },
  ],
  [
    { type: 'image', source: at('url', 'http://a/b.png') },
    { type: 'image_url', image_url: { url: 'http://a/b.png' } },
  ],
  [
    { type: 'image', source: at('data', 'AAAA', 'image/png') },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
  ],
  [
    { type: 'image', source: at('file', 'f1') },
    { type: 'file', file: { file_id: 'f1' } },
  ],
  [
    { type: 'audio', source: at('data', 'AAAA', 'audio/wav') },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  ],
  [
    { type: 'audio', source: at('data', 'AAAA', 'audio/mpeg') },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
  ],
  [
    { type: 'document', source: at('url', 'http://a/b.pdf') },
    { type: 'file', file: { file_data: 'http://a/b.pdf' } },
  ],
  [
    { type: 'video', source: at('data', 'AAAA', 'video/mp4') },
    { type: 'file', file: { file_data: 'data:video/mp4;base64,AAAA' } },
  ],
])('the part %j is one of Chat Completions, and what is settled has it as it was', (part, wire) => {
  const picture: AgUiMessage = { id: 'u1', role: 'user', content: [part] };
  expect(messageMap.toWire(picture).content).toMatchObject([wire]);
  expect(messageMap.fromWire({ ...messageMap.toWire(picture) })).toEqual(picture);
  const messages: AgUiMessage[] = [
    picture,
    { id: 'm1', role: 'assistant', toolCalls: [call('c1')] },
    { id: 't1', role: 'tool', toolCallId: 'c1', content: [part] },
    { id: 'm2', role: 'assistant', toolCalls: [call('c2', '{"at')] },
  ];
  expect(settleSent(messages, settle)).toEqual(messages.slice(0, 3));
});

it.each([[[null]], [[{ type: 'image', source: null }]]])('the content %j is refused by its place', (content) => {
  expect(() => settle([{ id: 'u1', role: 'user', content }])).toThrow('messages[0]');
});
