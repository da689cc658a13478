import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { agentScenarios } from '../../src/testing/agent-scenarios.ts';
import { describeAgent, type AgentRun, type AgentStart } from '../../src/testing/agent-suite.ts';
import { handMade } from './planted-agents.ts';

/** What a fault makes of a good run. */
type Spoil = (run: AgentRun, start: AgentStart) => AgentRun;

/** The cancel of every run is that of the last one. */
function oneStopForAll(): Spoil {
  let last: AgentRun | undefined;
  return (run) => {
    last = run;
    return { ...run, cancel: () => last?.cancel?.() };
  };
}

/** Says that it is over, and lets the model speak on. */
const onlySaysSo: Spoil = (run) => {
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  return { ...run, done: Promise.race([run.done, stopped]), cancel: () => stop() };
};

const andThen =
  (act: (start: AgentStart) => unknown): Spoil =>
  (run, start) => ({ ...run, cancel: () => [run.cancel?.(), act(start)] });

const ask = ({ url }: AgentStart): Promise<unknown> =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'and?' }] }),
  }).then((response) => response.text());

const withHistory =
  (change: (history: readonly { role: string }[]) => unknown): Spoil =>
  (run) => ({ ...run, history: () => change(run.history?.() as { role: string }[]) });

describe('the scenarios of an agent', () => {
  it('each scenario has a number of the list, a sentence, and something that it needs', () => {
    const list = readFileSync('docs/design/scenarios.md', 'utf8');
    for (const [number, { title, needs }] of Object.entries(agentScenarios)) {
      expect(list).toContain(`- **${number}** `);
      expect(title).toMatch(/^[A-Z].* .*[^.]$/);
      expect(needs.length).toBeGreaterThan(0);
    }
  });

  it.each<[string, string, () => Spoil, string]>([
    [
      'S02',
      'that goes on with its batch',
      () => andThen(({ tools }) => tools['third']?.()),
      'started after the stop: third',
    ],
    ['S07', 'whose stops are one', oneStopForAll, 'waited 300 ms until the next run asks the model'],
    ['S15', 'that lets its request run on', () => onlySaysSo, 'waited 300 ms until the request is closed'],
    [
      'S17',
      'that leaves calls unanswered',
      () => withHistory((all) => all.filter(({ role }) => role !== 'tool')),
      'request 2 was answered with 400',
    ],
    ['S22', 'that sends the message after all', () => andThen(ask), '1 model requests after the stop'],
    ['S45', 'that forgets', () => withHistory(() => []), "'receipt 4711' is in request 2 0 times"],
  ])('%s finds an agent %s', async (scenario, _fault, fault, why) => {
    const good = handMade('none');
    const spoil = fault();
    const spoilt = { name: 'spoilt', start: (start: AgentStart) => spoil(good.start(start), start) };
    const limits = { settleMs: 200, watchMs: 50, reachMs: 300, only: [scenario] };
    expect(await describeAgent(spoilt, limits)).toMatchObject([{ status: 'failed', why }]);
    expect(await describeAgent(good, { ...limits, reachMs: 5_000 })).toMatchObject([{ status: 'passed' }]);
  });
});
