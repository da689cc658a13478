/** Conversations with the ids that servers really give, in every dialect, and with rows for some of their calls. */
import { test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';

import { interruptedTranscript } from '../transcript/support/interrupted/interrupted-transcript.ts';
import { repair } from '../../src/transcript/index.ts';
import { marksIn, oddRuns, settleAndVerify } from '../transcript/support/arbitraries.ts';
import { forms } from '../transcript/support/conversations/forms.ts';
import { answersIn, sights, type Json } from '../transcript/support/conversations/sights.ts';

describe.each(forms)('S17 ids of any kind: $name', ({ name, dialect }) => {
  test.prop([interruptedTranscript(dialect)], oddRuns)('every result stays with its call', (one) => {
    const { conversation, messages: history, outcomes, outcomeOf } = one;
    const { rounds, answered } = conversation;
    const settled = settleAndVerify(dialect, history, { outcomeOf });
    const answers = answersIn(sights[name]?.(settled as readonly Json[]) ?? []);
    for (const { replies } of rounds) {
      for (const { mark, isHalf } of replies.flatMap(({ calls }) => calls)) {
        const own = answers.get(mark);
        if (isHalf && own === undefined) continue;
        expect(own, `one answer to call<${mark}>`).toHaveLength(1);
        if (answered.has(mark)) expect(own?.[0]).toContain(`result<${mark}>`);
        else expect(own?.[0]).not.toContain('result<');
      }
    }
    const json = JSON.stringify(settled);
    for (const row of outcomes) {
      if (row.status === 'completed') expect(json, 'what completed is there').toContain((row.value as Json)['mark']);
    }
    const texts = marksIn(settled).filter((mark) => mark.startsWith('text<'));
    expect(texts, 'in its order').toEqual(marksIn(history).filter((mark) => mark.startsWith('text<')));

    const { messages, changes } = repair(history, { dialect, outcomeOf } as never);
    const named = new Set(changes.map(({ at }) => at));
    const kept = new Set<unknown>(messages);
    const silent = history.flatMap((one, at) => (kept.has(one) || named.has(at) ? [] : [at]));
    expect(silent, 'a change for every message that is not as it was').toEqual([]);
  });
});
