import { describe, expect, it } from 'vitest';

import { delay, type ToolContext } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, errorOf, stage, tick, type Call } from '../kit.ts';

const statuses = (calls: readonly { readonly id: string; readonly status: string }[]): string[] =>
  calls.map(({ id, status }) => `${id} ${status}`);

describe('one outcome per call', () => {
  it('in call order, whatever the order of their ends', async () => {
    const { agent, clock, events } = stage();
    const ms: Record<string, number> = { a: 30, b: 10, c: 20 };
    const turn = agent.runTurn(({ tools }) =>
      tools([call('a'), call('b'), call('c')], async ({ id }, { token }) => {
        await delay(token, ms[id] ?? 0);
        return id;
      }),
    );
    await clock.advance(30);
    const report = await turn;
    expect(report.calls).toEqual(report.unwrap());
    expect(report.calls).toEqual(
      ['a', 'b', 'c'].map((id) => ({ id, name: id, call: call(id), ms: ms[id], status: 'completed', value: id })),
    );
    expect(events.flatMap((event) => (event.type === 'tool-outcome' ? [event.outcome.id] : []))).toEqual([
      'b',
      'c',
      'a',
    ]);
  });

  it('also over several batches and single calls', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ tool, tools }) => {
      await tools([call('a'), call('b')], () => 1);
      await tool(call('c'), () => 1);
      await Promise.all([tools([call('d'), call('e')], () => tick()), tools([call('f')], () => 1)]);
    });
    expect(statuses(report.calls)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => `${id} completed`));
  });

  it('of an empty batch: none', async () => {
    const { agent, events } = stage();
    const report = await agent.runTurn(({ tools }) => tools([], () => 1));
    expect([report.unwrap(), report.calls]).toEqual([[], []]);
    expect(events.filter(({ type }) => type === 'tool-outcome')).toEqual([]);
  });

  it('is reported as an event, once each, before the batch returns', async () => {
    const { agent, events } = stage();
    const seen = await agent.runTurn(async ({ tools }) => {
      await tools([call('a'), call('b')], () => 1);
      return events.filter(({ type }) => type === 'tool-outcome').length;
    });
    expect(seen.unwrap()).toBe(2);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-outcome', turnId: 1, outcome: seen.calls[0], agent: 'main' }),
    );
  });
});

describe('S12 Three truths in one batch', () => {
  it('S12 done, running, not started, waiting for approval: an outcome that is true of each, in call order', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const run = async ({ id }: Call, { ask }: ToolContext<Call>): Promise<string> => {
      if (id === 'running') await deaf();
      if (id === 'waiting') {
        await ask(() => undefined);
      }
      if (id === 'canceller') agent.cancel();
      return id;
    };
    const calls = ['done', 'waiting', 'running', 'canceller', 'not-started'].map((id) => call(id));
    const turn = agent.runTurn(({ tools }) => tools(calls, run));
    await clock.advance(1_000);
    expect(statuses((await turn).calls)).toEqual([
      'done completed',
      'waiting not-started',
      'running unknown',
      'canceller completed',
      'not-started not-started',
    ]);
  });

  it('S12 the outcomes are as true of a tool that makes a value of the cancel of its question: what it did then nobody knows', async () => {
    const { agent, clock, events } = stage({ graceMs: 100 });
    const run = async ({ id }: Call, { ask }: ToolContext<Call>): Promise<string> => {
      if (id === 'running') await deaf();
      if (id !== 'waiting') return 'done';
      return ask<string>(() => undefined).catch(() => 'not approved');
    };
    const turn = agent.runTurn(async ({ tools }) => {
      await tools([call('done')], run);
      const waiting = tools([call('waiting'), call('running')], run);
      await tick();
      agent.cancel('enough');
      await tools([call('not-started')], run);
      await waiting;
    });
    await clock.advance(100);
    await clock.advance(1_000);
    const report = await turn;
    expect(report.calls).toMatchObject([
      { id: 'done', status: 'completed', value: 'done' },
      { id: 'waiting', status: 'stopped', reason: { message: 'enough' }, partial: 'not approved' },
      { id: 'running', status: 'unknown' },
      { id: 'not-started', status: 'not-started' },
    ]);
    expect(report.stop?.operations).toContainEqual(expect.objectContaining({ name: 'waiting', outcome: 'cancelled' }));
    expect(events.filter(({ type }) => type === 'tool-outcome')).toHaveLength(4);
  });
});

