import { describe, expect, it } from 'vitest';

import { CancellationTokenSource } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, obedient, stage, tick } from '../kit.ts';

describe('interrupted: now', () => {
  it('is set synchronously by a cancel and cleared when the turn ends', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(obedient);
    await tick();
    expect([agent.state, agent.interrupted]).toEqual(['running', false]);
    agent.cancel();
    expect([agent.state, agent.interrupted]).toEqual(['cancelling', true]);
    await turn;
    expect([agent.state, agent.interrupted, agent.interruption]).toEqual(['idle', false, undefined]);
  });

  it('stays set for as long as the turn unwinds', async () => {
    const { agent, clock } = stage({ graceMs: 500 });
    const turn = agent.runTurn(({ tool }) => tool(call('deaf'), deaf));
    await tick();
    agent.cancel();
    await clock.advance(499);
    expect(agent.interrupted).toBe(true);
    await clock.advance(501);
    await turn;
    expect(agent.interrupted).toBe(false);
  });

  it.each(['now', 'after-current-tool', 'next-model-call'] as const)(
    'is set by a message (%s) and cleared when it is delivered',
    async (delivery) => {
      const { agent } = stage();
      await agent.runTurn((turn) => {
        agent.interject('hello', { delivery });
        expect([agent.state, agent.interrupted, agent.interruption?.kind]).toEqual([
          'interjecting',
          true,
          'interjection',
        ]);
        turn.takeInterjections();
        expect([agent.state, agent.interrupted, agent.interruption]).toEqual(['running', false, undefined]);
      });
    },
  );

  it('is cleared by the end of the turn if the message was never delivered', async () => {
    const { agent } = stage();
    await agent.runTurn(() => void agent.interject('hello'));
    expect([agent.state, agent.interrupted]).toEqual(['idle', false]);
  });

  it('is cleared by the delivery also where a deaf model call fell silent after the message had cut it', async () => {
    const { agent, clock } = stage();
    const report = agent.runTurn(async ({ model, takeInterjections }) => {
      const reply = model(deaf, { idleMs: 50, graceMs: 100 });
      agent.interject('hello', { delivery: 'now' });
      await reply;
      expect(agent.interruption?.kind).toBe('interjection');
      takeInterjections();
      expect([agent.interrupted, agent.interruption]).toEqual([false, undefined]);
    });
    await clock.advance(100);
    expect((await report).status).toBe('completed');
  });

  it('is set by a kill', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(deaf);
    agent.kill();
    expect([agent.state, agent.interrupted, agent.interruption?.kind]).toEqual(['killing', true, 'cancel']);
    await clock.advance(0);
    await turn;
    expect(agent.interrupted).toBe(false);
  });

  it('is set by a cancel from outside', async () => {
    const outside = new AbortController();
    const { agent } = stage({ token: outside.signal });
    const turn = agent.runTurn(obedient);
    outside.abort();
    expect(agent.interrupted).toBe(true);
    await turn;
    expect(agent.interrupted).toBe(false);
  });

  it('stays set while a message waits that came while another was delivered', async () => {
    const { agent } = stage();
    let second = false;
    agent.onEvent((event) => {
      if (event.type !== 'interjection-delivered' || second) return;
      second = true;
      agent.interject('two');
    });
    await agent.runTurn((turn) => {
      agent.interject('one');
      turn.takeInterjections();
      expect([agent.interrupted, agent.state]).toEqual([true, 'interjecting']);
      expect(turn.takeInterjections().map(({ message }) => message)).toEqual(['two']);
      expect([agent.interrupted, agent.state]).toEqual([false, 'running']);
    });
  });
});

describe('interruption', () => {
  it('says kind, reason and instant', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(obedient);
    await clock.advance(250);
    agent.cancel({ message: 'enough' });
    expect(agent.interruption).toMatchObject({
      kind: 'cancel',
      reason: { kind: 'user', message: 'enough', source: 'main' },
      requestedAt: 1_250,
      isTimeout: false,
    });
    await turn;
  });

  it('is upgraded from a message to a cancel, and by nothing afterwards', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ tool }) => tool(call('deaf'), deaf));
    agent.interject('hello');
    await clock.advance(10);
    agent.cancel('enough');
    const cancel = agent.interruption;
    expect(cancel).toMatchObject({ kind: 'cancel', requestedAt: 1_010, reason: { message: 'enough' } });
    agent.interject('again', { delivery: 'now' });
    agent.cancel('more than enough');
    expect(agent.interruption).toEqual(cancel);
    agent.kill('now');
    expect(agent.interruption).toEqual(cancel);
    await clock.advance(0);
    await turn;
  });

  it.each([
    ['user', false],
    ['superseded', false],
    ['shutdown', false],
    ['budget', false],
    ['deadline', true],
    ['idle', true],
  ] as const)('of kind %s is a time-out: %s', async (kind, isTimeout) => {
    const { agent } = stage();
    const turn = agent.runTurn(obedient);
    agent.cancel({ kind });
    expect(agent.interruption?.isTimeout).toBe(isTimeout);
    await turn;
  });

  it('knows a limit from outside', async () => {
    const { agent, clock } = stage();
    const limit = new CancellationTokenSource({ clock, timeoutMs: 100, name: 'limit' });
    const seen: (boolean | undefined)[] = [];
    agent.onEvent((event) => {
      if (event.type === 'interrupt-requested') seen.push(agent.interruption?.isTimeout);
    });
    const turn = agent.runTurn(obedient, { token: limit.token });
    await clock.advance(100);
    expect(seen).toEqual([true]);
    expect(await turn).toMatchObject({ status: 'cancelled', reason: { kind: 'deadline' } });
  });
});

