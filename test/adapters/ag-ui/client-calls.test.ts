import { expect, it } from 'vitest';

import { ClientCalls } from '../../../src/adapters/ag-ui/client-calls.ts';
import type { AgUiEvent } from '../../../src/adapters/ag-ui/open-parts.ts';
import { createReason, type InterruptEvent, type TurnReport } from '../../../src/core/inside.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';

const stopped = { status: 'cancelled', reason: createReason({ kind: 'user' }) } as TurnReport<unknown>;
const completed = { status: 'completed' } as TurnReport<unknown>;
const failed = { status: 'failed' } as TurnReport<unknown>;
const words = /not started|skipped|stopped|503|did not begin/;

/** What is sent behind a run: what arguments lack, by call, and the words of each result. */
function last(calls: ClientCalls, report = stopped) {
  const results = calls.results(report, openaiChat) as readonly { toolCallId: string; content: string }[];
  return {
    rests: calls.rests(report, []).map(({ toolCallId, delta }) => `${String(toolCallId)} ${String(delta)}`),
    results: results.map(({ toolCallId, content }) => `${toolCallId} ${String(words.exec(content)?.[0])}`),
  };
}

const start = (toolCallId: string, more = {}) => ({
  type: 'TOOL_CALL_START',
  toolCallId,
  toolCallName: 'pay',
  ...more,
});
const end = (toolCallId: string) => ({ type: 'TOOL_CALL_END', toolCallId });
const told = (toolCallId: string) => ({ type: 'TOOL_CALL_RESULT', toolCallId });
const args = (toolCallId: string, delta: string) => ({ type: 'TOOL_CALL_ARGS', toolCallId, delta });
const chunk = (delta: string, toolCallId?: string, subagentRunId?: string): AgUiEvent => ({
  ...{ type: 'TOOL_CALL_CHUNK', delta },
  ...(toolCallId !== undefined && { toolCallId, toolCallName: 'pay' }),
  ...(subagentRunId !== undefined && { subagentRunId }),
});
const saying = (messageId: string, subagentRunId?: string): AgUiEvent => ({
  ...{ type: 'TEXT_MESSAGE_CHUNK', messageId, delta: 'hm' },
  ...(subagentRunId !== undefined && { subagentRunId }),
});
const asked = (id: string, text?: unknown) => ({
  role: 'assistant',
  toolCalls: [{ id, function: { name: 'pay', arguments: text } }],
});
const answered = (toolCallId: string) => ({ role: 'tool', toolCallId });
const snapshot = (...messages: readonly object[]) => ({ type: 'MESSAGES_SNAPSHOT', messages }) as AgUiEvent;

function play(events: readonly AgUiEvent[], messages?: unknown) {
  const calls = new ClientCalls(messages);
  for (const event of events) calls.sent(event);
  return calls;
}

it.each([
  ['nothing', [chunk('', 'a')], ['a {}']],
  ['a key', [chunk('{"to', 'a')], ['a ":null}']],
  ['a chunk without an id', [chunk('{"to', 'a'), chunk('":"Ann')], ['a "}']],
  ['another call before it', [chunk('{', 'b'), chunk('[', 'a')], ['b }', 'a ]']],
  ['what ends them at the client', [chunk('{', 'a'), { type: 'CUSTOM' }], ['a }']],
  ['what came between', [chunk('{"to', 'a'), { type: 'CUSTOM' }, chunk('":[', 'a')], ['a ]}']],
  ['their end', [start('a'), args('a', '{'), end('a')], ['a }']],
  ['their result', [chunk('{', 'a'), told('a')], ['a }']],
  ['a start that is told again', [start('a'), args('a', '{"to":1'), end('a'), start('a')], ['a }']],
  ['a snapshot that shows half', [snapshot(asked('a', '{"to'))], ['a ":null}']],
  ['what is whole', [chunk('{', 'a'), chunk('}')], []],
  ['a snapshot without their call', [chunk('{', 'a'), snapshot()], []],
  ['a snapshot that says none', [snapshot(asked('a'))], []],
])('what arguments lack is sent in a chunk, by the name of their call, behind %s', (_what, events, rests) => {
  expect(last(play(events as AgUiEvent[])).rests).toEqual(rests);
});

it.each<[string, AgUiEvent[], string[]]>([
  ['sub-agent, and the agent', [chunk('{"a', 'a'), chunk('{"b', 'b', 's'), chunk('"'), chunk('":', undefined, 's')], ['a :null}', 'b null}']], // prettier-ignore
  ['sub-agent that only its first chunk names', [saying('m'), chunk('{"b', 'b', 's'), chunk('":')], ['b null}']],
  ['sub-agent, where the agent has ended its own', [chunk('{}', 'a'), chunk('{', 'b', 's'), { type: 'CUSTOM' }, chunk('"b')], ['b ":null}']], // prettier-ignore
  ['sub-agent, and not of the words of another', [chunk('{"a', 'a'), saying('m', 's'), saying('m'), chunk('":')], ['a null}']], // prettier-ignore
  ['agent, whatever else passes', [chunk('{"a', 'a'), { type: 'RAW' }, { type: 'REASONING_ENCRYPTED_VALUE' }, { type: 'SUBAGENT_STARTED', subagentRunId: 's' }, chunk('":')], ['a null}']], // prettier-ignore
])('a chunk without an id goes on with the call of its %s', (_whose, events, rests) => {
  expect(last(play(events)).rests).toEqual(rests);
});

