/**
 * Puts an agent loop that anybody wrote through the scenarios of a stop, against a scripted model.
 *
 * Prior art: unstorage's driver suite; conformance suites of protocols, whose result is a table.
 *
 * @module
 */
import {
  checkHarness,
  readLimits,
  type AgentHarness,
  type AgentLimits,
  type AgentVerdict,
  type DescribeAgentOptions,
} from './harness.ts';
import { agentScenarios, type AgentScenario, type ScenarioPart } from './scenarios/index.ts';
import { AgentStage, NotApplicable } from './stage.ts';

export type {
  AgentCall,
  AgentDelivery,
  AgentHarness,
  AgentProgram,
  AgentProgramStart,
  AgentRun,
  AgentStart,
  AgentTool,
  AgentVerdict,
  AgentWish,
  DescribeAgentOptions,
} from './harness.ts';

/** What one part came to: nothing if it passed. */
interface PartResult {
  readonly error?: unknown;
  readonly missing: Iterable<string>;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function playPart(harness: AgentHarness, part: ScenarioPart, limits: AgentLimits): Promise<PartResult> {
  let stage: AgentStage | undefined;
  try {
    stage = new AgentStage(harness, part.needs, limits);
    await part.play(stage);
    stage.throwFault();
    return { missing: stage.missing };
  } catch (error) {
    return { error, missing: stage?.missing ?? [] };
  } finally {
    await stage?.release();
  }
}

async function playScenario(
  harness: AgentHarness,
  { parts }: AgentScenario,
  limits: AgentLimits,
): Promise<Pick<AgentVerdict, 'status' | 'why' | 'missing'>> {
  const faults: string[] = [];
  const absent = new Set<string>();
  const missing = new Set<string>();
  let passed = 0;
  for (const [law, part] of Object.entries(parts)) {
    const { error, missing: more } = await playPart(harness, part, limits);
    for (const callback of more) missing.add(callback);
    if (error === undefined) passed++;
    else if (error instanceof NotApplicable) absent.add(error.message);
    else faults.push(`${law} – ${wordsOf(error)}`);
  }
  if (faults.length > 0) return { status: 'failed', why: faults.join('; '), missing: [...missing, ...absent] };
  if (passed > 0) return { status: 'passed', why: '', missing: [...missing, ...absent] };
  return { status: 'notApplicable', why: [...absent].join('; '), missing: [...missing] };
}

/**
 * Plays the scenarios with an agent, one after the other, and says what each came to. What is judged is what the scripted
 * model, the tools, the operating system and the clock have seen; what the agent says is only ever compared with that. A
 * failure is a verdict, not an error: write one assertion over the list, or one test for each.
 *
 * @checkpoint never
 * @cleanup Each part of a scenario has a server of its own, which is closed; its deaf tools end with it.
 * @param harness The agent, and how a run of it is started.
 * @param options Limits, and which scenarios.
 * @returns One verdict per scenario.
 * @throws TypeError – the harness is none. RangeError – `only` names no scenario, or a limit is none. As a rejection.
 * @example An agent that calls no model
 * ```ts
 * import { describeAgent } from 'desist/testing'
 *
 * const idle = { name: 'idle', start: () => ({ done: Promise.resolve() }) }
 * const [verdict] = await describeAgent(idle, { only: ['S03'] })
 * verdict?.why // => 'the run has no cancel()'
 * ```
 * @source unstorage's driver suite
 * @since 0.1.0
 */
export async function describeAgent(
  harness: AgentHarness,
  options: DescribeAgentOptions = {},
): Promise<AgentVerdict[]> {
  checkHarness(harness);
  const limits = readLimits(options);
  const scenarios = (options.only ?? Object.keys(agentScenarios)).map((number): [string, AgentScenario] => {
    const scenario = agentScenarios[number];
    if (scenario === undefined) throw new RangeError(`options.only: there is no scenario ${number}`);
    return [number, scenario];
  });
  const verdicts: AgentVerdict[] = [];
  for (const [number, scenario] of scenarios) {
    const result = await playScenario(harness, scenario, limits);
    verdicts.push({ agent: harness.name, scenario: number, title: scenario.title, ...result });
  }
  return verdicts;
}
