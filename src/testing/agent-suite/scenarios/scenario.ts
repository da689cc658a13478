/**
 * What a scenario is, and the beginnings that many of them share.
 *
 * @module
 */
import type { ModelAnswer } from '../../model-server/index.ts';
import type { AgentRun } from '../harness.ts';
import type { AgentNeed, AgentStage, StageStart } from '../stage.ts';

/** One law of a scenario; `play` rejects with what was so instead. */
export interface ScenarioPart {
  readonly needs: readonly AgentNeed[];
  readonly play: (stage: AgentStage) => Promise<void>;
}

/** One number of the list of scenarios. */
export interface AgentScenario {
  readonly title: string;
  /** By what has to be so. */
  readonly parts: Readonly<Record<string, ScenarioPart>>;
}

export type AgentScenarios = Readonly<Record<string, AgentScenario>>;

export function scenario(title: string, parts: AgentScenario['parts']): AgentScenario {
  return { title, parts };
}

export function law(needs: ScenarioPart['needs'], play: ScenarioPart['play']): ScenarioPart {
  return { needs, play };
}

/** A message that a person types, and what a tool gives out: found in a request wherever they stand in it. */
export const note = 'use pnpm (note 4711)';
export const receipt = 'receipt 4711';

/** A reply that asks for these tools, in this order. */
export function callsOf(...tools: string[]): ModelAnswer {
  return { toolCalls: tools.map((name) => ({ name, input: {} })) };
}

/** A stream that goes silent after two words. */
export const twoWords: ModelAnswer = { text: 'one two three four', silentAfter: 2 };

/** Starts a run whose tool `slow` waits for the scenario, and gives it out once the tool runs. */
export async function inSlowTool(
  stage: AgentStage,
  first: ModelAnswer = callsOf('slow'),
  given: StageStart = {},
): Promise<AgentRun> {
  await stage.script([first, 'All done.', 'And more.', 'Still more.']);
  const run = stage.start('go', given);
  await stage.starts('slow');
  return run;
}

/** Starts a run whose model has said two words. */
export async function inTwoWords(stage: AgentStage): Promise<AgentRun> {
  await stage.script([twoWords, 'Went on.', 'too many']);
  const run = stage.start('go');
  await stage.hasTwoWords();
  return run;
}

/** Fails unless two values are the same as JSON. */
export function same(what: string, got: unknown, wanted: unknown): void {
  const [is, should] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (is !== should) throw new Error(`${what}: ${is}, and not ${should}`);
}

/** Fails with these words unless it is so. */
export function check(isSo: boolean, words: string): void {
  if (!isSo) throw new Error(words);
}
