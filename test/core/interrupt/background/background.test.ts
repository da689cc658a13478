import { describe, expect, it } from 'vitest';

import {
  delay,
  type CancellationToken,
  type InterruptController,
  type StopReport,
  type ToolContext,
  type TurnReport,
} from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, hasSettled, obedient, stage, tick } from '../kit.ts';

const rows = (report: StopReport | undefined): string[] =>
  (report?.operations ?? []).map(({ kind, name, outcome }) => `${kind} ${name} ${outcome}`);

describe('S40 background work', () => {
  it('S40 tells its outcome, by value, by error, by stop', async () => {
    const { agent } = stage();
    const fine = agent.background('fine', () => 7);
    const broken = agent.background('broken', () => Promise.reject(new Error('x')));
    const stopped = agent.background('stopped', obedient);
    expect(stopped.cancel('not needed')).toBe(true);
    expect(await fine.outcome).toEqual({ status: 'completed', value: 7 });
    expect(await broken.outcome).toMatchObject({ status: 'failed', error: { message: 'x' } });
    expect(await stopped.outcome).toMatchObject({
      status: 'cancelled',
      reason: { kind: 'unknown', message: 'not needed', source: 'main' },
    });
    expect([stopped.cancel(), new Set([fine.id, broken.id, stopped.id]).size]).toEqual([false, 3]);
  });

  it('S40 is spared by cancel and kill of the turn', async () => {
    const { agent, clock } = stage();
    const work = agent.background('job', obedient);
    const turn = agent.runTurn(obedient);
    await tick();
    agent.cancel();
    agent.kill();
    await clock.advance(0);
    expect((await turn).stop?.operations.filter(({ kind }) => kind === 'background')).toEqual([]);
    expect(agent.cancel().accepted).toBe(false);
    expect(await hasSettled(work.outcome)).toBe(false);
    work.cancel();
  });

  it('S40 is stopped by cancelAll, which waits for it and has a row of it', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const work = agent.background('job', async ({ token }) => {
      await obedient({ token }).catch(() => undefined);
      await new Promise<void>((resolve) => {
        clock.setTimer(resolve, 50, { ref: true });
      });
    });
    const receipt = agent.cancelAll('everything');
    expect(receipt.accepted).toBe(true);
    expect(await hasSettled(receipt.settled)).toBe(false);
    await clock.advance(50);
    const report = await receipt.settled;
    expect(report).toMatchObject({ reason: { message: 'everything' }, settledMs: 50, abandoned: [] });
    expect(rows(report)).toEqual(['background job completed']);
    expect((await work.outcome).status).toBe('completed');
  });

  it.each(['cancelAll', 'close', 'kill all'] as const)('S40 that is deaf is named by %s', async (how) => {
    const { agent, clock } = stage({ graceMs: 100 });
    const work = agent.background('deaf job', deaf);
    const settled =
      how === 'close'
        ? agent.close()
        : how === 'cancelAll'
          ? agent.cancelAll().settled
          : agent.kill('now', { all: true }).settled;
    await clock.advance(how === 'kill all' ? 0 : 100);
    const report = await settled;
    expect([report.abandoned, rows(report)]).toEqual([['deaf job'], ['background deaf job abandoned']]);
    expect((await work.outcome).status).toBe('abandoned');
    expect(clock.pending).toBe(0);
  });

  it('S40 that was given up stays named in later reports until it ends, and then is told', async () => {
    const { agent, clock, events } = stage({ graceMs: 100 });
    const end = deferred();
    agent.background('deaf job', () => end.promise);
    const { settled } = agent.cancelAll();
    await clock.advance(100);
    await settled;
    const stopTurn = async (): Promise<readonly string[]> => {
      const turn = agent.runTurn(obedient);
      await tick();
      agent.cancel();
      return (await turn).stop?.abandoned ?? [];
    };
    expect(await stopTurn()).toEqual(['deaf job']);
    end.resolve();
    await tick();
    expect(await stopTurn()).toEqual([]);
    expect(events.filter(({ type }) => type === 'late-settled')).toMatchObject([
      { name: 'deaf job', status: 'completed', turnId: undefined },
    ]);
  });

  it('S40 that starts after cancelAll is not stopped by it', async () => {
    const { agent } = stage();
    agent.background('before', obedient);
    agent.cancelAll();
    const after = agent.background('after', ({ token }) => token.isCancelled);
    expect(await after.outcome).toEqual({ status: 'completed', value: false });
  });

  it('S40 tells its beginning and its end, in between nothing', async () => {
    const { agent, events } = stage();
    const work = agent.background('job', () => 1);
    await work.outcome;
    expect(events).toMatchObject([
      { type: 'background-started', id: work.id, name: 'job' },
      { type: 'background-ended', id: work.id, name: 'job', status: 'completed' },
    ]);
    expect(events).toHaveLength(2);
  });

  it('S40 has a limit of its own', async () => {
    const { agent, clock } = stage();
    const work = agent.background('job', obedient, { timeoutMs: 300 });
    await clock.advance(300);
    expect(await work.outcome).toMatchObject({ status: 'cancelled', reason: { kind: 'deadline' } });
    expect(clock.pending).toBe(0);
  });

  it('S40 is refused once the agent is closed, and if it is none', async () => {
    const { agent } = stage();
    for (const bad of [undefined, 'job', {}]) expect(() => agent.background('x', bad as never)).toThrow(TypeError);
    expect(() => agent.background('x', () => 1, { timeoutMs: -1 })).toThrow(RangeError);
    expect(() => agent.background('x', () => 1, { graceMs: NaN })).toThrow(RangeError);
    await agent.close();
    expect(() => agent.background('x', () => 1)).toThrow('is closed');
  });

  it('S40 of a sub-agent is reached by cancelAll of its parent', async () => {
    const { agent } = stage();
    const work = agent.child('sub').background('job', obedient);
    const receipt = agent.cancelAll('everything');
    expect(await work.outcome).toMatchObject({ status: 'cancelled', reason: { message: 'everything' } });
    expect(rows(await receipt.settled)).toEqual(['background job cancelled']);
  });

  it('S40 that fails with nobody looking is no unhandled rejection', async () => {
    const { agent } = stage();
    agent.background('job', () => Promise.reject(new Error('nobody looks')));
    await tick();
    await tick();
    expect(agent.state).toBe('idle');
  });
});

