import { describe, expect, it } from 'vitest';

import {
  WorkStatus,
  type StatusSource,
  type StatusView,
} from '../../../../src/adapters/internal/status/work-status.ts';
import { CancellationTokenSource, delay, InterruptController } from '../../../../src/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

function follow(clock = new VirtualClock(), agent: StatusSource = new InterruptController({ name: 'Ada', clock })) {
  const views: (StatusView | undefined)[] = [];
  const told: string[] = [];
  const status = new WorkStatus(
    agent,
    {
      changed: (view) => views.push(view),
      cancelled: () => told.push('cancelled'),
      stopped: ({ abandoned }) => told.push(`stopped ${abandoned.join()}`),
    },
    clock,
  );
  return { clock, agent: agent as InterruptController, status, views, told };
}

describe('WorkStatus', () => {
  it('tells the time of the turn at each full second, and arms nothing while nothing runs', async () => {
    const { clock, agent, status, views } = follow();
    expect(status.view).toBeUndefined();
    await clock.advance(700);
    expect(clock.pending).toBe(0);
    const turn = agent.runTurn(({ token }) => delay(token, 2500));
    views.length = 0;
    await clock.advance(2500);
    const told = views.filter((view) => view?.state === 'running').map((view) => view?.elapsedMs);
    expect([...new Set(told)]).toEqual([0, 1000, 2000]);
    await turn;
    await clock.advance(0);
    expect([status.view, clock.pending]).toEqual([undefined, 0]);
    status.release();
  });

  it('counts the time of each turn anew, also where one follows the other at once', async () => {
    const { clock, agent, status } = follow();
    const first = agent.runTurn(({ token }) => delay(token, 5000), { whenBusy: 'queue' });
    const second = agent.runTurn(({ token }) => delay(token, 5000), { whenBusy: 'queue' });
    await clock.advance(6000);
    expect(status.view?.elapsedMs).toBe(1000);
    await clock.advance(5000);
    await Promise.all([first, second]);
    status.release();
  });

  it('tells of a stop when it is asked for, and of its report when the turn has ended', async () => {
    const { clock, agent, status, views, told } = follow();
    const turn = agent.runTurn(async ({ tools }) => {
      await tools([{ id: '1', name: 'deaf', input: {} }], () => new Promise(() => undefined));
    });
    await clock.advance(3000);
    agent.cancel();
    expect(told).toEqual(['cancelled']);
    await clock.advance(0);
    expect(views.at(-1)?.state).toBe('cancelling');
    await clock.advance(5000);
    await turn;
    expect(told).toEqual(['cancelled', 'stopped deaf']);
    agent.cancel();
    expect(told).toHaveLength(2);
    status.release();
  });

  it('leaves the events of sub-agents alone', async () => {
    const { clock, agent, status, told } = follow();
    const turn = agent.runTurn(async ({ token }) => {
      const child = agent.child('Bob');
      const work = child.runTurn((inner) => delay(inner.token, 60_000));
      await delay(token, 1000);
      child.cancel();
      await work;
      await delay(token, 1500);
    });
    await clock.advance(2200);
    expect([status.view?.elapsedMs, told]).toEqual([2200, []]);
    await clock.advance(5000);
    await turn;
    status.release();
  });

  it('counts a progress until it is released or its token is cancelled', async () => {
    const { clock, status } = follow();
    const source = new CancellationTokenSource();
    const index = status.progress('Index', { total: 10 });
    const fetching = status.progress('Fetch', { token: source.token });
    index.update(3);
    fetching.update(1, 2);
    expect(status.view).toMatchObject({
      state: 'idle',
      progress: [
        { label: 'Index', done: 3, total: 10 },
        { label: 'Fetch', done: 1, total: 2 },
      ],
    });
    await clock.advance(1500);
    expect(status.view?.elapsedMs).toBe(1500);
    source.cancel();
    fetching.update(2);
    expect(status.view?.progress).toHaveLength(1);
    index.release();
    index.release();
    expect([status.view, clock.pending]).toEqual([undefined, 0]);
    status.progress('late', { token: source.token });
    expect(status.view).toBeUndefined();
    status.release();
  });

  it('hears nothing after its release', async () => {
    const { clock, agent, status, views } = follow();
    status.release();
    views.length = 0;
    const turn = agent.runTurn(({ token }) => delay(token, 1500));
    status.progress('late');
    await clock.advance(1500);
    await turn;
    expect([views, status.view]).toEqual([[], undefined]);
  });

  it('refuses what is no agent, no label and no amount', () => {
    expect(() => follow(undefined, null as never)).toThrow('agent must be an object, got null');
    expect(() => follow(undefined, { state: 'idle' } as never)).toThrow('agent.onEvent must be a function');
    const { status } = follow();
    expect(() => status.progress(7 as never)).toThrow('label must be a string, got 7');
    expect(() => status.progress('x', { total: '7' as never })).toThrow('total must be a number, got "7"');
    expect(() => {
      status.progress('x').update(-1);
    }).toThrow(new RangeError('done must be finite and 0 or more, got -1'));
    status.release();
  });
});
