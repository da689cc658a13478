/**
 * S11 to S16: whether what a run says is what the tools, the server and the clock know.
 *
 * @module
 */
import type { ToolStatus } from '../../../index.ts';
import { pause } from '../../waiting.ts';
import {
  type AgentScenarios,
  callsOf,
  check,
  inSlowTool,
  inTwoWords,
  law,
  receipt,
  same,
  scenario,
} from './scenario.ts';

const unstarted: readonly (string | undefined)[] = ['not-started', 'skipped'];

export const truth: AgentScenarios = {
  S11: scenario('Of a tool that may still complete, a run says that it does not know', {
    'a tool that runs is unknown, one that had completed is completed': law(['cancel', 'calls'], async (stage) => {
      stage.bench.does('pay', () => receipt);
      const run = await inSlowTool(stage, callsOf('pay', 'slow'));
      await stage.stop(run);
      const said = run.calls?.().map(({ name, status }) => `${name}: ${status}`);
      same('calls', said, ['pay: completed', 'slow: unknown']);
    }),
    'the program is told when it has ended': law(['cancel', 'lateCalls'], async (stage) => {
      const run = await inSlowTool(stage);
      await stage.stop(run);
      same('late calls before the tool has ended', run.lateCalls?.(), []);
      stage.bench.finish('the file is written');
      const late = (): string => JSON.stringify(run.lateCalls?.().map(({ name, status }) => `${name}: ${status}`));
      await stage.soon('the program is told that slow is completed', () => late() === '["slow: completed"]');
    }),
    'a tool whose work must not be cut is waited for, and is completed': law(
      ['cancel', 'calls', 'commits'],
      async (stage) => {
        // Longer than the grace of whoever keeps to its limit.
        stage.bench.does('pay', () => pause(0.75 * stage.settleMs).then(() => receipt));
        await stage.script([callsOf('pay'), 'too many']);
        const run = stage.start('go', { commits: ['pay'] });
        await stage.starts('pay');
        stage.press(run);
        await stage.ends(run);
        same('still running', stage.bench.running, []);
        same('call', run.calls?.().map(({ name, status }) => `${name}: ${status}`), ['pay: completed']); // prettier-ignore
        await stage.nothingStarts();
      },
    ),
  }),
  S12: scenario('Each call of a stopped batch has its own outcome, in the order of the calls', {
    'the outcomes are what the tools know': law(['cancel', 'calls'], async (stage) => {
      stage.bench.does('first', () => 'done');
      const run = await inSlowTool(stage, callsOf('first', 'slow', 'third'));
      await stage.stop(run);
      const calls = run.calls?.() ?? [];
      same('order of the calls', calls.map(({ name }) => name), ['first', 'slow', 'third']); // prettier-ignore
      for (const { name, status } of calls) {
        const isRunning = stage.bench.running.includes(name);
        const isFine = isRunning
          ? status === 'unknown'
          : stage.bench.started.includes(name)
            ? status === 'completed'
            : unstarted.includes(status);
        check(isFine, `${name} is said to be ${status}`);
      }
    }),
    'a call that waits for a person is neither done nor running': law(['cancel', 'calls', 'asks'], async (stage) => {
      await stage.script([callsOf('pay'), 'too many']);
      const run = stage.start('go', { asks: ['pay'] });
      await stage.until('the person is asked', () => stage.questions.length > 0);
      await stage.stop(run);
      const wrong: readonly ToolStatus[] = ['completed', 'failed', 'unknown', 'detached'];
      const status = run.calls?.()[0]?.status;
      check(status !== undefined && !wrong.includes(status), `pay is said to be ${String(status)}`);
      same('tools started', stage.bench.started, []);
    }),
  }),
  S13: scenario('A tool that resolves in the moment of the stop has one outcome', {
    'it is answered once, and its result is kept if it counts as completed': law(
      ['cancel', 'history'],
      async (stage) => {
        const run = await inSlowTool(stage);
        stage.bench.finish(receipt);
        await stage.stop(run);
        await stage.ends(stage.start('again', { history: run.history?.() }));
        stage.isAccepted(2);
        same('results in the next request', stage.results(2).length, 1);
        if (!stage.can(run, 'calls')) return;
        const calls = run.calls?.() ?? [];
        same('rows of the call', calls.length, 1);
        if (calls[0]?.status === 'completed') stage.isTold(receipt, 2);
      },
    ),
  }),
  S14: scenario('A stop is called a stop, and a failure a failure', {
    'a stopped run is cancelled': law(['cancel', 'status'], async (stage) => {
      const run = await inSlowTool(stage);
      await stage.stop(run);
      same('status', run.status?.(), 'cancelled');
    }),
    'a run that the provider refuses has failed': law(['status'], async (stage) => {
      await stage.script([{ status: 400, message: 'No.' }]);
      const run = stage.start('go');
      await stage.ends(run);
      same('status', run.status?.(), 'failed');
    }),
    'an abort inside a tool is no stop of the run': law(['status'], async (stage) => {
      await stage.script([callsOf('first'), 'Went on.']);
      stage.bench.does('first', () => {
        // As `fetch` does whose own limit has passed.
        throw new DOMException('This operation was aborted', 'AbortError');
      });
      const run = stage.start('go');
      await stage.ends(run);
      check(run.status?.() !== 'cancelled', 'the run is said to be cancelled');
    }),
    'a run that nobody stops is completed': law(['status'], async (stage) => {
      await stage.script(['All done.']);
      const run = stage.start('go');
      await stage.ends(run);
      same('status', run.status?.(), 'completed');
    }),
  }),
  S15: scenario('An answer that was cut is not an answer', {
    'the request is closed, and the run is not completed': law(['cancel'], async (stage) => {
      const run = await inTwoWords(stage);
      await stage.pauseToRead();
      await stage.stop(run);
      await stage.soon('the request is closed', () => stage.requests[0]?.closedEarly === true);
      await stage.nothingStarts();
      if (stage.can(run, 'status')) check(run.status?.() !== 'completed', 'the run is said to be completed');
    }),
    'the next request has the words that had come': law(['cancel', 'history'], async (stage) => {
      const run = await inTwoWords(stage);
      await stage.pauseToRead();
      await stage.stop(run);
      await stage.ends(stage.start('again', { history: run.history?.() }));
      stage.isAccepted(2);
      stage.isTold('one two', 2);
    }),
  }),
  S16: scenario('What a stopped answer has cost is not nothing', {
    'its tokens are counted, or said to be not known': law(['cancel', 'outputTokens'], async (stage) => {
      const run = await inTwoWords(stage);
      await stage.pauseToRead();
      await stage.stop(run);
      check(run.outputTokens?.() !== 0, 'the run is said to have cost nothing');
    }),
  }),
};
