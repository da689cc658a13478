import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import type { DialectRules } from '../../../src/transcript/dialects/rules.ts';
import { dialectNamed, dialectNames } from '../../../src/transcript/dialects/table.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

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
    isOver: true,
    reason: createReason({ kind: 'user', at: 1 }),
    words: createWords(undefined),
    ids: 'normalise' as const,
  };

  it('hands back a legal transcript as it is, in a list of its own', () => {
    const { messages, submit } = dialect.settle(legal, turn);
    expect(messages).not.toBe(legal);
    expect(messages.map((message, i) => message === legal[i])).toEqual([true, true]);
    expect(submit).toBeUndefined();
    const notes: unknown[] = [];
    dialect.check(legal, (...one) => notes.push(one), 'normalise');
    expect(notes).toEqual([]);
  });

  it('says at the end of a reply of plain text that it was cut', () => {
    const said = dialect.repliesIn(name === 'ai-sdk' ? { role: 'assistant', content: 'Let me' } : 'Let me') ?? [];
    const cut = { by: turn.reason, isWhole: false };
    const { messages } = dialect.settle([dialect.opening, ...said], { ...turn, cut });
    expect(JSON.stringify(messages[1])).toMatch(/Let me.*cut off/);
    const whole = { ...turn, cut: { ...cut, isWhole: true } };
    expect(JSON.stringify(dialect.settle([dialect.opening, ...said], whole).messages)).not.toContain('cut off');
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
      dialect.settle(counted, { ...turn, outcomeOf: () => undefined });
      dialect.check(counted, () => undefined, 'normalise');
      return count;
    };
    expect(reads(4_000) / reads(1_000)).toBeCloseTo(4, 1);
  });
});