/** A turn with one call that may be sent to the background. */
async function detachable(run: (token: CancellationToken) => unknown = (token) => obedient({ token })) {
  const all = stage({ graceMs: 100 });
  let token: CancellationToken | undefined;
  const turn = all.agent.runTurn(async ({ tool }) => {
    const outcome = await tool(
      call('c1', 'build'),
      (_call, ctx) => {
        ({ token } = ctx);
        ctx.partial('so far');
        return run(ctx.token);
      },
      { canDetach: true },
    );
    return outcome.status;
  });
  await tick();
  return { ...all, turn, token: token as CancellationToken };
}

describe('S40 a call that is sent to the background', () => {
  it('S40 is answered at once, and goes on under the same signal', async () => {
    const end = deferred<string>();
    const { agent, turn, token, events } = await detachable(() => end.promise);
    expect(agent.sendToBackground('c1')).toBe(true);
    const report = await turn;
    expect(report.unwrap()).toBe('detached');
    expect(report.calls).toMatchObject([{ id: 'c1', name: 'build', status: 'detached', partial: 'so far' }]);
    expect(token.isCancelled).toBe(false);
    end.resolve('built');
    await tick();
    expect(agent.takeLateOutcomes()).toMatchObject([
      { id: 'c1', name: 'build', turnId: 1, was: 'detached', status: 'completed', value: 'built' },
    ]);
    const told = events.map(({ type }) => type);
    expect(told).toEqual([
      'turn-accepted',
      'turn-started',
      'call-detached',
      'background-started',
      'tool-outcome',
      'turn-ended',
      'background-ended',
    ]);
    expect(events.find(({ type }) => type === 'call-detached')).toMatchObject({
      turnId: 1,
      callId: 'c1',
      name: 'build',
    });
  });

  it('S40 is spared by a cancel, and stopped by cancelAll, which has its row', async () => {
    const { agent, turn, token } = await detachable();
    agent.sendToBackground('c1');
    await turn;
    const next = agent.runTurn(obedient);
    await tick();
    agent.cancel();
    agent.kill();
    await next;
    expect(token.isCancelled).toBe(false);
    const { settled } = agent.cancelAll('everything');
    expect(rows(await settled)).toEqual(['background build cancelled']);
    expect(token.reason?.message).toBe('everything');
    expect(agent.takeLateOutcomes()).toMatchObject([{ was: 'detached', status: 'stopped' }]);
  });

  it('S40 keeps its id there: it can be stopped alone', async () => {
    const { agent, turn, token } = await detachable();
    agent.sendToBackground('c1');
    await turn;
    const receipt = agent.cancelCall('c1', 'enough of it');
    expect([receipt.accepted, token.reason?.message]).toEqual([true, 'enough of it']);
    expect(rows(await receipt.settled)).toEqual(['background build cancelled']);
  });

  it('S40 that is deaf is named by a close, and told when it ends', async () => {
    const end = deferred<string>();
    const { agent, turn, clock } = await detachable(() => end.promise);
    agent.sendToBackground('c1');
    await turn;
    const closing = agent.close();
    expect(await hasSettled(closing)).toBe(false);
    await clock.advance(100);
    expect((await closing).abandoned).toEqual(['build']);
    expect(agent.takeLateOutcomes()).toEqual([]);
    end.resolve('built');
    await tick();
    expect(agent.takeLateOutcomes()).toMatchObject([{ was: 'detached', status: 'completed', value: 'built' }]);
  });

  it('S40 hears the stop of its turn as long as it was not sent there', async () => {
    const { agent, turn, token } = await detachable();
    agent.cancel('enough');
    expect(token.reason?.message).toBe('enough');
    expect((await turn).calls).toMatchObject([{ status: 'stopped' }]);
    expect(agent.sendToBackground('c1')).toBe(false);
  });

  it('S40 hears a kill of its turn too', async () => {
    const { agent, turn, token, clock } = await detachable(deaf);
    agent.kill();
    await clock.advance(0);
    expect([token.isKilled, (await turn).calls[0]?.status]).toEqual([true, 'unknown']);
  });

  it('S40 loses the limit of the call, which was for the answer', async () => {
    const { agent, clock } = stage();
    const end = deferred<string>();
    let token: CancellationToken | undefined;
    const run = (_call: unknown, context: ToolContext): Promise<string> => ((token = context.token), end.promise);
    const turn = agent.runTurn(({ tool }) => tool(call('c1'), run, { canDetach: true, timeoutMs: 100 }));
    await tick();
    agent.sendToBackground('c1');
    await turn;
    await clock.advance(1_000);
    expect(token?.isCancelled).toBe(false);
    end.resolve('built');
    await tick();
    expect(agent.takeLateOutcomes()).toMatchObject([{ status: 'completed', value: 'built' }]);
  });

  it('S40 of a sub-agent on a call belongs to the nearest agent that outlives it', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const end = deferred<string>();
    let token: CancellationToken | undefined;
    let sub: InterruptController | undefined;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, { subagent }) => {
        sub = subagent('explorer');
        const report = await sub.runTurn(({ tool: inner }) =>
          inner(call('build'), (_inner, ctx) => ((token = ctx.token), end.promise), { canDetach: true }),
        );
        return report.calls.map(({ status }) => status);
      }),
    );
    await tick();
    expect(agent.sendToBackground('build')).toBe(true);
    expect((await turn).calls).toMatchObject([{ status: 'completed', value: ['detached'] }]);
    // The sub-agent is over with its call; the work is not, and a stop of the sub-agent is nothing to it.
    expect(sub?.kill('user', { all: true })).toMatchObject({ accepted: false });
    expect(token?.isCancelled).toBe(false);
    end.resolve('built');
    await clock.advance(0);
    expect(agent.takeLateOutcomes()).toMatchObject([
      { id: 'build', was: 'detached', status: 'completed', value: 'built' },
    ]);
    expect(sub?.takeLateOutcomes()).toEqual([]);
  });

  it.each<['parallel' | 'sequential', boolean]>([
    ['parallel', false],
    ['parallel', true],
    ['sequential', false],
    ['sequential', true],
  ])('S40 sends itself there before it awaits anything (%s, returns at once: %s)', async (mode, isSync) => {
    const { agent, said } = stage();
    const end = deferred<string>();
    const seen: string[] = [];
    const report = await agent.runTurn(({ tools }) =>
      tools(
        [call('build'), call('test')],
        ({ id }): unknown => {
          seen.push(id);
          if (id === 'test') return 'fine';
          expect(agent.sendToBackground(id)).toBe(true);
          expect(agent.sendToBackground(id)).toBe(false);
          seen.push('sent');
          return isSync ? 'built' : end.promise;
        },
        { canDetach: true, mode },
      ),
    );
    expect(seen).toEqual(['build', 'sent', 'test']);
    expect(report.calls).toMatchObject([{ status: 'detached' }, { status: 'completed', value: 'fine' }]);
    end.resolve('built');
    await tick();
    expect(agent.takeLateOutcomes()).toMatchObject([{ id: 'build', was: 'detached', value: 'built' }]);
    expect(said().filter((type) => type.endsWith('background-ended'))).toHaveLength(1);
  });

  it('S40 must say that it may be: the others, and what does not run, are left alone', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) => tool(call('c1'), (_call, ctx) => obedient(ctx)));
    await tick();
    expect([agent.sendToBackground('c1'), agent.sendToBackground('c2')]).toEqual([false, false]);
    agent.cancel();
    await turn;
    expect(agent.sendToBackground('c1')).toBe(false);
  });
});

