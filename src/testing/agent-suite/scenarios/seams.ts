/**
 * S37, S38, S40 to S42 and S47: whether a run leaves something behind, says too much, or is too late.
 *
 * @module
 */
import { setInterval } from 'node:timers';
import process from 'node:process';

import { pause } from '../../waiting.ts';
import { listening } from '../tool-bench.ts';
import { type AgentScenarios, callsOf, check, law, same, scenario, twoWords } from './scenario.ts';

const never = new Promise<string>(() => undefined);

/** Longer than this the event loop must not be blocked by a stop. */
const BLOCKED_MS = 50;

/** What a stop of many calls is judged by at best: a machine that is busy just then makes any agent look slow. */
const ATTEMPTS = 3;

interface CpuUsage {
  readonly user: number;
  readonly system: number;
}

/** What this thread has computed, where the runtime knows; else, with those that collect its garbage, the process. */
function cpuUsage(): CpuUsage {
  return (process as { threadCpuUsage?: () => CpuUsage }).threadCpuUsage?.() ?? process.cpuUsage();
}

/** The longest time for which this process has kept its event loop to itself: a busy machine is not its fault. */
function watchLoop(): { readonly longest: () => number; readonly end: () => void } {
  let longest = 0;
  let at = performance.now();
  let cpu = cpuUsage();
  const timer = setInterval(() => {
    const now = performance.now();
    const { user, system } = cpuUsage();
    longest = Math.max(longest, Math.min(now - at, (user + system - cpu.user - cpu.system) / 1_000));
    at = now;
    cpu = { user, system };
  }, 1);
  return {
    longest: () => longest,
    end: () => {
      clearInterval(timer);
    },
  };
}

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

export const seams: AgentScenarios = {
  S37: scenario('Nothing outlives its run', {
    'a tool that fails leaves none beside it running': law([], async (stage) => {
      await stage.script([callsOf('first', 'tidy'), 'Went on.', 'Went on.']);
      stage.bench.does('first', () => {
        throw new Error('no space left on device');
      });
      stage.bench.does(
        'tidy',
        // From its start on: the run may begin late.
        (call) =>
          listening(
            0,
            pause(150).then(() => 'tidy'),
          )(call),
      );
      const run = stage.start('go');
      let running: readonly string[] = ['not over'];
      const look = (): void => {
        running = stage.bench.running;
        stage.fromNow();
      };
      run.done.then(look, look);
      await stage.ends(run);
      same('tools that run on', running, []);
      await stage.nothingStarts();
    }),
  }),
  S38: scenario('Only the deaf tool is named, not the levels above it', {
    'a deaf tool two sub-agents down is named alone': law(['cancel', 'startUnder', 'stillRunning'], async (stage) => {
      await stage.script([callsOf('start_helper'), callsOf('start_deeper'), callsOf('slow'), 'too many']);
      for (const name of ['start_helper', 'start_deeper']) {
        stage.bench.does(name, async (given) => {
          await stage.startUnder(name, given).done.then(undefined, () => undefined);
          return 'The sub-agent is done.';
        });
      }
      const run = stage.start('go');
      await stage.starts('slow');
      await stage.stop(run);
      same('still running', run.stillRunning?.(), ['slow']);
      if (stage.can(run, 'calls')) same('the call above', run.calls?.()[0]?.status, 'stopped');
      await stage.nothingStarts();
    }),
  }),
  S40: scenario('A stop of everything waits for what runs beside it', {
    'a stop of one run spares the others, a stop of all ends them': law(['cancel', 'cancelAll'], async (stage) => {
      await stage.script(() => callsOf('tidy'));
      stage.bench.does('tidy', listening(60, never));
      const [one, other] = [stage.start('go'), stage.start('go elsewhere')];
      await stage.until('both tools run', () => stage.bench.running.length === 2);
      await stage.stop(one);
      same('still running', stage.bench.running, ['tidy']);
      await stage.cancelAll();
      same('running after everything was stopped', stage.bench.running, []);
      await stage.soon('the other run ends', () => stage.hasEnded(other));
    }),
    'a call that was sent to the background is spared by a stop, and not by a stop of everything': law(
      ['cancel', 'cancelAll', 'sendToBackground'],
      async (stage) => {
        await stage.script([callsOf('tidy'), twoWords, 'too many']);
        stage.bench.does('tidy', listening(0, never));
        const run = stage.start('go');
        await stage.starts('tidy');
        run.sendToBackground?.('tidy');
        await stage.until('the model is asked while the call goes on', () => stage.requests[1]?.deltasWritten === 2);
        same('results in the next request', stage.results(2).length, 1);
        await stage.stop(run);
        await pause(stage.watchMs);
        same('running after the stop', stage.bench.running, ['tidy']);
        await stage.cancelAll();
        same('running after everything was stopped', stage.bench.running, []);
      },
    ),
  }),
  S41: scenario('A hundred calls are stopped at once', {
    'the event loop goes on, and all calls end': law(['cancel'], async (stage) => {
      await stage.script(() => callsOf(...Array.from({ length: 100 }, () => 'tidy')));
      stage.bench.does('tidy', listening(0, never));
      for (let attempt = 1, isQuick = false; !isQuick; attempt++) {
        const run = stage.start('go');
        await stage.until('the tool tidy starts', () => stage.bench.running.length > 0);
        await pause(stage.watchMs);
        const loop = watchLoop();
        try {
          await pause(10);
          await stage.stop(run);
          await pause(10);
        } finally {
          loop.end();
        }
        await stage.soon('all tools have ended', () => stage.bench.running.length === 0);
        await stage.nothingStarts();
        isQuick = loop.longest() <= BLOCKED_MS;
        check(isQuick || attempt < ATTEMPTS, 'the event loop was blocked for more than 50 ms');
      }
    }),
  }),
  S42: scenario('What goes wrong in a tool, and what it gives, reaches the model whole', {
    'an error is told in its own words, a long result to its last byte': law(['verbatim'], async (stage) => {
      await stage.script([callsOf('first', 'second'), 'Went on.']);
      stage.bench.does('first', () => {
        throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
      });
      stage.bench.does('second', () => `begin 4711 ${'.'.repeat(32_000)} end 4711`);
      await stage.ends(stage.start('go'));
      stage.isAccepted(2);
      stage.isTold('EMFILE: too many open files', 2);
      stage.isTold(`begin 4711 ${'.'.repeat(32_000)} end 4711`, 2);
    }),
  }),
  S47: scenario('Nothing is started too late', {
    'with a limit of 0 nothing runs': law(['limitMs'], async (stage) => {
      await stage.script([callsOf('first'), 'too many']);
      stage.bench.does('first', () => 'done');
      await stage.ends(stage.start('go', { limitMs: 0 }));
      await pause(stage.watchMs);
      same('model requests and tools', [stage.requests.length, stage.bench.started.length], [0, 0]);
    }),
    'a limit that passed while the loop was blocked is seen': law(['limitMs'], async (stage) => {
      await stage.script([callsOf('busy'), 'too many']);
      stage.bench.does('busy', () => {
        block(600);
        return 'done';
      });
      const run = stage.start('go', { limitMs: 500 });
      await stage.ends(run);
      await pause(stage.watchMs);
      check(stage.requests.length === 1, 'the model was asked after the limit');
    }),
  }),
};
