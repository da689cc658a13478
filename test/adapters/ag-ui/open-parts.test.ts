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
  expect(parts.ends(true)).toEqual([
    { type: 'TOOL_CALL_ARGS', toolCallId: 'a', delta: '{}' },
    { type: 'TOOL_CALL_END', toolCallId: 'a' },
    { type: 'REASONING_END', messageId: 'm1' },
    { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
    { type: 'STEP_FINISHED', stepName: 'plan' },
  ]);
});

it('what a sub-agent has begun is ended as its own, and then the sub-agent', () => {
  const parts = new OpenParts();
  const subagentRunId = 's';
  for (const id of ['s', 'done', 'failed']) parts.sent({ type: 'SUBAGENT_STARTED', subagentRunId: id });
  parts.sent({ type: 'STEP_STARTED', stepName: 'plan' });
  parts.sent({ type: 'STEP_STARTED', stepName: 'plan', subagentRunId });
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay', subagentRunId });
  parts.sent({ type: 'STEP_FINISHED', stepName: 'plan' });
  parts.sent({ type: 'SUBAGENT_FINISHED', subagentRunId: 'done' });
  parts.sent({ type: 'SUBAGENT_ERROR', subagentRunId: 'failed' });
  expect(parts.ends(true)).toEqual([
    { type: 'TOOL_CALL_ARGS', toolCallId: 'a', subagentRunId, delta: '{}' },
    { type: 'TOOL_CALL_END', toolCallId: 'a', subagentRunId },
    { type: 'STEP_FINISHED', stepName: 'plan', subagentRunId },
    { type: 'SUBAGENT_FINISHED', subagentRunId },
  ]);
});

it('a call is open until its result', () => {
  const parts = new OpenParts();
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay' });
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'b' });
  parts.sent({ type: 'TOOL_CALL_END', toolCallId: 'a' });
  expect(parts.calls).toMatchObject([
    { id: 'a', name: 'pay' },
    { id: 'b', name: '' },
  ]);
  parts.sent({ type: 'TOOL_CALL_RESULT', toolCallId: 'a' });
  expect(parts.calls).toMatchObject([{ id: 'b' }]);
});

it('a call that comes in chunks is open likewise, by the name that its first one says', () => {
  const parts = new OpenParts();
  parts.sent({ type: 'TOOL_CALL_CHUNK', toolCallId: 'a', toolCallName: 'pay' });
  parts.sent({ type: 'TOOL_CALL_CHUNK', toolCallId: 'a' });
  parts.sent({ type: 'TOOL_CALL_CHUNK' });
  expect(parts.calls).toMatchObject([{ id: 'a', name: 'pay' }]);
  parts.sent({ type: 'TOOL_CALL_RESULT', toolCallId: 'a' });
  expect(parts.calls).toEqual([]);
  expect(parts.ends(false)).toEqual([]);
});

const chunk = (delta: string, toolCallId?: string): AgUiEvent => ({
  ...{ type: 'TOOL_CALL_CHUNK', delta },
  ...(toolCallId !== undefined && { toolCallId, toolCallName: 'pay' }),
});

const rest = (delta: string, toolCallId = 'a'): AgUiEvent => chunk(delta, toolCallId);

