import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { interruptedTranscript, type InterruptedTranscript } from '../../../../src/testing/fast-check/index.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';
import { settleTranscript } from '../../../../src/transcript/index.ts';
import { forms } from '../../../transcript/support/conversations/forms.ts';

const marksOf = (value: unknown): readonly string[] => JSON.stringify(value).match(/call<\d+>/g) ?? [];

describe.each(forms)('interruptedTranscript(): $name', ({ dialect, form }) => {
  const sample = (numRuns = 300): readonly InterruptedTranscript<object>[] =>
    fc.sample(interruptedTranscript(dialect, { form }), { seed: 4, numRuns });

  it('an interrupted transcript has rows of calls that are open, a reply that was cut or is whole, and a paid call, each now and then', () => {
    const seen = { rows: 0, paid: 0, cut: 0, whole: 0, nothing: 0 };
    for (const { messages, conversation, turn } of sample()) {
      const own = turn.outcomes.filter(({ id }) => id !== 'nowhere');
      const open = marksOf(messages).filter((mark) => !conversation.answered.has(mark.slice(5, -1)));
      expect(own.length).toBeLessThanOrEqual(open.length);
      seen.rows += own.length;
      seen.paid += turn.outcomes.length - own.length;
      const [partial] = turn.partials;
      if (partial === undefined) seen.nothing += 1;
      else if ((partial.value as { isComplete: boolean }).isComplete) seen.whole += 1;
      else seen.cut += 1;
    }
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(20);
  });

  it('an interrupted transcript is the same for the same seed', () => {
    const [one, other] = [sample(30), sample(30)].map((all) => all.map(({ messages, conversation }) => [messages, conversation])); // prettier-ignore
    expect(other).toEqual(one);
    expect(sample(30).map(({ turn }) => turn.outcomes.map(({ id, status }) => [id, status]))).toEqual(
      sample(30).map(({ turn }) => turn.outcomes.map(({ id, status }) => [id, status])),
    );
  });
});

it('interruptedTranscript() finds a repair that reads no ledger, and shows the row alone', () => {
  const law = fc.property(interruptedTranscript(openaiChat), ({ messages, turn }) => {
    const { messages: settled } = settleTranscript(messages, { dialect: openaiChat, partials: turn.partials });
    return turn.outcomes.every(({ id }) => id !== 'nowhere') || JSON.stringify(settled).includes('row<paid>');
  });
  const { failed, counterexample } = fc.check(law, { seed: 1 });
  const [{ messages, turn }] = counterexample as [InterruptedTranscript<object>];
  expect([failed, messages.length, turn.outcomes.length, turn.partials.length]).toEqual([true, 2, 1, 0]);
});

it('interruptedTranscript() wants a dialect, and not its name', () => {
  expect(() => interruptedTranscript('gemini' as never)).toThrow(
    new TypeError('dialect must be a dialect, got the name gemini'),
  );
  expect(() => interruptedTranscript(undefined as never)).toThrow(TypeError);
});
