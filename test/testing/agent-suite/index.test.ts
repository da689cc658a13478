import { expect, it } from 'vitest';
import { agentScenarios } from '../../../src/testing/agent-suite/scenarios/index.ts';
import { describeAgent, type AgentHarness } from '../../../src/testing/index.ts';
import { goodAgent } from '../../support/agents/own-loop.ts';
import { limits } from '../../support/agents/spoilt.ts';

it('describeAgent passes a loop that does everything right, scenario by scenario', { timeout: 60_000 }, async () => {
  const verdicts = await describeAgent(goodAgent(), { ...limits, settleMs: 2_000, reachMs: 5_000 });
  expect(verdicts.filter(({ status }) => status === 'failed')).toEqual([]);
  expect(verdicts.map(({ scenario }) => scenario)).toEqual(Object.keys(agentScenarios));
  expect(verdicts[0]).toMatchObject({ agent: 'own loop', title: agentScenarios['S01']?.title, why: '', missing: [] });
  // A conversation that the provider holds, and a second protocol, are not what this loop is about.
  const absent = verdicts.filter(({ status }) => status === 'notApplicable').map(({ scenario }) => scenario);
  expect(absent).toEqual(['S20', 'S46']);
});

it('describeAgent names the callback that a scenario lacks', async () => {
  const good = goodAgent();
  const mute: AgentHarness = {
    ...good,
    name: 'mute',
    start: (given) => ({ ...good.start(given), interject: undefined, stillRunning: undefined }),
  };
  const [one, message] = await describeAgent(mute, { ...limits, only: ['S01', 'S21'] });
  expect(one).toMatchObject({ status: 'passed', missing: ['stillRunning()'] });
  expect(message).toMatchObject({ agent: 'mute', status: 'notApplicable', why: 'the run has no interject()' });
});

it('describeAgent says that a scenario does not apply where the run of a sub-agent lacks a callback', async () => {
  const good = goodAgent();
  const mute: AgentHarness = {
    ...good,
    name: 'mute',
    startUnder: (...given) => ({ ...good.startUnder!(...given), cancel: undefined, stillRunning: undefined }),
  };
  const verdicts = await describeAgent(mute, { ...limits, only: ['S04', 'S05', 'S38'] });
  expect(verdicts.map(({ status, why }) => [status, why])).toEqual(
    Array(3).fill(['notApplicable', 'the run has no cancel()']),
  );
});

it('describeAgent takes what goes wrong in the start of a sub-agent for a verdict', async () => {
  const broken: AgentHarness = {
    ...goodAgent(),
    startUnder: () => {
      throw new Error('no sub-agent');
    },
  };
  const [verdict] = await describeAgent(broken, { ...limits, only: ['S05'] });
  expect(verdict?.why).toBe('the sub-agent stops, and the parent ends or goes on once – no sub-agent');
});

it('describeAgent takes what goes wrong in a callback for a verdict', async () => {
  const broken: AgentHarness = {
    name: 'broken',
    start: () => {
      throw new Error('no model');
    },
  };
  const [verdict] = await describeAgent(broken, { ...limits, only: ['S37'] });
  expect(verdict?.why).toBe('a tool that fails leaves none beside it running – no model');
});

it('describeAgent refuses what is no harness, and a scenario that is none', async () => {
  await expect(describeAgent(undefined as never)).rejects.toThrow(TypeError);
  await expect(describeAgent(goodAgent(), { settleMs: -1 })).rejects.toThrow(/settleMs .*-1/);
  await expect(describeAgent(goodAgent(), { only: ['X99'] })).rejects.toThrow('there is no scenario X99');
});

it('describeAgent does not judge the stream of an agent that asks for none', async () => {
  const plain: AgentHarness = {
    name: 'plain',
    start({ url, prompt }) {
      const stop = new AbortController();
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: prompt }] });
      const ask = async (): Promise<unknown> =>
        (await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, signal: stop.signal })).json();
      return { done: ask(), cancel: () => stop.abort(), interject: () => undefined, undelivered: () => [] };
    },
  };
  const verdicts = await describeAgent(plain, { ...limits, only: ['S15', 'S06', 'S21', 'S39'] });
  expect(verdicts[0]).toMatchObject({ status: 'notApplicable' });
  for (const { why, missing } of verdicts) {
    expect([why, ...missing].join()).toContain('the agent asks for no stream');
    expect(why).not.toContain('two words');
  }
});
