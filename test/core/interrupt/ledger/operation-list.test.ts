import { describe, expect, it } from 'vitest';

import { delay } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, obedient, stage, tick } from '../kit.ts';

describe('StopReport', () => {
  it('says what was running, what became of it, and when', async () => {
    const { agent, clock } = stage({ graceMs: 400 });
    const turn = agent.runTurn(async ({ model, tools }) => {
      await Promise.all([
        model(({ token }) => obedient({ token }), { name: 'claude' }).catch(() => undefined),
        tools([call('quick'), call('slow'), call('deaf'), call('fails')], async ({ id }, { token }) => {
          if (id === 'quick') return;
          if (id === 'deaf') await deaf();
          await obedient({ token }).catch(() => undefined);
          await new Promise<void>((resolve) => {
            clock.setTimer(resolve, 150, { ref: true });
          });
          if (id === 'fails') throw new Error('x');
        }),
      ]);
    });
    await clock.advance(100);
    agent.cancel({ message: 'enough' });
    await clock.advance(2_000);
    expect((await turn).stop).toEqual({
      reason: expect.objectContaining({ kind: 'user', message: 'enough', source: 'main' }),
      turnId: 1,
      requestedAt: 1_100,
      acknowledgedMs: 0,
      settledMs: 400,
      operations: [
        { kind: 'model', name: 'claude', agent: 'main', outcome: 'cancelled', ms: 0 },
        { kind: 'tool', name: 'slow', agent: 'main', outcome: 'completed', ms: 150 },
        { kind: 'tool', name: 'deaf', agent: 'main', outcome: 'abandoned', ms: 400 },
        { kind: 'tool', name: 'fails', agent: 'main', outcome: 'failed', ms: 150 },
      ],
      abandoned: ['deaf'],
      callbackErrors: [],
      undelivered: [],
    });
  });

  it('has a row for what was refused', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ model, tools }) => {
      await tools([call('a'), call('b')], ({ id }) => void (id === 'a' && agent.cancel()), { mode: 'sequential' });
      await model(() => 1);
    });
    expect((await turn).stop?.operations).toMatchObject([
      { kind: 'tool', name: 'a', outcome: 'completed' },
      { kind: 'tool', name: 'b', outcome: 'not-started', ms: 0 },
      { kind: 'model', name: 'model', outcome: 'not-started', ms: 0 },
    ]);
  });

  it('forgets what ended before the stop', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ model, tools }) => {
      await model(() => 1);
      await tools([call('a')], () => 1);
      agent.cancel();
    });
    expect((await turn).stop?.operations).toEqual([]);
  });

  it('is only there if the turn was told to stop', async () => {
    const { agent } = stage();
    expect(await agent.runTurn(() => 1)).not.toHaveProperty('stop');
    expect(await agent.runTurn(() => Promise.reject(new Error('x')))).not.toHaveProperty('stop');
    expect(agent.lastReport).toBeUndefined();
    const stopped = await agent.runTurn(() => void agent.cancel());
    expect(agent.lastReport).toBe(stopped.stop);
    await agent.runTurn(() => 1);
    expect(agent.lastReport).toBe(stopped.stop);
  });

  it('acknowledged is when everything that listens had been told', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ token }) => {
      token.onCancelled(() => {
        clock.advanceSync(7);
      });
      return obedient({ token });
    });
    agent.cancel();
    expect((await turn).stop).toMatchObject({ requestedAt: 1_000, acknowledgedMs: 7, settledMs: 7 });
  });

  it('counts from the first request, whatever comes after it', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ tool }) => tool(call('a'), deaf));
    await tick();
    agent.cancel('one');
    await clock.advance(30);
    agent.cancel('two');
    agent.kill('three');
    await clock.advance(0);
    expect((await turn).stop).toMatchObject({ requestedAt: 1_000, settledMs: 30, reason: { message: 'one' } });
  });

  it('of a stop from outside is the same', async () => {
    const outside = new AbortController();
    const { agent, clock } = stage({ token: outside.signal });
    const turn = agent.runTurn(({ tool }) => tool(call('a'), (_call, ctx) => obedient(ctx)));
    await clock.advance(20);
    outside.abort();
    expect((await turn).stop).toMatchObject({
      requestedAt: 1_020,
      settledMs: 0,
      operations: [{ kind: 'tool', name: 'a', outcome: 'cancelled', ms: 0 }],
    });
  });
});

