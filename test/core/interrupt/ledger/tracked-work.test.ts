import { describe, expect, it } from 'vitest';

import { createCancelledError } from '../../../../src/core/foundation/errors.ts';
import { createReason } from '../../../../src/core/foundation/reason.ts';
import { CancellationTokenSource, delay, withCancellation, type StopReport } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, errorOf, hasSettled, obedient, stage, tick } from '../kit.ts';

const rows = (report: StopReport | undefined): string[] =>
  (report?.operations ?? []).map(({ kind, name, outcome }) => `${kind} ${name} ${outcome}`);

describe('work that a turn tracks', () => {
  it('has a row in the report of a stop, and the stop waits for it', async () => {
    const { agent, clock } = stage({ graceMs: 500 });
    const turn = agent.runTurn(async ({ track, token }) => {
      const exit = new Promise<string>((resolve) => {
        token.onCancelled(() => {
          clock.setTimer(() => resolve('exit'), 200, { ref: true });
        });
      });
      await track({ kind: 'process', name: 'dev-server' }, exit);
    });
    await tick();
    agent.cancel();
    await clock.advance(200);
    const { stop } = await turn;
    expect([rows(stop), stop?.settledMs]).toEqual([['process dev-server completed'], 200]);
  });

  it('gives the work’s own value and error', async () => {
    const { agent } = stage();
    const error = new Error('broke');
    const report = await agent.runTurn(async ({ track }) => [
      await track({ kind: 'job', name: 'fine' }, Promise.resolve(7)),
      await errorOf(track({ kind: 'job', name: 'broken' }, Promise.reject(error))),
    ]);
    expect(report.unwrap()).toEqual([7, error]);
    expect(report).not.toHaveProperty('stop');
  });

  it('means what its owner says it means', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ track, token }) => {
      const outcomeOf = (code: number) => (code === 0 ? 'completed' : 'failed');
      const ended = deferred<number>();
      token.onCancelled(() => ended.resolve(1));
      await track({ kind: 'process', name: 'tests', outcomeOf }, ended.promise);
    });
    await tick();
    agent.cancel();
    expect(rows((await turn).stop)).toEqual(['process tests failed']);
  });

  it('is named as left behind if it says that it is', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ track, token }) => {
      const left = obedient({ token }).catch(() => {
        throw createCancelledError(token.reason ?? createReason('unknown'), { abandoned: { name: 'zombie' } });
      });
      await track({ kind: 'process', name: 'zombie' }, left);
    });
    await tick();
    agent.cancel();
    const { stop } = await turn;
    expect([rows(stop), stop?.abandoned]).toEqual([['process zombie abandoned'], ['zombie']]);
  });

  it('is not named as left behind if only what it came to is unknown', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ track, token }) => {
      const over = obedient({ token }).catch(() => {
        const reason = token.reason ?? createReason('unknown');
        throw createCancelledError(reason, { abandoned: { name: 'search', isOver: true } });
      });
      await track({ kind: 'mcp', name: 'search' }, over);
    });
    await tick();
    agent.cancel();
    const { stop } = await turn;
    expect([rows(stop), stop?.abandoned]).toEqual([['mcp search cancelled'], []]);
  });

  it('that says it is left behind, after the turn had given it up, is still named', async () => {
    const { agent, clock } = stage({ graceMs: 20 });
    const turn = agent.runTurn(async ({ track, token }) => {
      const left = deferred<never>();
      token.onCancelled((reason) =>
        clock.setTimer(() => left.reject(createCancelledError(reason, { abandoned: { name: 'zombie' } })), 40, {
          ref: true,
        }),
      );
      void track({ kind: 'process', name: 'zombie' }, left.promise);
      // Work inside the body, in a grace of its own, for which the stop waits longer than for the rest.
      await withCancellation(token, deaf, { graceMs: 60 });
    });
    await tick();
    agent.cancel();
    await clock.runAll();
    expect(rows((await turn).stop)).toContain('process zombie abandoned');
  });

  it('S37 keeps the turn open until it has ended', async () => {
    const { agent, events } = stage();
    const end = deferred<string>();
    const turn = agent.runTurn(({ track }) => void track({ kind: 'process', name: 'server' }, end.promise));
    await tick();
    expect(events.at(-1)).toMatchObject({ type: 'body-ended', turnId: 1, running: ['server'] });
    end.resolve('exit');
    expect((await turn).status).toBe('completed');
  });

  it('that nobody awaits is no unhandled rejection when the stop ends it', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('c1'), async (_call, { track, token }) => {
        const run = delay(token, 10_000);
        run.catch(() => undefined);
        void track({ kind: 'process', name: 'p' }, run);
        return run;
      }),
    );
    await tick();
    agent.cancel();
    expect((await turn).calls).toMatchObject([{ status: 'stopped' }]);
    await tick();
  });
});

