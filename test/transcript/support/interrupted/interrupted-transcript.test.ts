import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { interruptedTranscript, type InterruptedTranscript } from './interrupted-transcript.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';
import { repair } from '../../../../src/transcript/index.ts';
import { forms } from '../conversations/forms.ts';

const marksOf = (value: unknown): readonly string[] => JSON.stringify(value).match(/call<\d+>/g) ?? [];

describe.each(forms)('interruptedTranscript(): $name', ({ dialect }) => {
  const sample = (numRuns = 300): readonly InterruptedTranscript<object>[] =>
    fc.sample(interruptedTranscript(dialect), { seed: 4, numRuns });

  it('an interrupted transcript has rows of calls that are open, of every kind', () => {
    const seen = { completed: 0, stopped: 0, failed: 0, nothing: 0 };
    for (const { messages, conversation, outcomes } of sample()) {
      const open = marksOf(messages).filter((mark) => !conversation.answered.has(mark.slice(5, -1)));
      expect(outcomes.length).toBeLessThanOrEqual(open.length);
      if (outcomes.length === 0) seen.nothing += 1;
      for (const { status } of outcomes) seen[status as 'completed'] += 1;
    }
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(20);
  });

  it('an interrupted transcript gives each row to the one call that asks for it, whatever its id', () => {
    for (const { messages, outcomes, outcomeOf } of sample(100)) {
      const asked = new Set<unknown>();
      const given: unknown[] = [];
      repair(messages, {
        dialect,
        outcomeOf: (call) => {
          const row = outcomeOf(call);
          if (row !== undefined && !asked.has(call)) given.push(row);
          asked.add(call);
          return row;
        },
      });
      expect(new Set(given).size).toBe(given.length);
      expect(given.length).toBe(outcomes.length);
    }
  });

  it('an interrupted transcript is the same for the same seed', () => {
    const [one, other] = [sample(30), sample(30)].map((all) => all.map(({ messages, conversation }) => [messages, conversation])); // prettier-ignore
    expect(other).toEqual(one);
    const rows = () => sample(30).map(({ outcomes }) => outcomes.map(({ id, status }) => [id, status]));
    expect(rows()).toEqual(rows());
  });
});

it('interruptedTranscript() finds a repair that asks nobody, and shows the row alone', () => {
  const law = fc.property(interruptedTranscript(openaiChat), ({ messages, outcomes }) => {
    const { messages: repaired } = repair(messages, { dialect: openaiChat });
    const done = outcomes.filter(({ status }) => status === 'completed');
    return done.every((row) => JSON.stringify(repaired).includes((row as { value: { mark: string } }).value.mark));
  });
  const { failed, counterexample } = fc.check(law, { seed: 1 });
  const [{ messages, outcomes }] = counterexample as [InterruptedTranscript<object>];
  expect([failed, messages.length, outcomes.length]).toEqual([true, 2, 1]);
});

it('interruptedTranscript() wants a dialect', () => {
  expect(() => interruptedTranscript(undefined as never)).toThrow(TypeError);
});