describe('S13 Same tick', () => {
  it('S13 a tool that resolved in the tick of the cancel keeps its result', async () => {
    const { agent, events } = stage();
    const end = deferred<string>();
    const turn = agent.runTurn(({ tool }) => tool(call('a'), () => end.promise));
    await tick();
    end.resolve('result');
    agent.cancel();
    const report = await turn;
    expect(report.calls).toMatchObject([{ status: 'completed', value: 'result' }]);
    expect(report.status).toBe('cancelled');
    expect(events.filter(({ type }) => type === 'tool-outcome')).toHaveLength(1);
  });

  it('S13 the same with kill', async () => {
    const { agent, clock } = stage();
    const end = deferred<string>();
    const turn = agent.runTurn(({ tool }) => tool(call('a'), () => end.promise));
    await tick();
    end.resolve('result');
    agent.kill();
    await clock.advance(0);
    expect((await turn).calls).toMatchObject([{ status: 'completed', value: 'result' }]);
  });

  it('S13 one that ends within its grace keeps it too, although it never listened', async () => {
    const { agent, clock, events } = stage();
    const end = deferred<string>();
    const turn = agent.runTurn(({ tool }) => tool(call('a'), () => end.promise));
    await tick();
    agent.cancel();
    await clock.advance(999);
    end.resolve('result');
    await clock.advance(1_000);
    expect((await turn).calls).toMatchObject([{ status: 'completed', value: 'result', ms: 999 }]);
    expect(events.filter(({ type }) => type === 'late-settled')).toEqual([]);
  });
});

describe('nothing starts after Stop', () => {
  it.each(['parallel', 'sequential'] as const)('%s: not one call of a batch that comes later', async (mode) => {
    const { agent } = stage();
    let ran = 0;
    const report = await agent.runTurn(({ tools }) => {
      agent.cancel();
      return tools([call('a'), call('b')], () => (ran += 1), { mode });
    });
    expect(ran).toBe(0);
    expect(statuses(report.calls)).toEqual(['a not-started', 'b not-started']);
  });

  it('sequential: none behind the one that runs', async () => {
    const { agent, clock } = stage({ graceMs: 50 });
    const started: string[] = [];
    const turn = agent.runTurn(({ tools }) =>
      tools(
        [call('a'), call('b'), call('c')],
        ({ id }) => {
          started.push(id);
          return deaf();
        },
        { mode: 'sequential' },
      ),
    );
    await tick();
    agent.cancel();
    await clock.advance(1_000);
    expect(statuses((await turn).calls)).toEqual(['a unknown', 'b not-started', 'c not-started']);
    expect(started).toEqual(['a']);
  });
});

describe('mode', () => {
  it('parallel is the default: all start in call order, in one tick', async () => {
    const { agent } = stage();
    const started: string[] = [];
    const end = deferred();
    const turn = agent.runTurn(({ tools }) =>
      tools([call('a'), call('b')], ({ id }) => {
        started.push(id);
        return end.promise;
      }),
    );
    expect(started).toEqual(['a', 'b']);
    end.resolve();
    await turn;
  });

  it('sequential: one after the other, a failure is no reason to stop', async () => {
    const { agent } = stage();
    const log: string[] = [];
    const report = await agent.runTurn(({ tools }) =>
      tools(
        [call('a'), call('b')],
        async ({ id }) => {
          log.push(`${id} starts`);
          await tick();
          log.push(`${id} ends`);
          throw new Error('x');
        },
        { mode: 'sequential' },
      ),
    );
    expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends']);
    expect(statuses(report.calls)).toEqual(['a failed', 'b failed']);
  });
});

