import { afterEach, expect, it } from 'vitest';
import type { AgentHarness } from '../../../src/testing/index.ts';
import { AgentStage, NotApplicable, type AgentNeed } from '../../../src/testing/agent-suite/stage.ts';

const open: AgentStage[] = [];
afterEach(async () => {
  for (const stage of open.splice(0)) await stage.release();
});

function stageOf(harness: Partial<AgentHarness>, needs: readonly AgentNeed[] = []): AgentStage {
  const start: AgentHarness['start'] = () => ({ done: Promise.resolve() });
  const limits = { settleMs: 20, watchMs: 10, reachMs: 50 };
  const stage = new AgentStage({ name: 'one', start, ...harness }, needs, limits);
  open.push(stage);
  return stage;
}

it.each<[AgentNeed, string]>([
  ['idleMs', 'the harness does not honour idleMs'],
  ['startUnder', 'the harness has no startUnder()'],
])('a stage does not open without %s', (need, message) => {
  expect(() => stageOf({}, [need])).toThrow(message);
});

it('a run without a callback that is needed is no matter for the scenario', () => {
  expect(() => stageOf({}, ['cancel']).start('go')).toThrow(NotApplicable);
  expect(() => stageOf({}).start('go')).not.toThrow();
});

it('a run that cannot end is no run', () => {
  expect(() => stageOf({ start: () => ({}) as never }).start('go')).toThrow('the run has no promise done');
});

it('a stage says what was missing besides', () => {
  const stage = stageOf({});
  const run = stage.start('go');
  expect([stage.can(run, 'calls'), stage.canAll()]).toEqual([false, false]);
  expect([...stage.missing]).toEqual(['calls()', 'cancelAll()']);
});

it('what starts after the stop is found: a tool and a request', async () => {
  const stage = stageOf({});
  await stage.script(['Hello.']);
  const run = stage.start('go');
  await stage.stop(run);
  void stage.bench.tools['first']?.();
  await expect(stage.nothingStarts()).rejects.toThrow('started after the stop: first');
});

it('a stop that never ends is given up after its limit', async () => {
  const stage = stageOf({ start: () => ({ done: new Promise(() => undefined), cancel: () => undefined }) });
  await expect(stage.stop(stage.start('go'))).rejects.toThrow(
    'waited 20 ms until the run ends; model requests: 0, tools started: none, still running: none',
  );
});

it('a stage that is released stops what it has started, and survives a stop that throws', async () => {
  let stops = 0;
  const cancel = (): never => {
    stops++;
    throw new Error('no');
  };
  const stage = stageOf({ start: () => ({ done: new Promise(() => undefined), cancel }) });
  stage.start('go');
  await stage.release();
  expect(stops).toBe(1);
});
