/**
 * Every scenario of a stop and of a message, in every way in which a framework runs a model: LangChain's real chat models
 * in each of their shapes, the loops of the AI SDK with three providers, of OpenAI Agents and of Mastra; whole and
 * streamed. Each cell ends with what the stop left: the rows of model calls, the words that had come, no request after it,
 * and a next request that the provider takes. The older majors are in `framework-*.test.ts`.
 */
import { describe, expect, it } from 'vitest';
import { majors, type Major } from './majors.ts';
import type { Scenario } from './support/matrix/cell.ts';
import { langchainWays } from './support/matrix/langchain-ways.ts';
import { loopWays } from './support/matrix/loop-ways.ts';
import { messageScenarios } from './support/matrix/message-scenarios.ts';
import { modelScenarios } from './support/matrix/model-scenarios.ts';
import { toolScenarios } from './support/matrix/tool-scenarios.ts';
import type { Way } from './support/matrix/way.ts';

const [newest] = majors as readonly [Major, Major];
const ways = [...(await langchainWays(newest)), ...(await loopWays(newest))];
const scenarios = [...toolScenarios, ...modelScenarios, ...messageScenarios];

/** So many at once: they wait for their servers more than they compute. */
const LANES = 6;

/** Why a scenario is not played in a way; `undefined` if it is. */
const leftOut = ({ hasTools }: Scenario, { noTools }: Way): string | undefined => (hasTools ? noTools : undefined);

async function faultsOf(scenario: Scenario): Promise<string[]> {
  const faults: string[] = [];
  const waiting = ways.filter((way) => leftOut(scenario, way) === undefined);
  const lane = async (): Promise<void> => {
    for (let way = waiting.shift(); way !== undefined; way = waiting.shift()) {
      try {
        await scenario.play(way);
      } catch (error) {
        faults.push(`${way.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return faults;
}

describe('every way to run a model', () => {
  it.each(scenarios)('$title', async (scenario) => {
    expect(await faultsOf(scenario)).toEqual([]);
  });

  it('is in the table, and left out of it for a reason', () => {
    const reasons = scenarios.flatMap((scenario) => ways.map((way) => leftOut(scenario, way)));
    const played = reasons.filter((reason) => reason === undefined).length;
    expect({ ways: ways.length, scenarios: scenarios.length, played }).toMatchInlineSnapshot(`
      {
        "played": 874,
        "scenarios": 28,
        "ways": 37,
      }
    `);
    expect([...new Set(reasons)]).toEqual([undefined, 'one object is asked for, and no tool']);
  });
});
