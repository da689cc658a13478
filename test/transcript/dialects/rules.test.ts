import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import { noteOfEntries, type DialectRules, type Note } from '../../../src/transcript/dialects/rules.ts';
import { dialectNamed, dialectNames } from '../../../src/transcript/dialects/table.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

describe('noteOfEntries', () => {
  it('speaks of places in the input', () => {
    const seen: number[] = [];
    const note: Note = (at) => seen.push(at);
    const entry = { message: {}, added: undefined, cutBy: undefined };
    const ofEntries = noteOfEntries(
      [
        { ...entry, at: 0 },
        { ...entry, at: 1, added: 1 },
        { ...entry, at: 1 },
      ],
      note,
    );
    for (const at of [0, 1, 2]) ofEntries(at, 'rule', 'what');
    expect(seen).toEqual([0, 1, 1]);
  });
});

/** A question and an answer, as each dialect writes them. */
function legalIn(name: string): readonly object[] {
  if (name === 'gemini') {
    return [
      { role: 'model', parts: [{ text: 'Hi.' }] },
      { role: 'user', parts: [{ text: 'Hello' }] },
    ];
  }
  if (name === 'openai-agents') {
    const content = [{ type: 'output_text', text: 'Hi.' }];
    return [
      { role: 'user', content: 'Hello' },
      { type: 'message', role: 'assistant', status: 'completed', content },
    ];
  }
  return [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi.' },
  ];
}

/** What every dialect owes, whatever its messages look like. */
describe.each(dialectNames)('the contract of %s', (name) => {
  const dialect = dialectNamed(name).rules as unknown as DialectRules<object>;
  const legal: readonly object[] = legalIn(name);
  const turn = {
    outcomes: [],
    partials: [],
    reason: createReason({ kind: 'user', at: 1 }),
    words: createWords(undefined),
    ids: 'normalise' as const,
  };

  it('hands back a legal transcript as it is, in a list of its own', () => {
    const notes: unknown[] = [];
    const { messages, submit } = dialect.settle(legal, { ...turn, note: (...one) => notes.push(one) });
    expect(messages).not.toBe(legal);
    expect(messages.map((message, i) => message === legal[i])).toEqual([true, true]);
    expect(submit).toBeUndefined();
    dialect.check(legal, (...one) => notes.push(one), 'normalise');
    expect(notes).toEqual([]);
  });

  it('adds a cut reply of plain text, once, and says so', () => {
    const rules: string[] = [];
    const partials = [{ modelCall: 3, value: 'Let me', reason: turn.reason }];
    const first = dialect.settle(legal, { ...turn, partials, note: (_at, rule) => rules.push(rule) });
    const second = dialect.settle(first.messages, { ...turn, partials, note: (_at, rule) => rules.push(rule) });
    expect(rules).toEqual(['partial-kept']);
    expect(second.messages).toEqual(first.messages);
    expect(JSON.stringify(first.messages[2])).toMatch(/Let me.*cut off/);
  });

  it('reads each message a fixed number of times: the cost is linear', () => {
    const reads = (size: number): number => {
      let count = 0;
      const counted = Array.from(
        { length: size },
        (_, i) =>
          new Proxy(legal[i % 2] as object, {
            get(target, key) {
              count += 1;
              return Reflect.get(target, key) as unknown;
            },
          }),
      );
      const partials = [{ modelCall: 1, value: 'not there', reason: turn.reason }];
      dialect.settle(counted, { ...turn, partials, note: () => undefined });
      dialect.check(counted, () => undefined, 'normalise');
      return count;
    };
    expect(reads(4_000) / reads(1_000)).toBeCloseTo(4, 1);
  });
});
