/** What a person writes who meets an agent with a fault for the first time; the guide shows these tests. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { raceScheduler } from '../../src/testing/fast-check/index.ts';
import { cancelAtEvery, describeAgent } from '../../src/testing/index.ts';
import { handMade } from '../support/agents/hand-made.ts';
import { lateMailbox, swallowing } from '../support/agents/planted-parts.ts';

const limits = { settleMs: 300, watchMs: 30 };

// begin: swallowed abort
it('an agent that swallows the abort is found', async () => {
  const [verdict] = await describeAgent(handMade('swallowed abort'), { ...limits, only: ['S01'] });
  expect(verdict?.why).toBe(
    'the run ends, the deaf tool is left behind – waited 300 ms until the run ends; model requests: 1, tools started: slow, still running: slow',
  );
});
// end
// begin: swallowed abort, at its step
it('the place where an abort is swallowed is found', async () => {
  const found = cancelAtEvery(({ signal }) => swallowing(signal), { check: () => undefined });
  await expect(found).rejects.toMatchObject({ message: expect.stringContaining('swallowed'), replay: 'cut@0' });
});
// end
// begin: follow-up after the tools
it('an agent that asks once more after its tools is found', async () => {
  const [verdict] = await describeAgent(handMade('follow-up after the tools'), { ...limits, only: ['S03'] });
  expect(verdict?.why).toBe('the model is not asked again – 1 model requests after the stop');
});
// end
// begin: lost interjection
it('an agent that loses a message is found', async () => {
  const [verdict] = await describeAgent(handMade('lost interjection'), { ...limits, only: ['S21'] });
  expect(verdict?.why).toContain("'use pnpm (note 4711)' is in request 2 0 times");
});
// end
// begin: lost interjection, in some orders
it('the order in which a message is lost is found', async () => {
  const law = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    const { act, gate, settle } = raceScheduler(scheduler);
    const { send, run } = lateMailbox(() => gate('the model answers'));
    let isTaken = false as boolean;
    act('a message', () => {
      isTaken = send('use pnpm');
    });
    const result = await settle(run());
    return !isTaken || (result.status === 'fulfilled' && result.value.includes('use pnpm'));
  });
  const { failed, counterexample } = await fc.check(law);
  expect([failed, fc.stringify(counterexample)]).toEqual([true, expect.stringContaining('a message')]);
});
// end

it('the test of each fault is at most twenty lines', () => {
  const source = readFileSync(import.meta.filename, 'utf8');
  const tests = source.split(/^\/\/ begin: .*$/m).slice(1);
  const lengths = tests.map(
    (text) =>
      text
        .split(/^\/\/ end$/m)[0]
        ?.trim()
        .split('\n').length ?? Infinity,
  );
  expect(lengths).toHaveLength(5);
  // The imports are lines of a user as well.
  expect(Math.max(...lengths) + 4).toBeLessThanOrEqual(20);
});
