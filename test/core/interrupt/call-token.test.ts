/** The option `token` of model and tool calls: a stop of one operation by whoever called it, while the turn lives on. */
import { describe, expect, it } from 'vitest';

import { isCancelledError } from '../../../src/core/foundation/errors.ts';
import { CancellationTokenSource, type TokenLike } from '../../../src/index.ts';
import { call, deaf, errorOf, obedient, stage, tick } from './kit.ts';

describe('a tool call under a token of its caller', () => {
  it.each(['token', 'signal'] as const)('is stopped by it (%s), with its reason, and nothing else is', async (kind) => {
    const { agent, said } = stage();
    const own = new CancellationTokenSource();
    const report = await agent.runTurn(async ({ tool, token }) => {
      const both = Promise.all([
        tool(call('a'), (_call, ctx) => (ctx.partial('half'), obedient(ctx)), { token: own[kind] }),
        tool(call('b'), () => tick().then(() => 'done')),
      ]);
      await Promise.resolve();
      own.cancel({ kind: 'deadline', message: 'too slow' });
      await both;
      return [token.isCancelled, agent.interrupted];
    });
    expect(report.unwrap()).toEqual([false, false]);
    expect(report).not.toHaveProperty('stop');
    expect(report.calls).toMatchObject([
      { id: 'a', status: 'stopped', partial: 'half', reason: { kind: 'deadline', message: 'too slow' } },
      { id: 'b', status: 'completed', value: 'done' },
    ]);
    expect([said().includes('main:interrupt-requested'), agent.wasInterrupted]).toEqual([false, false]);
  });

  it('does not start once it is cancelled, and the next one does', async () => {
    const { agent } = stage();
    const ran: string[] = [];
    const own = new CancellationTokenSource();
    own.cancel('changed my mind');
    const report = await agent.runTurn(async ({ tools, tool }) => {
      await tools([call('a'), call('b')], ({ id }) => void ran.push(id), { token: own.token });
      await tool(call('c'), ({ id }) => void ran.push(id));
    });
    expect([report.status, ran]).toEqual(['completed', ['c']]);
    expect(report.calls).toMatchObject([
      { status: 'not-started', reason: { message: 'changed my mind' } },
      { status: 'not-started' },
      { status: 'completed' },
    ]);
  });

  it('is answered within its grace if it is deaf, and keeps the first reason there was', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const own = new CancellationTokenSource();
    const turn = agent.runTurn(({ tool }) => tool(call('a'), deaf, { token: own.token }));
    await tick();
    own.cancel('mine');
    agent.cancel('the turn');
    await clock.advance(100);
    const { calls, stop } = await turn;
    expect(calls).toMatchObject([{ status: 'unknown', reason: { message: 'mine' } }]);
    expect([stop?.reason?.message, stop?.abandoned]).toEqual(['the turn', ['a']]);
  });

  it('is not stopped by what is only a message, and leaves no listener behind', async () => {
    const { agent } = stage();
    const own = new CancellationTokenSource();
    const report = await agent.runTurn(async ({ tool }) => {
      const done = tool(call('a'), () => tick().then(() => 'done'), { token: own.token });
      own.cancel({ kind: 'interjection' });
      return (await done).status;
    });
    expect(report.unwrap()).toBe('completed');
    const session = new CancellationTokenSource();
    await stage().agent.runTurn(({ tool }) => tool(call('a'), () => 'done', { token: session.token }));
    expect((session.token as unknown as { extra?: { watch: number } }).extra?.watch ?? 0).toBe(0);
  });

  it('is refused if it is none', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) =>
      tool(call('a'), () => 'never', { token: 7 as unknown as TokenLike }),
    );
    expect(report).toMatchObject({ status: 'failed', error: { name: 'TypeError' } });
    expect(report.calls).toEqual([]);
  });
});

describe('a model call under a token of its caller', () => {
  it('rejects with its reason, keeps what came, and the turn goes on', async () => {
    const { agent } = stage();
    const own = new CancellationTokenSource();
    const report = await agent.runTurn(async ({ model }) => {
      const cut = errorOf(model((ctx) => (ctx.partial('half'), obedient(ctx)), { token: own.token }));
      await Promise.resolve();
      own.cancel({ kind: 'idle', message: 'my own limit' });
      const error = await cut;
      expect(isCancelledError(error) && error.reason).toBe(own.reason);
      return (await model(() => 'and on')).status;
    });
    expect(report.unwrap()).toBe('completed');
    expect(report.partials).toMatchObject([{ modelCall: 1, value: 'half', reason: { message: 'my own limit' } }]);
    expect([report.stop, agent.wasInterrupted]).toEqual([undefined, false]);
  });

  it('does not start once it is cancelled, nor again after a silence', async () => {
    const { agent, clock } = stage();
    const own = new CancellationTokenSource();
    let starts = 0;
    const turn = agent.runTurn(async ({ model }) => {
      const silent = ({ token }: { token: Parameters<typeof obedient>[0]['token'] }): Promise<void> => {
        starts += 1;
        return obedient({ token }).catch((error: unknown) => {
          own.cancel('meanwhile');
          throw error;
        });
      };
      const errors = [
        await errorOf(model(silent, { token: own.token, idleMs: 50, recover: { attempts: 3 } })),
        await errorOf(model(silent, { token: own.token })),
      ];
      return errors.map((error) => isCancelledError(error) && error.reason.message);
    });
    await clock.advance(60);
    expect((await turn).unwrap()).toEqual(['meanwhile', 'meanwhile']);
    expect(starts).toBe(1);
  });

  it('never hides the stop of the turn, nor a message that came first', async () => {
    const { agent } = stage();
    const own = new CancellationTokenSource();
    const turn = agent.runTurn(async ({ model }) => {
      const both = errorOf(model(obedient, { token: own.token }));
      await Promise.resolve();
      own.cancel('mine');
      agent.cancel('the turn');
      expect(await both).toMatchObject({ reason: { message: 'the turn' } });
    });
    expect(await turn).toMatchObject({ status: 'cancelled', reason: { message: 'the turn' } });

    const report = await agent.runTurn(async ({ model, takeInterjections }) => {
      const cut = model(obedient, { token: new CancellationTokenSource().token });
      agent.interject('news', { delivery: 'now' });
      return [(await cut).status, takeInterjections().length];
    });
    expect(report.unwrap()).toEqual(['interjected', 1]);
  });

  it('is refused if it is none', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ model }) => model(() => 'never', { token: {} as TokenLike }));
    expect(report).toMatchObject({ status: 'failed', error: { name: 'TypeError' } });
  });
});
