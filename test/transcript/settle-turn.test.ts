import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import {
  checkTranscript,
  settleTranscript,
  settleTurn,
  wordingTable,
  type SettleTurnOptions,
} from '../../src/transcript/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { openaiChat, type OpenAIChatMessage } from '../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';

const reason = createReason({ kind: 'user', at: 1 });
const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } };
const before: OpenAIChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hi.' },
];
const asks: OpenAIChatMessage = { role: 'user', content: 'Read it.' };
const calls = { role: 'assistant', content: null, tool_calls: [call] } as OpenAIChatMessage;
const stopped = { id: 'a', name: 'read', call, ms: 1, status: 'stopped', reason } as const;
const cut = { modelCall: 2, value: 'Half a sen', reason };
const report = { status: 'cancelled', calls: [stopped], partials: [], stop: { reason } } as const;
const dialect = openaiChat;

describe('S12 one line for a turn', () => {
  it('keeps everything by default, with ledger, cut replies and reason', () => {
    const messages = [...before, asks, calls];
    const settled = settleTurn(messages, { ...report, partials: [cut] }, { dialect });
    const same = settleTranscript(messages, { dialect, outcomes: [stopped], partials: [cut], reason });
    expect(settled).toEqual({ ...same, prompts: [] });
    expect(settled.messages.slice(-2)).toMatchObject([
      { role: 'tool', content: wordingTable.user.stopped },
      { role: 'assistant', content: `Half a sen\n\n${wordingTable.user.cut}` },
    ]);
  });

  it('gives the words to the caller’s table', () => {
    const wording = { user: { stopped: 'Halted.', interrupted: 'Turn over.' } };
    const { messages } = settleTurn([...before, asks, calls], report, { dialect, wording, policy: 'marker' });
    expect(messages.slice(-2).map(({ content }) => content)).toEqual(['Halted.', 'Turn over.']);
  });
});

describe('policy marker', () => {
  it('lets the model’s side say that the turn was interrupted, once', () => {
    const settled = settleTurn([...before, asks, calls], report, { dialect, policy: 'marker' });
    expect(settled.messages.at(-1)).toEqual({ role: 'assistant', content: wordingTable.user.interrupted });
    expect(settled.changes.at(-1)).toMatchObject({ at: 5, rule: 'turn-marked' });
    const again = settleTurn(settled.messages, report, { dialect, policy: 'marker' });
    expect(again).toMatchObject({ messages: settled.messages, changes: [] });
  });

  it('marks a turn in which nobody had said anything yet', () => {
    const { messages } = settleTurn([...before, asks], { ...report, calls: [] }, { dialect, policy: 'marker' });
    expect(messages.slice(-2)).toEqual([asks, { role: 'assistant', content: wordingTable.user.interrupted }]);
  });

  it('adds nothing to a reply, which is marked where it was cut', () => {
    const turn = { ...report, calls: [], partials: [cut] };
    const { messages } = settleTurn([...before, asks], turn, { dialect, policy: 'marker' });
    expect(messages).toHaveLength(5);
    expect(settleTurn([], { ...report, calls: [] }, { dialect, policy: 'marker' }).messages).toEqual([]);
  });

  it('names no cause that nobody gave', () => {
    const turn = { status: 'cancelled', calls: [], partials: [] } as const;
    const { messages } = settleTurn([asks], turn, { dialect, policy: 'marker' });
    expect(messages[1]?.content).toBe(wordingTable.unknown.interrupted);
  });
});

describe('policy drop-turn', () => {
  it('removes the turn and gives the user’s message back', () => {
    const settled = settleTurn([...before, asks, calls], report, { dialect, policy: 'drop-turn' });
    expect(settled).toEqual({
      messages: before,
      prompts: [asks],
      changes: [{ at: 3, rule: 'turn-dropped', what: 'removed the interrupted turn, 2 messages' }],
    });
    expect(settled.messages.every((message, i) => message === before[i])).toBe(true);
  });

  it('removes all of a turn in which the user spoke again, if told where it began', () => {
    const wait: OpenAIChatMessage = { role: 'user', content: 'Wait.' };
    const messages = [...before, asks, { role: 'assistant', content: 'Reading.' } as const, wait];
    const settled = settleTurn(messages, report, { dialect, policy: 'drop-turn', turnStart: 3 });
    expect([settled.messages, settled.prompts]).toEqual([before, [asks, wait]]);
  });

  it('drops another turn each time, unless told where it began', () => {
    const drop = (messages: readonly OpenAIChatMessage[], turnStart?: number) =>
      settleTurn(messages, report, { dialect, policy: 'drop-turn', turnStart });
    const { messages } = drop([...before, asks, calls]);
    expect(drop(messages)).toMatchObject({ messages: before.slice(0, 1), prompts: [before[1]] });
    expect(drop(messages, before.length)).toEqual({ messages: before, prompts: [], changes: [] });
  });

  it('settles what is left, which somebody else may have broken', () => {
    const broken = [...before, calls];
    const settled = settleTurn([...broken, asks], report, { dialect, policy: 'drop-turn' });
    expect(checkTranscript(settled.messages, { dialect })).toEqual([]);
    expect(settled.changes.map(({ rule }) => rule)).toEqual(['call-answered', 'turn-dropped']);
    expect(settled.messages.at(-1)?.content).toBe(wordingTable.unknown.unrecorded);
  });

  it('drops nothing where there is nothing to drop', () => {
    expect(settleTurn([], report, { dialect, policy: 'drop-turn' })).toEqual({
      messages: [],
      prompts: [],
      changes: [],
    });
  });

  it('keeps the answers that stand in the same message as the prompt', () => {
    const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] } as const;
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'ok' };
    const both = { role: 'user', content: [result, { type: 'text', text: 'And?' }] } as const;
    const options = { dialect: anthropic, policy: 'drop-turn' } as const;
    const settled = settleTurn([asks as { role: 'user'; content: string }, use, both], report, options);
    expect(settled.messages).toEqual([asks, use, { role: 'user', content: [result] }]);
    expect(settled.changes).toEqual([{ at: 2, rule: 'turn-dropped', what: 'removed the interrupted turn, 1 message' }]);
  });
});