describe('S40 a detached agent', () => {
  it('S40 is spared by cancel, and named by close if it is deaf', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const child = agent.child('bg', { detached: true });
    const turn = child.runTurn(({ tool }) => tool(call('deaf'), deaf));
    await tick();
    expect([agent.cancel().accepted, child.interrupted]).toEqual([false, false]);
    const closing = agent.close();
    await clock.advance(1_000);
    expect((await closing).abandoned).toContain('deaf');
    expect((await turn).status).toBe('cancelled');
  });

  it('S40 is reached by a kill of everything', async () => {
    const { agent, clock } = stage({ graceMs: Infinity });
    const turn = agent.child('bg', { detached: true }).runTurn(({ tool }) => tool(call('deaf'), deaf));
    await tick();
    expect(agent.kill().accepted).toBe(false);
    const { accepted, settled } = agent.kill('now', { all: true });
    await clock.advance(0);
    expect([accepted, (await settled).abandoned, (await turn).status]).toEqual([true, ['deaf'], 'cancelled']);
  });
});

it('S40 what a call in the background started and did not wait for is named when the call has ended, until it ends itself', async () => {
  const { agent, clock } = stage();
  const end = deferred();
  const turn = agent.runTurn(({ tool }) =>
    tool(
      call('c1'),
      async (_call, { track, token }) => {
        void track({ kind: 'process', name: 'server' }, end.promise);
        await delay(token, 50);
      },
      { canDetach: true },
    ),
  );
  await tick();
  expect(agent.sendToBackground('c1')).toBe(true);
  await turn;
  await clock.advance(50);
  expect((await agent.cancelAll().settled).abandoned).toEqual(['server']);
  end.resolve();
  await tick();
  expect((await agent.cancelAll().settled).abandoned).toEqual([]);
});

