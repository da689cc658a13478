import { getEventListeners } from 'node:events';

import { describe, expect, it } from 'vitest';

import { CancelledError } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, hasSettled, obedient, stage, tick } from '../kit.ts';

describe('what a turn comes to', () => {
  it('completed: its value', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(() => Promise.resolve(7));
    expect(report).toEqual({
      status: 'completed',
      value: 7,
      turnId: 1,
      calls: [],
      partials: [],
      undelivered: [],
      unwrap: expect.any(Function),
    });
    expect(report.unwrap()).toBe(7);
  });

  it.each([
    [
      'thrown',
      () => {
        throw new Error('x');
      },
    ],
    ['rejected', () => Promise.reject(new Error('x'))],
  ])('failed: its own error, %s', async (_how, body) => {
    const { agent } = stage();
    const report = await agent.runTurn(body);
    expect(report).toMatchObject({ status: 'failed', error: { message: 'x' } });
    expect(() => report.unwrap()).toThrow('x');
    expect(agent.state).toBe('idle');
  });

  it('failed: somebody else’s abort is no cancel of ours', async () => {
    const { agent } = stage();
    const foreign = new DOMException('This operation was aborted', 'AbortError');
    expect(await agent.runTurn(() => Promise.reject(foreign))).toMatchObject({ status: 'failed', error: foreign });
  });

  it('cancelled: the reason, and unwrap throws it', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(obedient);
    agent.cancel({ message: 'enough' });
    const report = await turn;
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user', message: 'enough' }, turnId: 1 });
    expect(report).not.toHaveProperty('completed');
    let error: unknown;
    try {
      report.unwrap();
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(CancelledError);
    expect((error as CancelledError).reason).toBe(report.status === 'cancelled' && report.reason);
  });

  it('cancelled: what the body returned all the same is not lost', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ token }) => obedient({ token }).catch(() => 'salvaged'));
    agent.cancel();
    const report = await turn;
    expect(report).toMatchObject({ status: 'cancelled', completed: { value: 'salvaged' } });
    expect(() => report.unwrap()).toThrow(CancelledError);
  });

  it('failed: a genuine failure that raced the cancel stays one', async () => {
    const { agent, events } = stage();
    const end = deferred();
    const turn = agent.runTurn(() => end.promise);
    agent.cancel();
    end.reject(new Error('disk full'));
    expect(await turn).toMatchObject({
      status: 'failed',
      error: { message: 'disk full' },
      stop: { reason: { kind: 'user' } },
    });
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', status: 'failed', interrupted: true });
  });
});