describe('work that a call tracks', () => {
  it('of the turn itself is waited for as long as a call, and then named', async () => {
    const { agent, clock } = stage({ graceMs: 50 });
    const turn = agent.runTurn(({ track, token }) => {
      void track({ kind: 'process', name: 'dev-server' }, deaf());
      return obedient({ token });
    });
    await tick();
    agent.cancel();
    await clock.advance(49);
    expect(await hasSettled(turn)).toBe(false);
    await clock.advance(1);
    expect((await turn).stop?.abandoned).toEqual(['dev-server']);
  });

  it('is named in later stops when the call returned without it, until it ends', async () => {
    const { agent, events } = stage({ graceMs: 50 });
    const exit = deferred<string>();
    const turn = agent.runTurn(async ({ tool, model }) => {
      await tool(call('c1', 'start_server'), (_call, { track }) => {
        void track({ kind: 'process', name: 'dev-server' }, exit.promise);
        return 'started';
      });
      await model(obedient);
    });
    await tick();
    agent.cancel();
    const { stop, calls } = await turn;
    expect([stop?.abandoned, calls[0]?.status]).toEqual([['dev-server'], 'completed']);
    exit.resolve('exit');
    await tick();
    expect(events.filter(({ type }) => type === 'late-settled')).toMatchObject([{ name: 'dev-server', turnId: 1 }]);
    const next = agent.runTurn(obedient);
    await tick();
    agent.cancel();
    expect((await next).stop?.abandoned).toEqual([]);
  });

  it.each(['the turn', 'the call'] as const)(
    'has what is left of the grace of its call where a stop of %s ends that first',
    async (what) => {
      for (const endsAfter of [30, 40]) {
        const { agent, clock } = stage({ graceMs: 50 });
        const turn = agent.runTurn(({ tool }) =>
          tool(call('c1'), async (_call, { track, token }) => {
            const server = obedient({ token }).catch(() =>
              delay(new CancellationTokenSource({ clock }).token, endsAfter),
            );
            void track({ kind: 'process', name: 'server' }, server);
            // It takes some of the grace itself.
            await obedient({ token }).catch(() => delay(new CancellationTokenSource({ clock }).token, 15));
          }),
        );
        await tick();
        if (what === 'the turn') agent.cancel();
        else agent.cancelCall('c1');
        await clock.advance(endsAfter - 1);
        expect(await hasSettled(turn)).toBe(false);
        await clock.advance(1);
        const { stop, calls } = await turn;
        expect(calls).toMatchObject([{ status: 'completed' }]);
        if (what === 'the turn') expect(rows(stop)).toEqual(['tool c1 completed', 'process server completed']);
        expect((await agent.cancel().settled).abandoned).toEqual([]);
        expect(clock.pending).toBe(0);
      }
    },
  );

  it.each(['cancel', 'kill'] as const)('is named when the grace of its call is over, or after a %s', async (how) => {
    const { agent, clock } = stage({ graceMs: 50 });
    const turn = agent.runTurn(({ tool }) =>
      tool(call('c1'), (_call, { track, token }) => {
        void track({ kind: 'process', name: 'server' }, deaf());
        return obedient({ token });
      }),
    );
    await tick();
    agent.cancel();
    await clock.advance(20);
    if (how === 'kill') agent.kill();
    await clock.advance(how === 'kill' ? 0 : 29);
    expect(await hasSettled(turn)).toBe(how === 'kill');
    await clock.advance(1);
    expect((await turn).stop).toMatchObject({ abandoned: ['server'] });
    expect(clock.pending).toBe(0);
  });

  it('is no row at all when it ended before the call did', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ tool, model }) => {
      await tool(call('c1'), (_call, { track }) => track({ kind: 'process', name: 'quick' }, Promise.resolve(1)));
      await model(obedient);
    });
    await tick();
    agent.cancel();
    expect(rows((await turn).stop)).toEqual(['model model cancelled']);
  });

  it('is reached by nobody when it is deaf, and named', async () => {
    const { agent, clock } = stage({ graceMs: 50 });
    const turn = agent.runTurn(({ tool }) =>
      tool(call('c1', 'start_server'), (_call, { track }) => track({ kind: 'process', name: 'dev-server' }, deaf())),
    );
    await tick();
    agent.cancel();
    await clock.advance(50);
    expect((await turn).stop?.abandoned).toEqual(expect.arrayContaining(['start_server', 'dev-server']));
  });
});