describe('bad input is refused before anything starts', () => {
  it.each([
    ['no function', TypeError, { run: 'run' }],
    ['no array', TypeError, { calls: 'calls' }],
    ['null', TypeError, { calls: null }],
    ['mode', TypeError, { options: { mode: 'serial' } }],
    ['onInterject', TypeError, { options: { onInterject: 'explode' } }],
    ['graceMs negative', RangeError, { options: { graceMs: -1 } }],
    ['graceMs NaN', RangeError, { options: { graceMs: NaN } }],
    ['graceMs a string', TypeError, { options: { graceMs: '5' } }],
  ])('%s: %o', async (_what, type, bad: { run?: unknown; calls?: unknown; options?: unknown }) => {
    const { agent } = stage();
    let ran = 0;
    const run = 'run' in bad ? bad.run : () => (ran += 1);
    const calls = 'calls' in bad ? bad.calls : [call('a')];
    const report = await agent.runTurn(({ tools }) =>
      errorOf(tools(calls as never, run as never, bad.options as never)),
    );
    expect(report.unwrap()).toBeInstanceOf(type);
    expect([ran, report.calls]).toEqual([0, []]);
  });
});

describe('a step of the program', () => {
  it('S46 is in the report beside the calls, and no event tells of a call', async () => {
    const { agent, events } = stage();
    const report = await agent.runTurn(async ({ tool, step }) => {
      await tool(call('a'), () => 1);
      return step('lint', () => 'passed');
    });
    expect(report.unwrap()).toMatchObject({ id: 'lint', name: 'lint', status: 'completed', value: 'passed' });
    expect(report.steps).toEqual([report.unwrap()]);
    expect(statuses(report.calls)).toEqual(['a completed']);
    expect(events.flatMap((event) => (event.type === 'tool-outcome' ? [event.outcome.id] : []))).toEqual(['a']);
  });

  it('S46 is stopped alone by its name, and the turn goes on', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(async ({ step }) => {
      const { status } = await step('lint', ({ token }) => delay(token, 1000));
      return status;
    });
    await clock.advance(5);
    const receipt = agent.cancelCall('lint');
    await clock.advance(0);
    expect(await receipt.settled).toMatchObject({ operations: [{ kind: 'step', name: 'lint', outcome: 'cancelled' }] });
    const report = await turn;
    expect([report.unwrap(), report.stop, report.calls]).toEqual(['stopped', undefined, []]);
  });

  it('S46 is stopped with its turn, and never told afterwards', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    const ends = deferred<string>();
    const turn = agent.runTurn(({ step }) => step('lint', () => ends.promise));
    await clock.advance(5);
    agent.cancel();
    await clock.advance(10);
    const report = await turn;
    expect(report.stop?.operations).toMatchObject([{ kind: 'step', name: 'lint', outcome: 'abandoned' }]);
    expect(report.steps).toMatchObject([{ status: 'unknown' }]);
    ends.resolve('passed');
    await tick();
    expect(agent.takeLateOutcomes()).toEqual([]);
  });

  it('S46 is skipped by no message and counted by no budget', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(
      async ({ tools, step }) => {
        await tools([call('a')], () => agent.interject('use pnpm', { delivery: 'after-current-tool' }));
        const one = await step('lint', () => 1, { id: 'lint-1' });
        const two = await step('lint', () => 2);
        return [one.id, one.status, two.status];
      },
      { budget: { toolCalls: 1 } },
    );
    expect(report.unwrap()).toEqual(['lint-1', 'completed', 'completed']);
  });

  it('has to have a name and a function', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ step }) => {
      expect(() => step('', () => 1)).toThrow(TypeError);
      expect(() => step('lint', 'x' as never)).toThrow('run must be a function');
    });
    expect(report.steps).toBeUndefined();
  });
});
