import { describe, expect, it } from 'vitest';

import { anthropic, type AnthropicMessage } from '../../src/transcript/dialects/anthropic/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { checkTranscript, repair } from '../../src/transcript/index.ts';
import { lostNote } from '../../src/core/foundation/results/lost-note.ts';

const stored = [
  { role: 'user', content: 'Clean up' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'remove', input: {} }] },
] as AnthropicMessage[];

describe('the repair of a stored transcript', () => {
  it('answers what nobody answered, and a second time changes nothing', () => {
    const { messages, changes } = repair(stored, { dialect: anthropic });
    expect(JSON.stringify(messages.at(-1))).toContain('It may have run');
    expect(changes.map(({ rule }) => rule)).toEqual(['call-answered']);
    expect(checkTranscript(messages, { dialect: anthropic })).toEqual([]);
    const again = repair(messages, { dialect: anthropic });
    expect([again.changes, again.messages.every((one, at) => one === messages[at])]).toEqual([[], true]);
  });

  it('asks for what became of a call', () => {
    const { messages } = repair(stored, {
      dialect: anthropic,
      outcomeOf: (call) => ({ id: 'ours', name: call.name, call, ms: 1, status: 'completed', value: 'removed' }),
    });
    expect(JSON.stringify(messages.at(-1))).toContain('"tool_use_id":"a","content":"removed"');
  });

  it('takes out what a provider does not go on with, and says so', () => {
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    const open = [
      { role: 'user', content: 'Look' },
      { role: 'assistant', content: [search] },
    ] as AnthropicMessage[];
    const told = { role: 'user', content: lostNote(['web_search']) };
    expect(repair(open, { dialect: anthropic }).messages).toEqual([open[0], told]);
  });

  it('gives a new list and leaves the input alone', () => {
    const { messages, changes } = repair(stored, { dialect: anthropic });
    expect([stored.length, messages.length]).toEqual([2, 3]);
    expect(changes).toEqual([
      { at: 1, rule: 'call-answered', what: 'remove (a) has no result in the user message directly after it' },
    ]);
  });

  it('has nothing to submit where the request carries the conversation', () => {
    expect(repair([], { dialect: openaiChat })).toEqual({ messages: [], changes: [] });
  });

  it('takes every option as undefined', () => {
    const nothing = { outcomeOf: undefined, wording: undefined, render: undefined, ids: undefined, held: undefined };
    expect(repair(stored, { dialect: anthropic, ...nothing })).toEqual(repair(stored, { dialect: anthropic }));
  });

  it('asks of calls without a result alone, by the ids that they have, and once', () => {
    const asked: string[] = [];
    const use = (id: string) => ({ type: 'tool_use', id, name: 'remove', input: {} });
    const messages = [
      { role: 'user', content: 'Clean up' },
      { role: 'assistant', content: [use('f:0')] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'f:0', content: 'ok' }] },
      { role: 'assistant', content: [use('f:1'), use('f:2')] },
    ] as AnthropicMessage[];
    repair(messages, { dialect: anthropic, outcomeOf: ({ id }) => void asked.push(id) });
    expect(asked).toEqual(['f:1', 'f:2']);
  });

  it('S19 speaks in the words of the caller, and renders in their form', () => {
    const seen: unknown[] = [];
    repair(stored, { dialect: anthropic, wording: (cell) => void seen.push(cell) });
    expect(seen).toMatchObject([{ cause: 'unknown', outcome: 'unrecorded', name: 'remove' }]);
    const wording = { unknown: { unrecorded: 'Who knows.' } };
    expect(JSON.stringify(repair(stored, { dialect: anthropic, wording }).messages[2])).toContain('Who knows.');
    const row = { id: 'a', name: 'remove', call: {}, ms: 1, status: 'completed', value: 'secret' } as const;
    const shown = repair(stored, { dialect: anthropic, outcomeOf: () => row, render: () => 'SHOWN' });
    expect(JSON.stringify(shown.messages[2])).toMatch(/SHOWN/);
    expect(JSON.stringify(shown.messages[2])).not.toMatch(/secret/);
  });

  it.each<[string, object, string]>([
    ['messages', {}, 'messages must be an array, got an instance of Object'],
    ['dialect', { dialect: 'esperanto' }, 'options.dialect must be a dialect, such as `anthropic` of '],
    ['render', { render: 'x' }, 'options.render must be a function, got "x"'],
    ['ids', { ids: 'mine' }, "options.ids must be one of 'keep', 'normalise', got "],
    ['an outcomeOf', { outcomeOf: 7 }, 'options.outcomeOf must be a function, got 7'],
    ['a row', { outcomeOf: () => ({ id: 'a', status: 'vanished' }) }, 'options.outcomeOf(a).status must be one of'],
    ['a held state', { held: { responses: [] } }, 'options.held must be what heldByServer() returns, with openai'],
    ['wording', { wording: 7 }, 'wording must be a function or a table, got 7'],
  ])('refuses wrong %s by name', (what, options, message) => {
    const call = () =>
      repair((what === 'messages' ? {} : stored) as never, { dialect: anthropic, ...options } as never);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });
});
