import { expect, it } from 'vitest';

import { type AgUiEvent, OpenParts } from '../../../src/adapters/ag-ui/open-parts.ts';

it('what has begun is ended, the last to begin first, and what has ended is not', () => {
  const parts = new OpenParts();
  parts.sent({ type: 'STEP_STARTED', stepName: 'plan' });
  parts.sent({ type: 'TEXT_MESSAGE_START', messageId: 'm1' });
  parts.sent({ type: 'REASONING_START', messageId: 'm1' });
  parts.sent({ type: 'REASONING_MESSAGE_START', messageId: 'm1' });
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay' });
  parts.sent({ type: 'REASONING_MESSAGE_END', messageId: 'm1' });
  parts.sent({ type: 'CUSTOM' });
  expect(parts.ends()).toEqual([
    { type: 'TOOL_CALL_ARGS', toolCallId: 'a', delta: '{}' },
    { type: 'TOOL_CALL_END', toolCallId: 'a' },
    { type: 'REASONING_END', messageId: 'm1' },
    { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
    { type: 'STEP_FINISHED', stepName: 'plan' },
  ]);
});

it('a call is open until its result', () => {
  const parts = new OpenParts();
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay' });
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'b' });
  parts.sent({ type: 'TOOL_CALL_END', toolCallId: 'a' });
  expect([...parts.calls]).toEqual([
    ['a', { name: 'pay', at: 0 }],
    ['b', { name: '', at: 0 }],
  ]);
  parts.sent({ type: 'TOOL_CALL_RESULT', toolCallId: 'a' });
  expect([...parts.calls.keys()]).toEqual(['b']);
});

it('a call that comes in chunks is open likewise, by the name that its first one says', () => {
  const parts = new OpenParts();
  parts.sent({ type: 'TOOL_CALL_CHUNK', toolCallId: 'a', toolCallName: 'pay' });
  parts.sent({ type: 'TOOL_CALL_CHUNK', toolCallId: 'a' });
  parts.sent({ type: 'TOOL_CALL_CHUNK' });
  expect([...parts.calls]).toEqual([['a', { name: 'pay', at: 0 }]]);
  parts.sent({ type: 'TOOL_CALL_RESULT', toolCallId: 'a' });
  expect(parts.calls.size).toBe(0);
  expect(parts.ends()).toEqual([]);
});

const chunk = (delta: string, toolCallId?: string): AgUiEvent => ({
  ...{ type: 'TOOL_CALL_CHUNK', delta },
  ...(toolCallId !== undefined && { toolCallId, toolCallName: 'pay' }),
});

it.each([
  ['nothing', [chunk('', 'a')], '{}'],
  ['a key', [chunk('{"to', 'a')], '":null}'],
  ['a chunk without an id', [chunk('{"to', 'a'), chunk('":"Ann')], '"}'],
  ['what passes', [chunk('{"to', 'a'), { type: 'RAW' }], '":null}'],
  ['another call before it', [chunk('{', 'b'), chunk('[', 'a')], ']'],
])('the arguments of a call in chunks are ended behind %s, before all that would end it', (_what, events, delta) => {
  const parts = new OpenParts();
  parts.sent({ type: 'TEXT_MESSAGE_START', messageId: 'm1' });
  for (const event of events) parts.sent(event);
  expect(parts.ends()).toEqual([
    { type: 'TOOL_CALL_CHUNK', toolCallId: 'a', delta },
    { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
  ]);
});

it.each([
  ['that are whole', chunk('}')],
  ['that the client has ended', { type: 'CUSTOM' }],
  ['whose messages it has replaced', { type: 'MESSAGES_SNAPSHOT' }],
])('nothing is added to arguments in chunks %s', (_how, event) => {
  const parts = new OpenParts();
  parts.sent(chunk('{', 'a'));
  parts.sent(event);
  expect(parts.ends()).toEqual([]);
});

it('a call whose id comes again is the next of that id', () => {
  const parts = new OpenParts();
  for (const type of ['TOOL_CALL_START', 'TOOL_CALL_RESULT', 'TOOL_CALL_RESULT', 'TOOL_CALL_START']) {
    parts.sent({ type, toolCallId: 'a', toolCallName: 'pay' });
  }
  expect([...parts.calls]).toEqual([['a', { name: 'pay', at: 1 }]]);
});

it('the calls of a snapshot are those that the client has, and what was begun before it is ended all the same', () => {
  const parts = new OpenParts();
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'gone', toolCallName: 'pay' });
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'kept', toolCallName: 'ship' });
  const toolCalls = ['kept', 'new', 'done'].map((id) => ({ id, function: { name: 'ship' } }));
  const messages = [
    { role: 'assistant', toolCalls },
    { role: 'tool', toolCallId: 'done' },
  ];
  parts.sent({ type: 'MESSAGES_SNAPSHOT', messages } as AgUiEvent);
  expect([...parts.calls.keys()]).toEqual(['kept', 'new']);
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'last' });
  expect([...parts.calls.keys()]).toEqual(['kept', 'new', 'last']);
  expect(parts.ends().filter(({ type }) => type === 'TOOL_CALL_END')).toHaveLength(3);
});