describe('wasInterrupted: told to the model once', () => {
  it('is set when a cancelled turn ends, not before', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(obedient);
    agent.cancel();
    expect(agent.wasInterrupted).toBe(false);
    await turn;
    expect(agent.wasInterrupted).toBe(true);
  });

  it('is set by the time turn-ended is told', async () => {
    const { agent } = stage();
    const seen: boolean[] = [];
    agent.onEvent(({ type }) => type === 'turn-ended' && seen.push(agent.wasInterrupted));
    const turn = agent.runTurn(obedient);
    agent.cancel();
    await turn;
    expect(seen).toEqual([true]);
  });

  it('is never set by a message', async () => {
    const { agent } = stage();
    await agent.runTurn((turn) => {
      agent.interject('one', { delivery: 'now' });
      turn.takeInterjections();
      agent.interject('two');
    });
    expect([agent.wasInterrupted, agent.consumeWasInterrupted()]).toEqual([false, undefined]);
  });

  it('is never set by a cancel while idle', async () => {
    const { agent } = stage();
    agent.cancel();
    agent.kill();
    expect(agent.wasInterrupted).toBe(false);
    await agent.runTurn(() => 1);
    expect(agent.wasInterrupted).toBe(false);
  });

  it('is not set by a turn that failed by itself', async () => {
    const { agent } = stage();
    await agent.runTurn(() => Promise.reject(new Error('disk full')));
    expect(agent.wasInterrupted).toBe(false);
  });

  it('survives the start of the next turn', async () => {
    const { agent } = stage();
    await agent.runTurn(() => void agent.cancel('first'));
    const seen = await agent.runTurn(() => agent.wasInterrupted);
    expect(seen.unwrap()).toBe(true);
    expect(agent.wasInterrupted).toBe(true);
  });

  it('survives a turn that is cancelled before its first model call', async () => {
    const { agent } = stage();
    await agent.runTurn(() => void agent.cancel('first'));
    const ticket = agent.accept();
    agent.cancel('user');
    await agent.runTurn(() => 'never', { ticket });
    expect(agent.wasInterrupted).toBe(true);
    expect(agent.consumeWasInterrupted()?.kind).toBe('user');
  });

  it('of several cancelled turns that nobody told is the last one', async () => {
    const { agent } = stage();
    for (const kind of ['user', 'disconnect'] as const) {
      await agent.runTurn(() => void agent.cancel(kind));
      expect(agent.wasInterrupted).toBe(true);
    }
    expect(agent.consumeWasInterrupted()?.kind).toBe('disconnect');
    expect(agent.wasInterrupted).toBe(false);
  });

  it('is cleared by consumeWasInterrupted alone, which gives the reason once', async () => {
    const { agent } = stage();
    const cancelled = await agent.runTurn(() => void agent.cancel({ kind: 'user', message: 'stop', by: 'ada' }));
    await agent.runTurn(({ model }) => model(() => 'hello'));
    expect(agent.wasInterrupted).toBe(true);
    const reason = agent.consumeWasInterrupted();
    expect(reason).toMatchObject({ kind: 'user', message: 'stop', by: 'ada' });
    expect(reason).toBe(cancelled.status === 'cancelled' && cancelled.reason);
    expect([agent.wasInterrupted, agent.consumeWasInterrupted()]).toEqual([false, undefined]);
  });

  it('is set by a cancel of the agent that delegates, on both', async () => {
    const { agent } = stage();
    const child = agent.child('sub');
    const turn = agent.runTurn(({ tool }) => tool(call('plan'), () => child.runTurn(obedient)));
    await tick();
    agent.cancel();
    await turn;
    expect([agent.wasInterrupted, child.wasInterrupted]).toEqual([true, true]);
  });

  it('is set by a turn that failed while it was cancelled', async () => {
    const { agent } = stage();
    const gate = deferred();
    const turn = agent.runTurn(() => gate.promise);
    agent.cancel();
    gate.reject(new Error('disk full'));
    expect((await turn).status).toBe('failed');
    expect(agent.wasInterrupted).toBe(true);
  });
});

describe('stoppedByPerson: since they spoke last', () => {
  it.each([
    ['a person stops a part of it too, and says nothing more', undefined, 'user'],
    ['a person stops a part of it alone', 'contain', undefined],
  ] as const)('is told of an agent that is being shut down, where %s', async (_what, onChildInterrupted, kind) => {
    const { agent } = stage({ graceMs: 500 });
    const child = agent.child('sub', { onChildInterrupted });
    const gate = deferred();
    const turn = agent.runTurn(({ tool }) => tool(call('plan'), () => child.runTurn(() => gate.promise)));
    await tick();
    agent.cancel('shutdown');
    child.cancel('user');
    gate.resolve(undefined);
    expect(await turn).toMatchObject({ status: 'cancelled', reason: { kind: 'shutdown' } });
    expect(agent.snapshot().stoppedByPerson?.kind).toBe(kind);
    await agent.runTurn(() => 'said something');
    expect(agent.snapshot().stoppedByPerson).toBe(undefined);
  });
});