it.each([
  ['nothing', [chunk('', 'a')], [rest('{}')]],
  ['a key', [chunk('{"to', 'a')], [rest('":null}')]],
  ['a chunk without an id', [chunk('{"to', 'a'), chunk('":"Ann')], [rest('"}')]],
  ['what passes', [chunk('{"to', 'a'), { type: 'RAW' }], [rest('":null}')]],
  ['another call before it', [chunk('{', 'b'), chunk('[', 'a')], [rest('}', 'b'), rest(']')]],
  ['what ends them at the client', [chunk('{', 'a'), { type: 'CUSTOM' }], [rest('}')]],
  ['what came between', [chunk('{"to', 'a'), { type: 'CUSTOM' }, chunk('":[', 'a')], [rest(']}')]],
  ['their end', [{ ...chunk('', 'a'), type: 'TOOL_CALL_START' }, { type: 'TOOL_CALL_END', toolCallId: 'a' }], [rest('{}')]], // prettier-ignore
  ['their result', [chunk('{', 'a'), { type: 'TOOL_CALL_RESULT', toolCallId: 'a' }], [rest('}')]],
])(
  'the arguments of a call that nobody may end are ended in a chunk behind %s, before what ends',
  (_what, events, made) => {
    // prettier-ignore
    const parts = new OpenParts();
    parts.sent({ type: 'TEXT_MESSAGE_START', messageId: 'm1' });
    for (const event of events) parts.sent(event);
    expect(parts.ends(true)).toEqual([...made, { type: 'TEXT_MESSAGE_END', messageId: 'm1' }]);
    expect(parts.ends(false)).toEqual([{ type: 'TEXT_MESSAGE_END', messageId: 'm1' }]);
  },
);

it.each([
  ['that are whole', chunk('}')],
  ['whose messages the client has replaced', { type: 'MESSAGES_SNAPSHOT' }],
])('nothing is added to arguments in chunks %s', (_how, event) => {
  const parts = new OpenParts();
  parts.sent(chunk('{', 'a'));
  parts.sent(event);
  expect(parts.ends(true)).toEqual([]);
});

it('a call that is shown again goes on at the client: its arguments, by its last name', () => {
  const parts = new OpenParts();
  for (const toolCallName of ['pay', 'ship']) parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName });
  parts.sent({ type: 'TOOL_CALL_ARGS', toolCallId: 'a', delta: '{"to":1' });
  for (const type of ['TOOL_CALL_END', 'TOOL_CALL_START', 'TOOL_CALL_END']) parts.sent({ type, toolCallId: 'a' });
  expect(parts.ends(true)).toEqual([{ ...rest('}'), toolCallName: 'ship' }]);
});

const asked = { role: 'assistant', toolCalls: [{ id: 'a', function: { name: 'pay' } }] };
const answered = { role: 'tool', toolCallId: 'a' };
const snapshot = (...messages: readonly object[]): AgUiEvent => ({ type: 'MESSAGES_SNAPSHOT', messages }) as AgUiEvent;
const shown: AgUiEvent = { type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay' };
const told: AgUiEvent = { type: 'TOOL_CALL_RESULT', toolCallId: 'a' };

it.each<[string, readonly (AgUiEvent | number)[], number | undefined]>([
  ['that was told of the first call', [shown, 1, told, shown], undefined],
  ['that a snapshot tells of', [shown, 1, snapshot(asked, answered), shown], undefined],
  ['behind that', [shown, 1, told, shown, 2], 2],
  ['of the second try of one call', [shown, 1, 2], 2],
  ['of the one that ran, where the first did not', [shown, told, shown, 2], 2],
  ['behind a snapshot of a run before', [snapshot(asked, answered), shown, 2], 2],
  ['behind a snapshot that tells it once more', [shown, 1, told, snapshot(asked, answered), shown, 2], 2],
  ['of a call that is shown by a snapshot alone', [shown, 1, told, snapshot(asked, answered, asked), 2], 2],
  ['before the snapshot that shows its call', [shown, 1, told, 2, snapshot(asked, answered, asked)], 2],
])('an open call whose id comes again has the outcome %s', (_which, steps, expected) => {
  const parts = new OpenParts();
  for (const step of steps) {
    if (typeof step === 'number') parts.ended({ id: 'a', name: 'pay', call: {}, ms: step, status: 'failed', error: 0 });
    else parts.sent(step);
  }
  expect(parts.calls.map(({ id, outcome }) => [id, outcome?.ms])).toEqual([['a', expected]]);
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
  expect(parts.calls.map(({ id }) => id)).toEqual(['kept', 'new']);
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'last' });
  expect(parts.calls.map(({ id }) => id)).toEqual(['kept', 'new', 'last']);
  expect(parts.ends(true).filter(({ type }) => type === 'TOOL_CALL_END')).toHaveLength(3);
});
