/**
 * S17 to S20, S45, S46, S48, S50 and S51: whether the conversation can go on after a stop, and what the model is told then.
 *
 * @module
 */
import { NotApplicable, type AgentStage } from '../stage.ts';
import type { AgentRun } from '../harness.ts';
import { hookName } from '../tool-bench.ts';
import { type AgentScenarios, callsOf, check, inSlowTool, law, receipt, same, scenario } from './scenario.ts';

/** Goes on from a run, and waits for the end of the next. */
async function goOn(stage: AgentStage, run: AgentRun): Promise<AgentRun> {
  const next = stage.start('again', { history: run.history?.() });
  await stage.ends(next);
  return next;
}

/** What stands for all that was said before. */
const summary = 'the story so far (summary 4711)';

/** Starts a run that is compacted behind its first tool, and gives it out in its second one. */
async function inCompacted(stage: AgentStage): Promise<AgentRun> {
  await stage.script([callsOf('pay'), callsOf('slow'), 'All done.', 'And more.']);
  stage.bench.does('pay', () => receipt);
  const run = stage.start('go', { compactInto: summary });
  await stage.starts('slow');
  isCompacted(stage, 2, 0);
  return run;
}

/** What was replaced is in no request any more, and what came since is in it. */
function isCompacted(stage: AgentStage, n: number, results: number): void {
  stage.isAccepted(n);
  stage.isTold(summary, n);
  stage.isTold(receipt, n, 0);
  same(`results in request ${String(n)}`, stage.results(n).length, results);
}

/** What a running tool is told to be, and never was. */
const refused = /reject|declin|denied|refus/i;
const blamed = /\buser\b|\bperson\b/i;

