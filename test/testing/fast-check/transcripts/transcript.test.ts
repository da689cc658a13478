import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { transcript } from '../../../../src/testing/fast-check/index.ts';
import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { checkTranscript, dialectNamed, repair } from '../../../../src/transcript/index.ts';
import { dialectForms, forms } from '../../../transcript/support/conversations/forms.ts';

const plain = { ids: ['unique'], results: ['all'], tools: ['read'], cut: false, maxReplies: 1 } as const;

describe.each(forms)('transcript(): $name', ({ dialect }) => {
  it('a transcript is legal where nothing odd is drawn', () => {
    const law = fc.property(transcript(dialect, plain), (messages) => {
      expect(dialect.check(messages)).toEqual([]);
    });
    fc.assert(law, { numRuns: 50 });
  });

  it('a transcript is mostly refused as it is, and legal once it is repaired', () => {
    let refused = 0;
    const law = fc.property(transcript(dialect), (cut) => {
      if (dialect.check(cut).length > 0) refused += 1;
      const messages = repair(cut, { dialect }).messages as object[];
      expect(dialect.check(messages)).toEqual([]);
      expect(repair(messages, { dialect }).changes).toEqual([]);
    });
    fc.assert(law, { numRuns: 100 });
    expect(refused).toBeGreaterThan(20);
  });

  it('a transcript is the same for a name as for the dialect, and for the same seed', () => {
    const of = (given: never): unknown => fc.sample(transcript(given), { seed: 3, numRuns: 20 });
    expect(of(dialect.name as never)).toEqual(of(dialect as never));
  });
});

it('transcript() finds a repair that forgets a result', () => {
  const law = fc.property(transcript(anthropic, { cut: false }), (cut) => {
    const forgetful = cut.filter(({ content }) => !JSON.stringify(content).includes('tool_result'));
    return checkTranscript(forgetful, { dialect: anthropic }).length === 0;
  });
  const { failed, counterexample } = fc.check(law, { seed: 1 });
  expect([failed, counterexample?.[0].length]).toEqual([true, 3]);
});

it('transcript() writes one conversation in every dialect, with the same marks', () => {
  const marks = (value: unknown): unknown => JSON.stringify(value).match(/(?:text|call|result)<\d+>/g);
  const drawn = { seed: 5, numRuns: 1 };
  const all = dialectForms.map(({ dialect }) =>
    marks(fc.sample(transcript(dialect, { ...plain, maxCalls: 4 }), drawn)),
  );
  expect(new Set(all.map((found) => JSON.stringify(found))).size).toBe(1);
});

it.each([
  ['claude', 'dialect must be a dialect or the name of one, got "claude"'],
  ['constructor', 'dialect must be a dialect or the name of one, got "constructor"'],
  [undefined, 'dialect must be a dialect or the name of one, got undefined'],
  [{}, 'dialect must be a dialect or the name of one, got {}'],
])('transcript() refuses %o', (dialect, words) => {
  expect(() => transcript(dialect as never)).toThrow(new TypeError(words));
});

it('transcript() refuses constraints that are none before the first run', () => {
  expect(() => transcript(dialectNamed('ollama'), { ids: [] })).toThrow('ids must name at least one');
});