it.each([
  { status: 'completed', calls: [], partials: [] },
  { status: 'completed', calls: [], partials: [], stop: { reason } },
  { status: 'failed', calls: [], partials: [] },
] as const)('keeps a turn that was not interrupted, whatever the policy: %j', (turn) => {
  for (const policy of ['keep', 'marker', 'drop-turn'] as const) {
    expect(settleTurn([...before, asks], turn, { dialect, policy })).toEqual({
      messages: [...before, asks],
      changes: [],
      prompts: [],
    });
  }
});

it('submits the marker as well, where the server holds the conversation', () => {
  const items = [{ role: 'user', content: 'Hello' }];
  const held = { responses: [{ id: 'resp_1' }] };
  const turn = { ...report, calls: [] };
  const settled = settleTurn(items, turn, { dialect: openaiResponses, policy: 'marker', held });
  expect(settled.messages).toHaveLength(2);
  expect(settled.submit).toEqual({ previous_response_id: 'resp_1', input: settled.messages.slice(1) });
});

it('counts a turn that failed while it was being stopped as interrupted', () => {
  const turn = { ...report, status: 'failed' } as const;
  expect(settleTurn([...before, asks], turn, { dialect, policy: 'drop-turn' }).prompts).toEqual([asks]);
});

it.each([
  [{ policy: 'forget' }, TypeError, 'options.policy must be one of'],
  [{ turnStart: '3' }, TypeError, 'options.turnStart must be a number, got "3"'],
  [{ turnStart: 4 }, RangeError, 'options.turnStart must be an index of messages, 0 to 3, got 4'],
  [{ dialect: 'x' }, TypeError, 'options.dialect'],
  [{ held: { responses: [] } }, TypeError, 'options.held is for conversations on a server'],
])('refuses %j', (options, type, message) => {
  const settle = (): unknown =>
    settleTurn(before, report, { dialect, ...options } as SettleTurnOptions<OpenAIChatMessage>);
  expect(settle).toThrow(type);
  expect(settle).toThrow(message);
});

describe('a mark before what was pushed after the turn', () => {
  const next: OpenAIChatMessage = { role: 'user', content: 'Next.' };
  const mark = { role: 'assistant', content: wordingTable.user.interrupted };
  const bare = { ...report, calls: [] };

  it('stands where the turn ends', () => {
    const settled = settleTurn([...before, asks, next], bare, { dialect, policy: 'marker', turnStart: 3 });
    expect(settled.messages).toEqual([...before, asks, mark, next]);
    expect(settled.changes).toMatchObject([{ at: 4, rule: 'turn-marked' }]);
    const again = settleTurn(settled.messages, bare, { dialect, policy: 'marker', turnStart: 3 });
    expect(again).toMatchObject({ messages: settled.messages, changes: [] });
  });

  it('stands behind the answers that share a message with the prompt', () => {
    const use = { type: 'tool_use', id: 'a', name: 'read', input: {} };
    const talk = [
      { role: 'user' as const, content: 'Read it.' },
      { role: 'assistant' as const, content: [use] },
      { role: 'user' as const, content: 'Next.' },
    ];
    const options = { dialect: anthropic, policy: 'marker', turnStart: 0 } as const;
    const { messages } = settleTurn(talk, report, options);
    expect(checkTranscript(messages, { dialect: anthropic })).toEqual([]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(JSON.stringify(messages[3])).toContain(wordingTable.user.interrupted);
    expect(JSON.stringify(messages[4])).toContain('Next.');
    expect(settleTurn(messages, report, options).messages).toEqual(messages);
  });
});