it('S40 what was sent there from a sub-agent and is given up is named by who it belongs to, and not by the sub-agent', async () => {
  const controller = new AbortController();
  const { agent, clock } = stage({ graceMs: 100, token: controller.signal });
  const end = deferred();
  let below: Promise<TurnReport<unknown>> | undefined;
  const turn = agent.runTurn(({ tool }) =>
    tool(call('plan'), async (_call, { subagent }) => {
      below = subagent('explorer').runTurn(async (inner) => {
        await inner.tool(call('build'), () => end.promise, { canDetach: true });
        await inner.tool(call('test'), () => end.promise, { graceMs: 150 });
      });
      await below;
    }),
  );
  await tick();
  expect(agent.sendToBackground('build')).toBe(true);
  await tick();
  controller.abort();
  await clock.advance(150);
  expect((await below)?.stop?.abandoned).toEqual(['test']);
  expect((await turn).stop?.abandoned).toEqual(expect.arrayContaining(['build', 'test']));
  end.resolve();
  await clock.advance(0);
});

it('S40 what a sub-agent in the background has given up is named by each stop above, until it ends itself', async () => {
  const { agent, clock } = stage({ graceMs: 100 });
  const end = deferred();
  let sub: InterruptController | undefined;
  const turn = agent.runTurn(({ tool }) =>
    tool(
      call('plan'),
      async (_call, { subagent }) => {
        sub = subagent('explorer');
        await sub.runTurn(({ track }) => track({ kind: 'process', name: 'server' }, end.promise));
      },
      { canDetach: true },
    ),
  );
  await tick();
  expect(agent.sendToBackground('plan')).toBe(true);
  await turn;
  const named = async (): Promise<readonly string[] | undefined> => {
    const next = agent.runTurn(({ token }) => token.whenCancelled());
    agent.cancel();
    return (await next).stop?.abandoned;
  };
  // As long as it only runs in the background it is spared.
  expect(await named()).toEqual([]);
  sub?.cancel();
  await clock.advance(100);
  expect(await named()).toEqual(['server']);
  end.resolve();
  await tick();
  expect(await named()).toEqual([]);
});

