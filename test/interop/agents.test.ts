/** Who passes what: the demo and the frameworks, as they come and with this package. The page shows what was found here. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { columnOf, faultsOf, placeBetween, readColumn, tableOf, type AgentColumn } from '../../scripts/agents-table.ts';
import { doorPages } from '../../scripts/which-door.ts';
import { describeAgent, type AgentHarness, type AgentVerdict } from '../../src/testing/index.ts';
import { itBare, playsBare } from '../support/bare.ts';
import { limitMs } from '../support/limit.ts';
import { majors } from './majors.ts';
import { agUiAgents } from './support/agents/ag-ui.ts';
import { aiSdkAgents } from './support/agents/ai-sdk.ts';
import { claudeAgents } from './support/agents/claude-agent.ts';
import { demo } from './support/agents/demo.ts';
import { langgraphAgents } from './support/agents/langgraph.ts';
import { mastraAgents } from './support/agents/mastra.ts';
import { openaiAgentsAgents } from './support/agents/openai-agents.ts';
import { piAgents } from './support/agents/pi.ts';

const page = 'docs/agents.md';
const text = readFileSync(page, 'utf8');
const [newest] = majors;
const frameworks = [aiSdkAgents, openaiAgentsAgents, langgraphAgents, mastraAgents];
const pairs = [
  ...(await Promise.all(frameworks.map((make) => make(newest!)))),
  piAgents,
  await claudeAgents(newest!),
  await agUiAgents(newest!),
];
const limits = { settleMs: limitMs(1_000), watchMs: 50, reachMs: limitMs(4_000) };

/** What no guard can change, because it is the framework's own doing. */
const ofTheFramework: Readonly<Record<string, readonly string[]>> = {
  '@openai/agents': ['S41'],
  // Its executable has words of its own for a call that was stopped.
  'claude-agent-sdk': ['S19'],
  // A stop has to travel to the server.
  '@ag-ui/client': ['S02', 'S03', 'S04'],
};

describe('agent loops', () => {
  const columns: AgentColumn[] = [];
  let scenarios: readonly AgentVerdict[] = [];
  const failed = (verdicts: readonly AgentVerdict[]): string[] =>
    verdicts.filter(({ status }) => status === 'failed').map(({ scenario, why }) => `${scenario}: ${why}`);
  const play = async (harness: AgentHarness, unfit: readonly string[] = []): Promise<AgentVerdict[]> => {
    const played = await describeAgent(harness, limits);
    const verdicts = played.map((verdict) =>
      unfit.includes(verdict.scenario) ? { ...verdict, status: 'notApplicable' as const, why: '' } : verdict,
    );
    columns.push(columnOf(verdicts));
    scenarios = verdicts;
    return verdicts;
  };

  it('the demo passes every scenario that applies', async () => {
    expect(failed(await play(demo))).toEqual([]);
  });

  describe.each(pairs)('$name', ({ name, bare, guarded, unfit = [], unfitAlone = [], close }) => {
    afterAll(() => close?.());

    itBare('alone fails where its own loop has gaps', async () => {
      expect(failed(await play(bare, [...unfit, ...unfitAlone])).length).toBeGreaterThan(4);
    });

    it('with guards fails nothing but what the framework does by itself', async () => {
      // What it does alone stands on the page, if it was not played.
      if (!playsBare) columns.push(readColumn(text, bare.name));
      const own = ofTheFramework[name.split(' ')[0] ?? ''] ?? [];
      expect(failed(await play(guarded, unfit)).map((line) => line.slice(0, 3))).toEqual(own);
    });
  });

  it('the page shows what was found', () => {
    expect(columns).toHaveLength(1 + 2 * pairs.length);
    const table = placeBetween(text, 'agents', tableOf(scenarios, columns));
    const updated = placeBetween(table, 'faults', faultsOf(columns));
    if (process.env['UPDATE_AGENTS'] !== undefined) {
      writeFileSync(page, updated);
      for (const [path, table] of doorPages(updated))
        writeFileSync(path, placeBetween(readFileSync(path, 'utf8'), 'doors', table));
    } else expect(text).toBe(updated);
  });
});
