/**
 * S01 to S10: whether a stop stops, all that it should and nothing else.
 *
 * @module
 */
import { createServer, type AddressInfo } from 'node:net';

import { pause } from '../../waiting.ts';
import { listening } from '../tool-bench.ts';
import type { AgentStage } from '../stage.ts';
import { NotApplicable } from '../stage.ts';
import type { AgentRun } from '../harness.ts';
import { type AgentScenarios, callsOf, check, inSlowTool, law, same, scenario, twoWords } from './scenario.ts';

const never = new Promise<string>(() => undefined);

/** How long a tool tidies up after its stop: within any grace that deserves its name. */
const TIDY_MS = 100;

/** Binds a port and gives it back; rejects if somebody has it. */
async function bind(port: number): Promise<{ readonly port: number; readonly free: () => Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const free = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, free };
}

/** A root whose tool runs a sub-agent, whose tool `dig` is running. */
async function inSubAgent(stage: AgentStage): Promise<{ readonly root: AgentRun; readonly sub: AgentRun }> {
  let sub: AgentRun | undefined;
  await stage.script([callsOf('start_helper'), callsOf('dig'), 'Went on.', 'too many']);
  stage.bench.does('start_helper', async (given) => {
    sub = stage.startUnder('dig', given);
    await sub.done.then(undefined, () => undefined);
    return 'The sub-agent is done.';
  });
  stage.bench.does('dig', listening(0, never));
  const root = stage.start('go');
  await stage.starts('dig');
  return { root, sub: sub ?? root };
}

