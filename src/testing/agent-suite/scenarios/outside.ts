/**
 * S43 and S44: what is not in the hands of the loop itself, a death of its program, and a framework that makes its model anew.
 *
 * @module
 */
import process from 'node:process';

import { pause } from '../../waiting.ts';
import type { AgentRun } from '../harness.ts';
import { HostileCommands } from '../hostile-commands.ts';
import { NotApplicable, type AgentStage } from '../stage.ts';
import { type AgentScenarios, callsOf, check, law, note, same, scenario, twoWords } from './scenario.ts';

/** How long a program may take until all its commands run. */
const START_MS = 40_000;

/** How long the commands of a program that was killed may live. */
const AFTER_DEATH_MS = 1_000;

/** Starts a run with the model made anew, which has said two words. */
async function inRebuiltModel(stage: AgentStage): Promise<AgentRun> {
  await stage.script([twoWords, 'Went on.', 'too many']);
  const run = stage.startRebuilt('go');
  await stage.hasTwoWords();
  await stage.pauseToRead();
  return run;
}

export const outside: AgentScenarios = {
  S43: scenario('The commands of a program that is killed do not live on', {
    'four hostile commands are gone a second after a SIGKILL': law(['startProgram'], async (stage) => {
      if (process.platform === 'win32') throw new NotApplicable('the commands are for sh');
      const commands = new HostileCommands();
      let pid: number | undefined;
      const kill = (): void => {
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
        pid = undefined;
      };
      try {
        await stage.script([callsOf(...Object.keys(commands.lines)), 'too many']);
        pid = stage.startProgram('go', commands.lines);
        await stage.until('all commands run', () => commands.areUp, START_MS);
        await pause(stage.watchMs);
        kill();
        await pause(AFTER_DEATH_MS);
        same('commands that live on', await commands.alive(), []);
      } finally {
        kill();
        await commands.release();
      }
    }),
  }),
  S44: scenario('A model that its framework makes anew is still under the stop', {
    'a stop in its answer closes the request, and the run is not completed': law(
      ['cancel', 'startRebuilt'],
      async (stage) => {
        const run = await inRebuiltModel(stage);
        await stage.stop(run);
        await stage.soon('the request is closed', () => stage.requests[0]?.closedEarly === true);
        await stage.nothingStarts();
        if (stage.can(run, 'status')) check(run.status?.() !== 'completed', 'the run is said to be completed');
      },
    ),
    'the words that had come are in the next request': law(['cancel', 'history', 'startRebuilt'], async (stage) => {
      const run = await inRebuiltModel(stage);
      await stage.stop(run);
      await stage.ends(stage.start('again', { history: run.history?.() }));
      stage.isAccepted(2);
      stage.isTold('one two', 2);
    }),
    'it is given up when it falls silent': law(['idleMs', 'startRebuilt'], async (stage) => {
      await stage.script([twoWords, 'Went on.']);
      await stage.ends(stage.startRebuilt('go', { idleMs: stage.idleMs }));
      await stage.soon('the request is closed', () => stage.requests[0]?.closedEarly === true);
    }),
    'it is told a message, once': law(['interject', 'startRebuilt'], async (stage) => {
      await stage.script([callsOf('slow'), 'All done.', 'And more.']);
      const run = stage.startRebuilt('go');
      await stage.starts('slow');
      run.interject?.(note);
      stage.bench.finish('ok');
      await stage.ends(run);
      stage.isTold(note, 2);
    }),
  }),
};
