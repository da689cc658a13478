import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { agentScenarios } from '../../src/testing/agent-scenarios.ts';
import { describeAgent, type AgentHarness } from '../../src/testing/agent-suite.ts';
import { handMade } from './planted-agents.ts';

const fast = { settleMs: 200, watchMs: 30 };
const failures = async (harness: AgentHarness): Promise<string[]> =>
  (await describeAgent(harness, fast))
    .filter(({ status }) => status !== 'passed')
    .map((v) => `${v.scenario}: ${v.why}`);

describe('describeAgent', () => {
  it('describeAgent passes a loop that stops, scenario by scenario', async () => {
    const verdicts = await describeAgent(handMade('none'), fast);
    expect(verdicts.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(verdicts.map(({ scenario }) => scenario)).toEqual(Object.keys(agentScenarios));
    expect(verdicts[0]).toMatchObject({ agent: 'none', title: agentScenarios['S01']?.title, why: '' });
  });

  it('describeAgent names the callback that a scenario lacks', async () => {
    const { start } = handMade('none');
    const mute: AgentHarness = { name: 'mute', start: (given) => ({ ...start(given), interject: undefined }) };
    const [verdict] = await describeAgent(mute, { ...fast, only: ['S21'] });
    expect(verdict).toMatchObject({ status: 'notApplicable', why: 'the run has no interject()' });
  });

  it('describeAgent refuses what is no harness, and a scenario that is none', async () => {
    await expect(describeAgent({ name: 'none' } as never)).rejects.toThrow(TypeError);
    await expect(describeAgent(undefined as never)).rejects.toThrow('harness.start must be a function, got undefined');
    await expect(describeAgent(handMade('none'), { settleMs: -1 })).rejects.toThrow(/settleMs .*-1/);
    await expect(describeAgent(handMade('none'), { watchMs: Number.NaN })).rejects.toThrow(/watchMs .*NaN/);
    await expect(describeAgent(handMade('none'), { only: ['X99'] })).rejects.toThrow('there is no scenario X99');
  });
});

// What a person writes who meets such an agent for the first time. A test below counts the lines.
describe('an agent with a fault', () => {
  // begin: swallowed abort
  it('an agent that swallows the abort is found', async () => {
    const found = await failures(handMade('swallowed abort'));
    expect(found).toContain('S01: waited 200 ms until the run ends');
  });
  // end
  // begin: follow-up after the tools
  it('an agent that asks once more after its tools is found', async () => {
    const found = await failures(handMade('follow-up after the tools'));
    expect(found).toContain('S03: 1 model requests after the stop');
  });
  // end
  // begin: lost interjection
  it('an agent that loses a message is found', async () => {
    const found = await failures(handMade('lost interjection'));
    expect(found).toEqual(["S21: 'use pnpm (note 4711)' is in request 2 0 times"]);
  });
  // end

  it('the test of each fault is at most twenty lines', () => {
    const tests = readFileSync(import.meta.filename, 'utf8').split(/^ *\/\/ begin: .*$/m).slice(1); // prettier-ignore
    const lengths = tests.map(
      (text) =>
        text
          .split(/^ *\/\/ end$/m)[0]
          ?.trim()
          .split('\n').length ?? Infinity,
    );
    expect(lengths).toHaveLength(3);
    // The helper, the limits and the imports are lines of a user as well.
    expect(Math.max(...lengths) + 7).toBeLessThanOrEqual(20);
  });
});