export const stopping: AgentScenarios = {
  S01: scenario('A tool that never settles does not hold up a stop', {
    'the run ends, the deaf tool is left behind': law(['cancel'], async (stage) => {
      const run = await inSlowTool(stage);
      await stage.stop(run);
      await stage.nothingStarts();
      if (stage.can(run, 'stillRunning')) same('still running', run.stillRunning?.(), stage.bench.running);
    }),
  }),
  S02: scenario('Nothing starts after the stop, not even the rest of a batch', {
    'a stop during a batch is its end': law(['cancel'], async (stage) => {
      await stage.script([callsOf('first', 'second', 'third'), 'too many']);
      let stopped: Promise<void> | undefined;
      const stopOnce = (): string => {
        // Said before it is called: a bad agent starts a tool in its very cancel.
        const isFirst = stopped === undefined;
        stopped ??= Promise.resolve();
        if (isFirst) stopped = stage.stop(run);
        return 'done';
      };
      for (const name of ['first', 'second', 'third']) stage.bench.does(name, stopOnce);
      const run = stage.start('go');
      await stage.until('a tool starts', () => stopped !== undefined);
      await stopped;
      await stage.nothingStarts();
    }),
  }),
  S03: scenario('A tool that succeeds after the stop leads to no further request', {
    'the model is not asked again': law(['cancel'], async (stage) => {
      const run = await inSlowTool(stage);
      const stopped = stage.stop(run);
      stage.bench.finish('it worked');
      await stopped;
      await stage.nothingStarts();
    }),
  }),
  S04: scenario('A stop of the root ends every level below it, at once and for one reason', {
    'sub-agents stop with their root': law(['cancel', 'startUnder'], async (stage) => {
      const { root, sub } = await inSubAgent(stage);
      const signals = ['start_helper', 'dig'].map((tool) => stage.bench.signalOf(tool));
      stage.press(root);
      same('signals aborted at once', [signals[0]?.aborted, signals[1]?.aborted], [true, true]);
      check(signals[0]?.reason === signals[1]?.reason, 'the levels were stopped for two reasons');
      await stage.soon('the root ends', () => stage.hasEnded(root));
      await stage.soon('the sub-agent ends', () => stage.hasEnded(sub));
      await stage.nothingStarts();
      if (!stage.can(root, 'calls')) return;
      const [delegate] = root.calls?.() ?? [];
      check(delegate?.status !== 'completed', 'the call of the sub-agent is said to be completed');
    }),
  }),
  S05: scenario('A sub-agent that is stopped alone is no success for its parent', {
    'the sub-agent stops, and the parent ends or goes on once': law(['cancel', 'startUnder'], async (stage) => {
      const { root, sub } = await inSubAgent(stage);
      sub.cancel?.();
      await stage.soon('the sub-agent ends', () => stage.hasEnded(sub));
      await stage.ends(root);
      check(stage.requests.length <= 3, 'the model was asked again for the sub-agent');
      if (!stage.can(root, 'calls')) return;
      const [delegate] = root.calls?.() ?? [];
      check(delegate?.status !== 'completed', 'the call of the sub-agent is said to be completed');
    }),
  }),
  S06: scenario('A stop has the right size', {
    'a run beside the one that is stopped goes on': law(['cancel'], async (stage) => {
      await stage.script(() => twoWords);
      const [one, other] = [stage.start('go'), stage.start('go elsewhere')];
      await stage.hasTwoWords(1);
      await stage.hasTwoWords(2);
      await stage.stop(one);
      await stage.soon('one request is closed', () => stage.requests.some(({ closedEarly }) => closedEarly));
      await pause(stage.watchMs);
      const closed = stage.requests.filter(({ closedEarly }) => closedEarly).length;
      check(closed === 1 && !stage.hasEnded(other), 'the other run was stopped as well');
      if (!stage.canAll()) return;
      await stage.cancelAll();
      await stage.soon('the other run ends with everything', () => stage.hasEnded(other));
    }),
    'a call that ends stops no other': law([], async (stage) => {
      await stage.script([callsOf('first', 'second'), 'All done.']);
      stage.bench.does('first', () => 'done');
      let isAborted: boolean | undefined;
      stage.bench.does('second', async ({ signal }) => {
        await pause(20);
        isAborted = signal?.aborted === true;
        return 'done';
      });
      await stage.ends(stage.start('go'));
      same('the second call was stopped', isAborted, false);
      stage.isAccepted(2);
    }),
    'a call that is stopped alone stops no other, and the run goes on': law(['cancelCall'], async (stage) => {
      await stage.script([callsOf('first', 'second'), 'All done.']);
      let isAborted = false;
      stage.bench.does('first', listening(0, never));
      stage.bench.does('second', async ({ signal }) => {
        await pause(20);
        isAborted = signal?.aborted === true;
        return 'done';
      });
      const run = stage.start('go');
      await stage.starts('first');
      run.cancelCall?.('first');
      await stage.ends(run);
      check(!isAborted, 'the second call was stopped as well');
      stage.isAccepted(2);
    }),
  }),
  S07: scenario('A stop is of one run: late, early or repeated, it touches no other', {
    'a late stop does not touch the next run': law(['cancel'], async (stage) => {
      const first = await inSlowTool(stage);
      await stage.stop(first);
      first.cancel?.();
      const second = stage.start('again');
      first.cancel?.();
      await stage.until('the next run asks the model', () => stage.requests.length === 2);
      await stage.ends(second);
    }),
    'a run that is stopped as it starts runs nothing': law(['cancel'], async (stage) => {
      await stage.script([callsOf('first'), 'too many']);
      const run = stage.start('go');
      await stage.stop(run);
      await pause(stage.watchMs);
      same('tools started', stage.bench.started, []);
      check(stage.requests.length <= 1, 'the model was asked again');
    }),
  }),
  S08: scenario('Settled means settled: a run outlives what it has started', {
    'a tool that tidies up for a moment has given its port back': law(['cancel'], async (stage) => {
      await stage.script([callsOf('port'), 'too many']);
      let port = 0;
      stage.bench.does('port', async (given) => {
        const bound = await bind(0);
        port = bound.port;
        try {
          return await listening(TIDY_MS, never)(given);
        } finally {
          await bound.free();
        }
      });
      const run = stage.start('go');
      await stage.until('the tool has its port', () => port > 0);
      await stage.stop(run);
      const again = await bind(port).catch(() => undefined);
      check(again !== undefined, 'the port is still taken');
      await again?.free();
    }),
  }),
  S09: scenario('A stop during a delay before the next attempt is heard', {
    'nothing is tried again': law(['cancel'], async (stage) => {
      // Who sleeps through the stop has not ended in the time that a stop may take.
      const seconds = String(Math.ceil((2 * stage.settleMs) / 1_000));
      const busy = { status: 429, message: 'Slow down', headers: { 'retry-after': seconds } };
      await stage.script([busy, busy, 'too many']);
      const run = stage.start('go');
      await stage.until('the provider says no', () => stage.requests[0]?.closedAt !== undefined || stage.hasEnded(run));
      await pause(stage.watchMs);
      if (stage.hasEnded(run)) throw new NotApplicable('the run does not try again after a 429');
      await stage.stop(run);
      await stage.nothingStarts();
    }),
  }),
  S10: scenario('A model that falls silent is given up, a tool that takes its time is not', {
    'the silent request is closed, and the run ends or asks again': law(['idleMs'], async (stage) => {
      await stage.script([twoWords, 'Went on.']);
      const run = stage.start('go', { idleMs: stage.idleMs });
      await stage.ends(run);
      await stage.soon('the request is closed', () => stage.requests[0]?.closedEarly === true);
    }),
    'the time of a tool is no silence': law(['idleMs'], async (stage) => {
      await stage.script([callsOf('first'), 'All done.']);
      stage.bench.does('first', () => pause(2 * stage.idleMs).then(() => 'done'));
      const run = stage.start('go', { idleMs: stage.idleMs });
      await stage.ends(run);
      stage.isAccepted(2);
    }),
  }),
};
