/**
 * The acceptance scenarios that any agent loop can be put through, whoever wrote it: each is a script for the model, the
 * tools, and what has to be so afterwards. The numbers are those of the list of scenarios.
 *
 * @module
 */
import type { AgentRun, AgentStage } from './agent-suite.ts';

/** What a run must offer for a scenario to make sense. */
export type AgentNeed = 'cancel' | 'interject' | 'history';

/** One scenario; `play` rejects with what went wrong. */
export interface AgentScenario {
  readonly title: string;
  readonly needs: readonly AgentNeed[];
  readonly play: (stage: AgentStage) => Promise<void>;
}

const calls = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name, input: {} })) });
const note = 'use pnpm (note 4711)';
const receipt = 'receipt 4711';

/** Starts a run whose tool `slow` waits for the scenario, and gives it out once the tool runs. */
async function inSlowTool(stage: AgentStage, first = calls('slow')): Promise<AgentRun> {
  await stage.script([first, 'All done.', 'And more.']);
  const run = stage.start('go');
  await stage.until('the tool starts', () => stage.started.includes('slow'));
  return run;
}

export const agentScenarios: Readonly<Record<string, AgentScenario>> = {
  S01: {
    title: 'A tool that never settles does not hold up a stop',
    needs: ['cancel'],
    async play(stage) {
      await stage.stop(await inSlowTool(stage));
      await stage.nothingStarts();
    },
  },
  S02: {
    title: 'Nothing starts after the stop, not even the rest of a batch',
    needs: ['cancel'],
    async play(stage) {
      await stage.script([calls('first', 'second', 'third'), 'too many']);
      let stopped: Promise<void> | undefined;
      let isAsked = false;
      stage.onTool(() => {
        // Asked before it is called: a bad agent starts a tool in its very cancel.
        if (!isAsked) {
          isAsked = true;
          stopped = stage.stop(run);
        }
        return 'done';
      });
      const run = stage.start('go');
      await stage.until('a tool starts', () => stopped !== undefined);
      await stopped;
      await stage.nothingStarts();
    },
  },
  S03: {
    title: 'A tool that succeeds after the stop leads to no further request',
    needs: ['cancel'],
    async play(stage) {
      const run = await inSlowTool(stage);
      const stopped = stage.stop(run);
      stage.finish('it worked');
      await stopped;
      await stage.nothingStarts();
    },
  },
  S07: {
    title: 'A stop that comes late, or again, does not touch the next run',
    needs: ['cancel'],
    async play(stage) {
      const first = await inSlowTool(stage);
      await stage.stop(first);
      first.cancel?.();
      const second = stage.start('again');
      first.cancel?.();
      await stage.until('the next run asks the model', () => stage.bodies().length === 2);
      await stage.ends(second);
    },
  },
  S15: {
    title: 'A stop closes the request that is being answered',
    needs: ['cancel'],
    async play(stage) {
      await stage.script([{ text: 'one two three four', silentAfter: 2 }, 'too many']);
      const run = stage.start('go');
      await stage.until('two words have come', () => stage.wordsSent() === 2);
      await stage.stop(run);
      await stage.until('the request is closed', () => stage.isCut());
      await stage.nothingStarts();
    },
  },
  S17: {
    title: 'The provider accepts the history of a run that was stopped',
    needs: ['cancel', 'history'],
    async play(stage) {
      const run = await inSlowTool(stage, calls('slow', 'other'));
      await stage.stop(run);
      await stage.ends(stage.start('again', run.history?.()));
      stage.isAccepted(2);
    },
  },
  S21: {
    title: 'A message is told once, in the next request',
    needs: ['interject'],
    async play(stage) {
      const run = await inSlowTool(stage);
      run.interject?.(note);
      stage.finish('ok');
      await stage.ends(run);
      stage.isTold(note, 2, 1);
    },
  },
  S22: {
    title: 'A stop wins over a message that waits',
    needs: ['cancel', 'interject'],
    async play(stage) {
      const run = await inSlowTool(stage);
      run.interject?.(note);
      await stage.stop(run);
      await stage.nothingStarts();
    },
  },
  S45: {
    title: 'The next request knows what was completed before the stop',
    needs: ['cancel', 'history'],
    async play(stage) {
      stage.onTool((name) => (name === 'pay' ? receipt : undefined));
      const run = await inSlowTool(stage, calls('pay', 'slow'));
      await stage.stop(run);
      await stage.ends(stage.start('again', run.history?.()));
      stage.isTold(receipt, 2, 1);
    },
  },
};