it.each([
  ['cancelAll', 100],
  ['kill', 0],
  ['cancelCall', 100],
] as const)(
  'S40 a call is part of the background when its departure is told: %s waits for it or names it',
  async (how, ms) => {
    const { agent, clock } = stage({ graceMs: 100 });
    const end = deferred<string>();
    const from = clock.now();
    const settled: unknown[] = [];
    agent.onEvent(({ type }) => {
      if (type !== 'call-detached') return;
      const aims = {
        cancelAll: () => agent.cancelAll(),
        kill: () => agent.kill('user', { all: true }),
        cancelCall: () => agent.cancelCall('c1'),
      };
      void aims[how]().settled.then(({ abandoned }) => settled.push(clock.now() - from, ...abandoned));
    });
    const turn = agent.runTurn(({ tool }) => tool(call('c1'), () => end.promise, { canDetach: true }));
    await tick();
    expect(agent.sendToBackground('c1')).toBe(true);
    await clock.advance(200);
    expect(settled).toEqual([ms, 'c1']);
    expect((await turn).calls).toMatchObject([{ status: 'detached' }]);
    end.resolve('late');
    await agent.close();
    expect(agent.takeLateOutcomes()).toMatchObject([{ id: 'c1', was: 'detached', status: 'completed' }]);
  },
);

it('S40 a sub-agent whose call has just left is part of no turn, also where who hears of it prompts the sub-agent', async () => {
  const { agent, clock } = stage({ graceMs: 100 });
  let sub: InterruptController | undefined;
  let nested: Promise<{ readonly status: string }> | undefined;
  agent.onEvent(({ type }) => {
    if (type === 'call-detached') nested = sub?.runTurn(({ token }) => delay(token, 300));
  });
  const turn = agent.runTurn(async ({ tool, token }) => {
    const plan = tool(
      call('plan'),
      async (_call, context) => {
        sub = context.subagent('explorer');
        await delay(context.token, 500);
      },
      { canDetach: true },
    );
    await plan;
    await delay(token, 1_000);
  });
  await tick();
  expect(agent.sendToBackground('plan')).toBe(true);
  await tick();
  agent.cancel();
  expect((await turn).status).toBe('cancelled');
  await clock.advance(300);
  expect((await nested)?.status).toBe('completed');
  await clock.advance(200);
});

it('S40 a second stop of everything names what the first has given up, also while a prompt waits', async () => {
  const { agent, clock } = stage({ graceMs: 100 });
  const end = deferred();
  agent.background('job', () => end.promise);
  agent.accept();
  expect(agent.kill('first', { all: true }).accepted).toBe(true);
  await clock.advance(1_000);
  expect((await agent.kill('second', { all: true }).settled).abandoned).toEqual(['job']);
  end.resolve();
  await tick();
});

it('S40 can be stopped alone while the stop of the turn that it has left goes on, and its sub-agent with it', async () => {
  const { agent, events } = stage();
  let nested: Promise<TurnReport<unknown>> | undefined;
  const turn = agent.runTurn(async ({ tool, token }) => {
    const run = (_call: unknown, { subagent }: ToolContext) =>
      (nested = subagent('explorer').runTurn(({ token: inner }) => delay(inner, 3_600_000)));
    await tool(call('plan'), run, { canDetach: true });
    await obedient({ token });
  });
  await tick();
  expect(agent.sendToBackground('plan')).toBe(true);
  await tick();
  agent.cancel('the turn');
  expect(agent.cancelCall('plan', 'the call').accepted).toBe(true);
  expect([await turn, await nested]).toMatchObject([
    { status: 'cancelled', reason: { message: 'the turn' } },
    { status: 'cancelled', reason: { message: 'the call' } },
  ]);
  const said = events.filter((event) => event.type === 'interrupt-requested');
  expect(said.map(({ reason }) => reason.message)).toEqual(['the turn', 'the call']);
});
