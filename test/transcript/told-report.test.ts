/** A report is told once: also where the next prompt has been pushed since, and where the conversation has gone on. */
import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import { ollama } from '../../src/transcript/dialects/ollama/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { dialectNames } from '../../src/transcript/dialects/table.ts';
import { dialectNamed, settleTranscript, settleTurn, type InterruptedTurn } from '../../src/transcript/index.ts';
import { holdsWords } from '../../src/transcript/words/values.ts';

const reason = createReason({ kind: 'user', at: 0 });
const row = (id: string): ToolOutcome => ({
  id,
  name: 'pay',
  call: { input: { a: 1 } },
  ms: 1,
  status: 'completed',
  value: 'paid',
});
const cut = (calls: readonly ToolOutcome[], ...values: unknown[]): InterruptedTurn => ({
  status: 'cancelled',
  calls,
  partials: values.map((value, i) => ({ modelCall: i + 1, value, reason })),
  stop: { reason },
});
const reports: Readonly<Record<string, InterruptedTurn>> = {
  'a cut text': cut([], 'I think that'),
  'a call of the ledger': cut([row('c9')]),
  'a call of the ledger and a cut text': cut([row('c9')], 'Now I'),
  'an id that comes again': cut([row('old')], 'Now I'),
  nothing: cut([]),
};

describe.each(dialectNames)('%s', (name) => {
  const dialect = dialectNamed(name) as unknown as typeof openaiChat;
  const prompt = (text: string): never =>
    (name === 'gemini'
      ? { role: 'user', parts: [{ text }] }
      : { type: 'message', role: 'user', content: text }) as never;
  const before = [
    ...settleTranscript([prompt('a')], { dialect, outcomes: [row('old')] }).messages,
    ...dialect.reply('b'),
    prompt('go'),
  ];
  const turnStart = before.length - 1;

  describe.each(Object.entries(reports))('%s', (_what, report) => {
    const cells = (['keep', 'marker'] as const).flatMap((policy) => [
      { dialect, policy, turnStart: undefined },
      { dialect, policy, turnStart },
    ]);

    it.each(cells)('is not told again behind the next prompt ($policy, $turnStart)', (options) => {
      const settled = settleTurn(before, report, options).messages;
      for (const prompts of [[], [prompt('next')], [prompt('next'), prompt('and')]]) {
        const again = settleTurn([...settled, ...prompts], report, options);
        expect(again.messages).toEqual([...settled, ...prompts]);
        expect(again.changes).toEqual([]);
      }
    });

    it.each(['keep', 'marker'] as const)('stays where it is, whatever came since (%s)', (policy) => {
      const options = { dialect, policy, turnStart };
      const settled = [...settleTurn(before, report, options).messages, prompt('next')];
      const called = settleTranscript(settled, {
        dialect,
        outcomes: [row('d1')],
        turnStart: settled.length - 1,
      }).messages;
      for (const later of [[...settled, ...dialect.reply('Fine.')], called]) {
        const again = settleTurn(later, report, options);
        expect(again.messages).toEqual(later);
        expect(again.changes).toEqual([]);
      }
    });
  });

  it('the reply of the next turn tells that a cut text was of the one before', () => {
    const report = cut([], 'I think that');
    const settled = settleTurn(before, report, { dialect }).messages;
    const later = [...settled, prompt('next'), ...dialect.reply('Fine.')];
    expect(settleTurn(later, report, { dialect }).messages).toEqual(later);
  });

  it.each(['keep', 'marker'] as const)('a reply that had come to its end is not told again (%s)', (policy) => {
    const message = dialect.reply('I think that')[0];
    const report = cut([], { message, isComplete: true });
    const settled = settleTurn(before, report, { dialect, policy }).messages;
    expect(JSON.stringify(settled)).not.toContain('cut off');
    for (const prompts of [[prompt('next')], [prompt('next'), prompt('and')]]) {
      const next = [...settled, ...prompts];
      for (const start of [undefined, turnStart]) {
        const again = settleTurn(next, report, { dialect, policy, turnStart: start });
        expect(again.changes).toEqual([]);
        expect(again.messages).toEqual(next);
      }
    }
  });

  it('a text that nothing marks as cut is another reply', () => {
    const later = [...before.slice(0, -1), ...dialect.reply('I think that'), prompt('next')];
    const { changes } = settleTurn(later, cut([], 'I think that'), { dialect });
    expect(changes.map(({ rule }) => rule)).toEqual(['partial-kept']);
  });

  it('a stop behind the last reply is told of no newer turn, with turnStart', () => {
    const ended = [...before, ...dialect.reply('Done.')];
    const options = { dialect, policy: 'marker', turnStart } as const;
    const settled = settleTurn(ended, cut([]), options).messages;
    expect(settled).toEqual(ended);
    expect(settleTurn([...settled, prompt('next')], cut([]), options).changes).toEqual([]);
  });

  it('a turn does not begin with the result of a call before it', () => {
    const { messages } = settleTranscript([prompt('go')], { dialect, outcomes: [row('c9')] });
    const at = messages.length - 1;
    const options = { dialect, turnStart: at };
    const error = `options.turnStart must be where the turn begins, and messages[${String(at)}] holds the result of a call before it, got ${String(at)}`;
    expect(() => settleTranscript(messages, options)).toThrow(new RangeError(error));
    expect(() => settleTurn(messages, cut([]), options)).toThrow(new RangeError(error));
    for (const fine of [0, messages.length]) settleTurn(messages, cut([]), { dialect, turnStart: fine });
  });
});

it('a partial that could not be read is named, also where all the rest was told', () => {
  const report = cut([], { what: 1 }, 'I think');
  const dialect = openaiChat;
  const settled = settleTurn([{ role: 'user', content: 'go' }], report, { dialect }).messages;
  const { changes } = settleTurn([...settled, { role: 'user', content: 'next' }], report, { dialect });
  expect(changes.map(({ rule }) => rule)).toEqual(['partial-unread']);
});

it('words are found in whatever holds them, and no words nowhere', () => {
  expect(holdsWords({ content: [{ text: 'He said "no"\nand left' }] }, 'said "no"\nand')).toBe(true);
  expect([holdsWords({ content: 'a' }, ''), holdsWords(undefined, 'a')]).toEqual([false, false]);
});

it('ollama: a number that a server gave as an id is not given to another call', () => {
  const call = (id?: string): object => ({
    ...(id && { id }),
    function: { name: 'read', arguments: { of: id ?? '' } },
  });
  const reply = { role: 'assistant', content: '', tool_calls: [call('read#2'), call(), call('read#1')] };
  expect(ollama.calls(reply).map(({ id }) => id)).toEqual(['read#2', 'read#3', 'read#1']);
  const first = settleTranscript([{ role: 'user', content: 'Go.' }, reply], { dialect: ollama });
  expect(settleTranscript(first.messages, { dialect: ollama }).changes).toEqual([]);
});
