import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import { settleTranscript } from '../../src/transcript/settle-transcript.ts';
import { aiSDK } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';

const user = createReason({ kind: 'user', at: 1 });
const open = [
  { role: 'assistant' as const, content: [{ type: 'tool_use', id: 'toolu_1', name: 'remove', input: {} }] },
];

describe('settleTranscript', () => {
  it('gives a new list and leaves the input alone', () => {
    const { messages, changes } = settleTranscript(open, { dialect: anthropic });
    expect(open).toHaveLength(1);
    expect(messages).toHaveLength(2);
    expect(changes).toEqual([{ at: 0, rule: 'call-answered', what: 'answered remove (toolu_1): unrecorded' }]);
  });

  it('has nothing to submit where the request carries the conversation', () => {
    expect(settleTranscript([], { dialect: openaiChat })).toEqual({ messages: [], changes: [] });
  });

  it('takes every option as undefined', () => {
    const nothing = { outcomes: undefined, partials: undefined, reason: undefined, wording: undefined };
    expect(settleTranscript(open, { dialect: anthropic, ...nothing })).toEqual(
      settleTranscript(open, { dialect: anthropic }),
    );
  });

  it.each<[string, object, object]>([
    ['anthropic', anthropic, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }],
    [
      'ai-sdk',
      aiSDK,
      { type: 'tool-call', toolCallId: 'ws_1', toolName: 'web_search', input: {}, providerExecuted: true },
    ],
  ])(
    'S17 a search that a stored conversation ends in goes with a reason or a prompt, and else goes on (%s)',
    (_name, dialect, search) => {
      const settle = (messages: readonly object[], options: object = {}) =>
        settleTranscript<object, never, object>(messages, { dialect, ...options } as never);
      const prompt = { role: 'user', content: 'And?' };
      const stored = [
        { role: 'user', content: 'What is new?' },
        { role: 'assistant', content: [{ type: 'text', text: 'I search.' }, search] },
      ];
      expect(settle(stored).messages).toEqual(stored);
      const opened = settle(stored, { reason: 'unknown' });
      expect(opened.changes.map(({ rule }) => rule)).toEqual(['server-call-answered']);
      expect(settle([...opened.messages, prompt]).changes).toEqual([]);
      expect(settle([...stored, prompt]).messages).toEqual([...opened.messages, prompt]);
    },
  );

  it('reads partials in the order of their model calls', () => {
    const partials = [2, 10, 1].map((modelCall) => ({ modelCall, value: `reply ${modelCall}`, reason: user }));
    const { messages } = settleTranscript([], { dialect: openaiChat, partials, wording: () => 'CUT' });
    expect(messages).toEqual([1, 2, 10].map((n) => ({ role: 'assistant', content: `reply ${n}\n\nCUT` })));
  });

  it('S19 speaks in the words of the caller', () => {
    const seen: unknown[] = [];
    const wording = (cell: object) => void seen.push(cell);
    settleTranscript(open, { dialect: anthropic, reason: user, wording: wording });
    expect(seen).toMatchObject([{ cause: 'user', outcome: 'unrecorded', name: 'remove' }]);
    const { messages } = settleTranscript(open, {
      dialect: anthropic,
      wording: { unknown: { unrecorded: 'Who knows.' } },
    });
    expect(JSON.stringify(messages[1])).toContain('Who knows.');
  });

  it.each<[string, object, string]>([
    ['messages', {}, 'messages must be an array, got an instance of Object'],
    ['dialect', { dialect: 'esperanto' }, 'options.dialect must be a dialect, such as `anthropic` of '],
    ['reason', { reason: 7 }, 'options.reason must be a reason, a kind or an error, got 7'],
    ['render', { render: 'x' }, 'options.render must be a function, got "x"'],
    ['ids', { ids: 'mine' }, "options.ids must be one of 'keep', 'normalise', got "],
    ['a hole', { outcomes: Array(1) }, 'options.outcomes[0] must be an object, got undefined'],
    ['outcomes', { outcomes: {} }, 'options.outcomes must be an array, got an instance of Object'],
    ['a row', { outcomes: [{ id: 'a', status: 'vanished' }] }, 'options.outcomes[0].status must be one of'],
    ['partials', { partials: 'x' }, 'options.partials must be an array, got "x"'],
    ['wording', { wording: 7 }, 'wording must be a function or a table, got 7'],
  ])('refuses wrong %s by name', (what, options, message) => {
    const settle = () =>
      settleTranscript((what === 'messages' ? {} : []) as never, { dialect: anthropic, ...options } as never);
    expect(settle).toThrow(TypeError);
    expect(settle).toThrow(message);
  });
});
