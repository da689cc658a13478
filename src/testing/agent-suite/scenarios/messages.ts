/**
 * S21 to S23 and S39: whether a message that a person types reaches the model once, or comes back.
 *
 * @module
 */
import { pause } from '../../waiting.ts';
import { NotApplicable } from '../stage.ts';
import {
  type AgentScenarios,
  callsOf,
  check,
  inSlowTool,
  inTwoWords,
  law,
  note,
  receipt,
  same,
  scenario,
} from './scenario.ts';

export const messages: AgentScenarios = {
  S21: scenario('A message is told once, in the next request', {
    'a message while a tool runs is in the next request': law(['interject'], async (stage) => {
      const run = await inSlowTool(stage);
      run.interject?.(note);
      stage.bench.finish('ok');
      await stage.ends(run);
      stage.isTold(note, 2);
    }),
    'one that waits for the running call leaves out the rest of the batch': law(
      ['interject', 'after-current-tool', 'oneByOne'],
      async (stage) => {
        const run = await inSlowTool(stage, callsOf('slow', 'other'), { oneByOne: true });
        run.interject?.(note, { delivery: 'after-current-tool' });
        stage.bench.finish(receipt);
        await stage.ends(run);
        same('tools started', stage.bench.started, ['slow']);
        stage.isTold(receipt, 2);
        stage.isTold(note, 2);
        same('results in the next request', stage.results(2).length, 2);
        if (stage.can(run, 'calls')) same('the call that was left out', run.calls?.()[1]?.status, 'skipped');
      },
    ),
    'one that is for now cuts the answer and keeps what was said': law(['interject', 'now'], async (stage) => {
      const run = await inTwoWords(stage);
      await stage.pauseToRead();
      run.interject?.(note, { delivery: 'now' });
      await stage.ends(run);
      await stage.soon('the answer is cut', () => stage.requests[0]?.closedEarly === true);
      stage.isAccepted(2);
      stage.isTold('one two', 2);
      stage.isTold(note, 2);
    }),
    'one that is for now leaves a tool that runs alone': law(['interject', 'now'], async (stage) => {
      const run = await inSlowTool(stage);
      run.interject?.(note, { delivery: 'now' });
      await pause(stage.watchMs);
      check(stage.bench.signalOf('slow')?.aborted !== true, 'the tool was stopped');
      stage.bench.finish(receipt);
      await stage.ends(run);
      stage.isTold(receipt, 2);
      stage.isTold(note, 2);
    }),
    'one that comes during the last answer is told or comes back': law(['interject', 'undelivered'], async (stage) => {
      await stage.script([{ text: 'one two three four', chunkMs: 30 }, 'Noted.']);
      const run = stage.start('go');
      await stage.hasTwoWords();
      run.interject?.(note);
      await stage.ends(run);
      const told = stage.timesTold(note, 2);
      same('told and given back', told + (run.undelivered?.() ?? []).filter((text) => text === note).length, 1);
    }),
    'a sub-agent that works gets it, and nobody else': law(['interject', 'startUnder'], async (stage) => {
      await stage.script([callsOf('start_helper'), callsOf('slow'), 'Dug.', 'All done.']);
      stage.bench.does('start_helper', async (given) => {
        await stage.startUnder('dig', given).done.then(undefined, () => undefined);
        return 'The sub-agent is done.';
      });
      const run = stage.start('go');
      await stage.starts('slow');
      run.interject?.(note);
      stage.bench.finish('ok');
      await stage.ends(run);
      stage.isTold(note, 3);
      stage.isTold(note, 4, 0);
    }),
  }),
  S22: scenario('A stop wins over a message that waits', {
    'the message causes no request, and comes back': law(['cancel', 'interject'], async (stage) => {
      const run = await inSlowTool(stage);
      run.interject?.(note);
      await stage.stop(run);
      await stage.nothingStarts();
      if (stage.can(run, 'undelivered')) same('undelivered', run.undelivered?.(), [note]);
    }),
    'a message after the stop changes nothing': law(['cancel', 'interject'], async (stage) => {
      const run = await inSlowTool(stage);
      stage.press(run);
      run.interject?.(note);
      await stage.soon('the run ends', () => stage.hasEnded(run));
      await stage.nothingStarts();
    }),
    'a question that is open is settled, and refuses a late answer': law(['cancel', 'asks'], async (stage) => {
      await stage.script([callsOf('pay'), 'too many']);
      const run = stage.start('go', { asks: ['pay'] });
      await stage.until('the person is asked', () => stage.questions.length > 0);
      same('tools started before the answer', stage.bench.started, []);
      await stage.stop(run);
      stage.questions[0]?.respond(true);
      await stage.nothingStarts();
    }),
  }),
  S23: scenario('A tool that only waits is answered when a message comes, and its work goes on', {
    'the model is asked with the message while the work runs': law(['interject', 'passive'], async (stage) => {
      await stage.script([callsOf('wait'), 'All done.', 'And more.']);
      const run = stage.start('go', { passive: ['wait'] });
      await stage.starts('wait');
      run.interject?.(note);
      await stage.until('the model is asked', () => stage.requests.length === 2);
      same('still running', stage.bench.running, ['wait']);
      stage.isTold(note, 2);
      await pause(stage.watchMs);
      check(stage.bench.running.includes('wait'), 'the work was stopped');
      await stage.ends(run);
    }),
  }),
  S39: scenario('A message cannot hang the loop, nor get lost', {
    'a stop is heard while a message waits': law(['interject', 'cancel'], async (stage) => {
      await stage.script([{ text: 'one two three four', silentAfter: 2 }, 'too many']);
      const run = stage.start('go');
      await stage.hasTwoWords();
      run.interject?.(note);
      await stage.stop(run);
      await stage.nothingStarts();
      if (stage.can(run, 'undelivered')) same('undelivered', run.undelivered?.(), [note]);
    }),
    'a message that was taken back is not told, and what it cut is no answer': law(
      ['interject', 'now', 'withdraw'],
      async (stage) => {
        const run = await inTwoWords(stage);
        await stage.pauseToRead();
        run.interject?.(note, { delivery: 'now' });
        run.withdraw?.();
        await stage.ends(run);
        check(stage.requests.length === 2, 'the model was not asked again for the answer that was cut');
        stage.isTold(note, 2, 0);
      },
    ),
    'a message for after the run leads to no request in it': law(
      ['interject', 'after-turn', 'undelivered'],
      async (stage) => {
        const run = await inSlowTool(stage);
        run.interject?.(note, { delivery: 'after-turn' });
        stage.bench.finish('ok');
        await stage.ends(run);
        same('model requests', stage.requests.length, 2);
        stage.isTold(note, 2, 0);
        same('undelivered', run.undelivered?.(), [note]);
      },
    ),
    'a message of an attempt that failed is in the next attempt': law(['interject'], async (stage) => {
      const busy = { status: 500, message: 'Try again', headers: { 'retry-after-ms': '1', 'retry-after': '0' } };
      await stage.script([callsOf('slow'), busy, 'All done.', 'And more.']);
      const run = stage.start('go');
      await stage.starts('slow');
      run.interject?.(note);
      stage.bench.finish('ok');
      await stage.ends(run);
      if (stage.requests.length < 3) throw new NotApplicable('the run does not try again after a 500');
      stage.isTold(note, 2);
      stage.isTold(note, 3);
    }),
  }),
};