export const conversation: AgentScenarios = {
  S17: scenario('The provider accepts the history of a run that was stopped', {
    'each call has its result': law(['cancel', 'history'], async (stage) => {
      stage.bench.does('first', () => 'done');
      const run = await inSlowTool(stage, callsOf('first', 'slow', 'other'));
      await stage.stop(run);
      await goOn(stage, run);
      stage.isAccepted(2);
      same('results in the next request', stage.results(2).length, 3);
    }),
    'who asks for the history twice gets it twice': law(['cancel', 'history'], async (stage) => {
      const run = await inSlowTool(stage);
      await stage.stop(run);
      run.history?.();
      await goOn(stage, run);
      stage.isAccepted(2);
      same('results in the next request', stage.results(2).length, 1);
    }),
  }),
  S18: scenario('Signed reasoning keeps every byte, unfinished reasoning goes', {
    'a stop inside the reasoning leaves nothing of it': law(['cancel', 'history'], async (stage) => {
      await stage.script([{ thinking: 'let me ponder this', text: 'So.', silentAfter: 2 }, 'Went on.']);
      const run = stage.start('go');
      await stage.until('the model is asked', () => stage.requests.length === 1);
      isAnthropic(stage);
      await stage.hasTwoWords();
      await stage.pauseToRead();
      await stage.stop(run);
      await goOn(stage, run);
      stage.isAccepted(2);
      stage.isTold('let me', 2, 0);
    }),
    'what was signed is sent as it came': law(['cancel', 'history'], async (stage) => {
      const run = await inSlowTool(stage, { thinking: 'let me ponder this', ...callsOf('slow') });
      isAnthropic(stage);
      await stage.stop(run);
      await goOn(stage, run);
      stage.isAccepted(2);
      stage.isTold('let me ponder this', 2);
    }),
  }),
  S19: scenario('The model is told what happened, in words that are true', {
    'a tool that ran is not called refused, and not called done': law(['cancel', 'history'], async (stage) => {
      const run = await inSlowTool(stage);
      await stage.stop(run);
      await goOn(stage, run);
      const [result = ''] = stage.results(2);
      check(result !== '', 'the model is told nothing of the call');
      check(!refused.test(result), `the model is told that the call was refused: ${result}`);
    }),
    'a failure beside it is not blamed on the person': law([], async (stage) => {
      await stage.script([callsOf('first', 'second'), 'Went on.']);
      stage.bench.does('first', () => {
        throw new Error('no space left on device');
      });
      stage.bench.does('second', () => 'done');
      await stage.ends(stage.start('go'));
      if (stage.requests.length < 2) throw new NotApplicable('the run ends when a tool fails');
      const blame = stage.results(2).find((result) => blamed.test(result));
      check(blame === undefined, `the model is told: ${String(blame)}`);
    }),
  }),
  S20: scenario('A conversation that the provider holds goes on after a stop', {
    'the outputs of all calls are submitted': law(['cancel', 'history'], async (stage) => {
      stage.bench.does('pay', () => receipt);
      const run = await inSlowTool(stage, callsOf('pay', 'slow'));
      const isHeld = stage.requests[0]?.dialect === 'openai-responses';
      if (!isHeld) throw new NotApplicable('the agent holds its conversation itself');
      await stage.stop(run);
      await goOn(stage, run);
      if (stage.requests[1]?.body['previous_response_id'] === undefined) {
        throw new NotApplicable('the agent holds its conversation itself');
      }
      stage.isAccepted(2);
      stage.isTold(receipt, 2);
    }),
  }),
  S45: scenario('The next request knows what was completed before the stop', {
    'nobody pays twice': law(['cancel', 'history'], async (stage) => {
      stage.bench.does('pay', () => receipt);
      const run = await inSlowTool(stage, callsOf('pay', 'slow'));
      await stage.stop(run);
      await goOn(stage, run);
      stage.isAccepted(2);
      stage.isTold(receipt, 2);
    }),
  }),
  S46: scenario('An interrupted conversation goes on with another provider', {
    'nothing is lost on the way': law(['cancel', 'history', 'startElsewhere'], async (stage) => {
      stage.bench.does('pay', () => receipt);
      const run = await inSlowTool(stage, callsOf('pay', 'slow'));
      await stage.stop(run);
      await stage.ends(stage.startElsewhere('again', { history: run.history?.() }));
      stage.isAccepted(2);
      check(stage.requests[0]?.dialect !== stage.requests[1]?.dialect, 'it is the same protocol');
      stage.isTold(receipt, 2);
      same('results in the next request', stage.results(2).length, 2);
    }),
  }),
  S48: scenario('The model learns of a result that comes late', {
    'the request after it has it once': law(['cancel', 'history'], async (stage) => {
      const run = await inSlowTool(stage);
      await stage.stop(run);
      const next = await goOn(stage, run);
      stage.bench.finish(receipt);
      await stage.until('the tool has ended', () => stage.bench.running.length === 0);
      await goOn(stage, next);
      stage.isAccepted(3);
      stage.isTold(receipt, 3);
    }),
  }),
  S50: scenario('What a compaction replaced does not come back', {
    'in a run that is stopped behind it': law(['cancel', 'history', 'compactInto'], async (stage) => {
      const run = await inCompacted(stage);
      await stage.stop(run);
      await goOn(stage, run);
      isCompacted(stage, 3, 1);
    }),
    'in a run that goes on to its end': law(['history', 'compactInto'], async (stage) => {
      const run = await inCompacted(stage);
      stage.bench.finish('ok');
      await stage.ends(run);
      isCompacted(stage, 3, 1);
      await goOn(stage, run);
      isCompacted(stage, 4, 1);
    }),
  }),
  S51: scenario('Work of the program is no call of the model', {
    'a hook that a stop leaves out is in no request': law(['cancel', 'history', 'hook'], async (stage) => {
      const { bench } = stage;
      bench.does('first', () => receipt);
      bench.does(hookName, () => 'formatted (hook 4711)');
      await stage.script([callsOf('first', 'slow'), 'All done.']);
      const run = stage.start('go', { hook: bench.hook });
      await stage.starts('slow');
      await stage.starts(hookName);
      await stage.pauseToRead();
      await stage.stop(run);
      bench.finish('ok');
      await stage.nothingStarts();
      if (stage.can(run, 'calls'))
        same(
          'the calls',
          run.calls?.().map(({ name }) => name),
          ['first', 'slow'],
        );
      await goOn(stage, run);
      stage.isAccepted(2);
      stage.isTold(receipt, 2);
      stage.isTold('hook 4711', 2, 0);
      same('results in the next request', stage.results(2).length, 2);
    }),
  }),
};

function isAnthropic(stage: AgentStage): void {
  const dialect = stage.requests[0]?.dialect ?? 'no protocol';
  if (dialect !== 'anthropic') throw new NotApplicable(`the agent speaks ${dialect}, which signs no reasoning`);
}