describe('callback errors', () => {
  it('of the turn, its model calls and its tools are data; every other callback runs', async () => {
    const { agent } = stage();
    const ran: string[] = [];
    const turn = agent.runTurn(async ({ token, model, tool }) => {
      token.onCancelled(() => {
        throw new Error('turn');
      });
      token.onCancelled(() => ran.push('turn'));
      await Promise.all([
        model(({ token: own }) => {
          own.onCancelled(() => {
            throw new Error('model');
          });
          return obedient({ token: own });
        }).catch(() => undefined),
        tool(call('a'), (_call, { token: own }) => {
          own.onCancelled(() => {
            throw new Error('tool');
          });
          own.onCancelled(() => ran.push('tool'));
          return obedient({ token: own });
        }),
      ]);
    });
    agent.cancel();
    const { stop } = await turn;
    expect(stop?.callbackErrors.map((error) => (error as Error).message).sort()).toEqual(['model', 'tool', 'turn']);
    expect(ran).toEqual(['turn', 'tool']);
  });

  it('of a sub-agent are in the report of the stop', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), (_call, { subagent }) =>
        subagent('sub').runTurn(({ token }) => {
          token.onCancelled(() => {
            throw new Error('below');
          });
          return obedient({ token });
        }),
      ),
    );
    await tick();
    agent.cancel();
    expect((await turn).stop?.callbackErrors).toMatchObject([{ message: 'below' }]);
  });

  it('of who listens to events are in the report of the stop', async () => {
    const { agent } = stage();
    agent.onEvent(({ type }) => {
      if (type === 'interrupt-requested') throw new Error('screen gone');
    });
    const turn = agent.runTurn(obedient);
    agent.cancel();
    expect((await turn).stop?.callbackErrors).toMatchObject([{ message: 'screen gone' }]);
  });
});

describe('settled means settled', () => {
  it('S08 waits for clean-up, and not for ever: the straggler is named', async () => {
    const { agent, clock } = stage({ graceMs: 1_000 });
    const cleaned: string[] = [];
    const turn = agent.runTurn(({ tools }) =>
      tools([call('300'), call('5000')], async ({ id }, { token, graceToken }) => {
        try {
          await obedient({ token });
        } finally {
          await delay(graceToken, Number(id)).catch(() => undefined);
          if (!graceToken.isCancelled) cleaned.push(id);
        }
      }),
    );
    await tick();
    const { settled } = agent.cancel();
    await clock.advance(1_100);
    const report = await settled;
    expect(cleaned).toEqual(['300']);
    expect(report.settledMs).toBeLessThanOrEqual(1_000);
    expect((await turn).calls.map(({ status }) => status)).toEqual([
      'stopped',
      expect.stringMatching(/stopped|unknown/),
    ]);
  });

  it('kill ends the graces now', async () => {
    const { agent, clock } = stage({ graceMs: 60_000 });
    const turn = agent.runTurn(({ tools }) => tools([call('a'), call('b')], deaf));
    await tick();
    agent.cancel();
    await clock.advance(500);
    agent.kill();
    await clock.advance(0);
    const report = await turn;
    expect(report.stop).toMatchObject({ settledMs: 500, abandoned: ['a', 'b'] });
    expect(report.calls).toMatchObject([{ status: 'unknown' }, { status: 'unknown' }]);
    expect(clock.pending).toBe(0);
  });

  it('a body that ignores its cancel is left behind after its grace, named, and heard of later', async () => {
    const { agent, clock, events } = stage({ graceMs: 250 });
    const end = deferred();
    const turn = agent.runTurn(() => end.promise);
    await tick();
    const { settled } = agent.cancel();
    await clock.advance(250);
    expect((await turn).status).toBe('cancelled');
    const report = await settled;
    expect(report.settledMs).toBe(250);
    expect(report.abandoned).toHaveLength(1);
    end.resolve();
    await tick();
    expect(events.filter(({ type }) => type === 'late-settled')).toMatchObject([{ turnId: 1, status: 'completed' }]);
  });
});