describe('the body', () => {
  it('S07 a completion that races the cancel: one terminal event, and the value is kept', async () => {
    for (const first of ['complete', 'cancel'] as const) {
      const { agent, events } = stage();
      const end = deferred<string>();
      const turn = agent.runTurn(() => end.promise);
      await tick();
      if (first === 'complete') end.resolve('value');
      agent.cancel();
      end.resolve('value');
      const report = await turn;
      expect(
        report.status === 'completed' ? report.value : report.status === 'cancelled' && report.completed?.value,
      ).toBe('value');
      expect(events.filter(({ type }) => type === 'turn-ended')).toHaveLength(1);
    }
  });

  it('that ignores its cancel still settles within the grace, and not before', async () => {
    const { agent, clock } = stage({ graceMs: 600 });
    const turn = agent.runTurn(deaf);
    await tick();
    agent.cancel();
    await clock.advance(599);
    expect(await hasSettled(turn)).toBe(false);
    await clock.advance(1);
    expect(await turn).toMatchObject({ status: 'cancelled', stop: { settledMs: 600 } });
    expect(clock.pending).toBe(0);
  });

  it('that ignores its cancel settles at once under kill', async () => {
    const { agent, clock } = stage({ graceMs: 60_000 });
    const turn = agent.runTurn(deaf);
    await tick();
    agent.cancel();
    agent.kill();
    await clock.advance(0);
    expect(await turn).toMatchObject({ status: 'cancelled', stop: { settledMs: 0 } });
    expect(clock.pending).toBe(0);
  });

  it('may be given all the time it needs', async () => {
    const { agent, clock } = stage({ graceMs: Infinity });
    const end = deferred();
    const turn = agent.runTurn(async () => {
      await end.promise;
      return 'unwound';
    });
    await tick();
    agent.cancel();
    await clock.advance(3_600_000);
    expect(await hasSettled(turn)).toBe(false);
    end.resolve();
    expect(await turn).toMatchObject({ status: 'cancelled', completed: { value: 'unwound' } });
    expect(clock.pending).toBe(0);
  });

  it('has at least half of its grace after its calls have had theirs: it can only unwind then', async () => {
    const { agent, clock } = stage({ graceMs: 300 });
    const turn = agent.runTurn(async ({ tool }) => {
      await tool(call('a'), deaf);
      await new Promise<void>((resolve) => {
        clock.setTimer(resolve, 140, { ref: true });
      });
      return 'unwound';
    });
    await tick();
    agent.cancel();
    await clock.advance(5_000);
    expect(await turn).toMatchObject({
      status: 'cancelled',
      completed: { value: 'unwound' },
      stop: { settledMs: 440 },
    });
  });

  it('waits for the calls it did not wait for', async () => {
    const { agent } = stage();
    const end = deferred();
    const turn = agent.runTurn(({ tool }) => {
      void tool(call('a'), () => end.promise);
      return 'early';
    });
    expect(await hasSettled(turn)).toBe(false);
    end.resolve();
    expect(await turn).toMatchObject({ status: 'completed', value: 'early', calls: [{ status: 'completed' }] });
  });
});

describe('nothing outlives the turn', () => {
  it('no timer, however it ends', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ model, tool }) =>
      Promise.all([model(({ token }) => obedient({ token })), tool(call('a'), deaf)]),
    );
    await tick();
    agent.cancel();
    await clock.advance(1_000);
    expect((await turn).status).toBe('cancelled');
    await tick();
    expect(clock.pending).toBe(0);
  });

  it('no listener on an outside AbortSignal: of the agent, of the turn', async () => {
    const [forAgent, forTurn] = [new AbortController(), new AbortController()];
    const { agent, clock } = stage({ token: forAgent.signal });
    const listeners = (): number =>
      [forAgent, forTurn].reduce((sum, { signal }) => sum + getEventListeners(signal, 'abort').length, 0);
    const late = deferred();
    for (let i = 0; i < 5; i += 1) {
      for (const end of ['completes', 'fails', 'is cancelled', 'is killed', 'is left behind', 'has children']) {
        const turn = agent.runTurn(
          async (own) => {
            void own.signal;
            own.token.onCancelled(() => undefined);
            if (end === 'fails') throw new Error('x');
            await own.model(({ signal }) => signal.aborted);
            if (end === 'is left behind') await own.tool(call('a'), () => late.promise);
            if (end === 'has children') {
              await own.tool(call('a'), (_call, { subagent, signal }) =>
                subagent('sub').runTurn(({ signal: below }) => [signal, below].length),
              );
            }
            if (end.startsWith('is')) await obedient(own);
          },
          { token: forTurn.signal },
        );
        await tick();
        expect(listeners()).toBeLessThanOrEqual(2);
        if (end === 'is killed') agent.kill();
        else if (end.startsWith('is')) agent.cancel();
        await clock.advance(3_000);
        await turn;
      }
    }
    late.resolve();
    await tick();
    expect(listeners()).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('a turn’s outside token that is cancelled later touches nothing', async () => {
    const { agent, events } = stage();
    const outside = new AbortController();
    await agent.runTurn(() => 1, { token: outside.signal });
    const end = deferred();
    const second = agent.runTurn(() => end.promise);
    outside.abort();
    expect(agent.interrupted).toBe(false);
    end.resolve();
    expect((await second).status).toBe('completed');
    expect(events.filter(({ type }) => type === 'interrupt-requested')).toEqual([]);
  });
});