it('a call is open until its result, and has one by its id, however often it is shown', () => {
  expect(last(play([start('a'), start('b'), end('a')])).results).toEqual(['a not started', 'b not started']);
  expect(last(play([start('a'), told('a'), start('a'), end('a')])).results).toEqual([]);
  expect(last(play([start('gone'), snapshot(asked('a'), asked('b'), answered('b')), start('c')])).results).toEqual([
    'a not started',
    'c not started',
  ]);
});

it('a call that the client had before is what it was there', () => {
  const before = [asked('a', '{"to":"Ann"}'), asked('b', '{"x'), answered('b')];
  expect(last(play([], before))).toEqual({ rests: ['b ":null}'], results: ['a not started'] });
  expect(last(play([start('a'), end('a'), start('b')], before))).toEqual({
    rests: ['b ":null}'],
    results: ['a not started'],
  });
  expect(last(play([start('a')], before), failed).results).toEqual(['a did not begin']);
});

it.each([undefined, null, 7, [null, { toolCalls: 1 }, { toolCalls: [null, { id: 1 }] }, { toolCallId: 2 }]])(
  'messages that are none hold no call: %j',
  (messages) => {
    expect(last(play([], messages))).toEqual({ rests: [], results: [] });
  },
);

it('a run that has completed leaves its calls to the client, but none that is half', () => {
  expect(last(play([start('a'), args('a', '{}'), start('b')]), completed)).toEqual({ rests: [], results: [] });
  expect(last(play([start('a'), args('a', '{"to'), end('a')]), completed)).toEqual({
    rests: ['a ":null}'],
    results: ['a did not begin'],
  });
});

const base = { agent: 'a', instanceId: 'i', at: 0, turnId: 1 };
const said = createReason({ kind: 'interjection' });
const row = (id: string, outcome: object) =>
  ({ ...base, type: 'tool-outcome', outcome: { id, name: 'pay', call: {}, ms: 0, ...outcome } }) as InterruptEvent;
const model = (operationId: string, operationKind = 'model'): InterruptEvent => ({
  ...{ ...base, type: 'operation-started', operationId, operationKind, name: 'm' },
});
const stopping = (operationId: string, reason = said): InterruptEvent => ({
  ...{ ...base, type: 'operation-stopping', operationId, reason },
});
const over = (operationId: string, outcome: 'cancelled' | 'completed' = 'cancelled'): InterruptEvent => ({
  ...{ ...base, type: 'operation-ended', operationId, outcome },
});

it.each<[string, readonly (InterruptEvent | AgUiEvent)[], string[]]>([
  ['of a reply that a message cut', [model('1'), start('a'), stopping('1'), end('a'), over('1')], ['a skipped']],
  ['of a reply that its limit cut', [model('1'), start('a'), stopping('1', createReason({ kind: 'idle' })), over('1')], ['a not started']], // prettier-ignore
  ['of another reply', [start('a'), model('1'), stopping('1'), over('1')], []],
  ['of a reply that completed', [model('1'), start('a'), over('1', 'completed')], []],
  ['of a tool that a message cut', [model('1', 'tool'), start('a'), stopping('1'), over('1')], []],
  ['that has run all the same', [model('1'), start('a'), stopping('1'), over('1'), row('a', { status: 'completed' })], []], // prettier-ignore
  ['that a message cut', [start('a'), row('a', { status: 'stopped', reason: said })], ['a stopped']],
  ['that did not begin, and is shown later', [row('a', { status: 'not-started', reason: said }), start('a')], ['a not started']], // prettier-ignore
  [
    'that waits for a person',
    [start('a'), row('a', { status: 'stopped', reason: createReason({ kind: 'unknown' }) })],
    [],
  ],
  ['that failed', [start('a'), row('a', { status: 'failed', error: new Error('503') })], []],
])('a run that has completed answers a call or leaves it to the client: one %s', (_which, steps, results) => {
  const calls = new ClientCalls();
  for (const step of steps) {
    if ('instanceId' in step) calls.heard(step);
    else calls.sent(step);
  }
  expect(last(calls, completed).results).toEqual(results);
});

it('a call of a run that did not complete has the words of its last row', () => {
  const calls = play([start('a'), start('b')]);
  calls.heard(row('a', { status: 'stopped', reason: said }));
  calls.heard(row('a', { status: 'failed', error: new Error('503') }));
  expect(last(calls).results).toEqual(['a 503', 'b not started']);
});
