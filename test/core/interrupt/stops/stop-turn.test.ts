/**
 * Which of several stops came first, and who has heard of it: a stop that a token tells is announced once, to everybody.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';

import { createReason } from '../../../../src/core/foundation/reason.ts';
import type { InterruptEvent } from '../../../../src/index.ts';
import { call, deaf, obedient, stage, tick } from '../kit.ts';

const announced = (events: readonly InterruptEvent[]): unknown[] =>
  events.flatMap((event) =>
    event.type === 'interrupt-requested' && event.kind !== 'interjection' ? [event.reason.message] : [],
  );

describe('an abort of the token of an agent is announced once', () => {
  it('also if who hears of a message that was kept cancels the next turn', async () => {
    const controller = new AbortController();
    const { agent, events } = stage({ token: controller.signal, undelivered: 'keep' });
    const first = agent.runTurn(obedient);
    controller.abort('first');
    await first;
    agent.interject('and the tests');
    agent.onEvent(({ type }) => {
      if (type === 'interjection-queued') agent.cancel('second');
    });
    const report = await agent.runTurn(obedient);
    expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'first' } });
    expect(announced(events)).toEqual(['first']);
  });

  it('also if a turn whose body threw hears of it first, by a stop of everything', async () => {
    const controller = new AbortController();
    const { agent, events, clock } = stage({ token: controller.signal });
    const failing = agent.runTurn(({ model }) => {
      void model(deaf).catch(() => undefined);
      throw new Error('the body fails');
    });
    await tick();
    controller.abort('first');
    agent.cancelAll('second');
    const next = agent.runTurn(obedient, { whenBusy: 'queue' });
    await clock.advance(10_000);
    expect([(await failing).status, (await next).status]).toEqual(['failed', 'cancelled']);
    // The second one found nothing that had not been told.
    expect(announced(events)).toEqual(['first']);
  });

  it('above, too, if a kill reaches a sub-agent that is about to hear of it', async () => {
    const controller = new AbortController();
    const { agent } = stage({ token: controller.signal });
    const child = agent.child('child');
    controller.abort('first');
    const heard: InterruptEvent[] = [];
    agent.onEvent((event) => {
      heard.push(event);
      if (event.type === 'turn-started') agent.kill('second');
    });
    expect(await child.runTurn(obedient)).toMatchObject({ status: 'cancelled', reason: { message: 'first' } });
    expect(announced(heard)).toEqual(['second', 'first']);
  });
});

it('of two tokens that who hears of the start of a turn aborts, the first is its reason', async () => {
  const ofAgent = new AbortController();
  const ofTurn = new AbortController();
  const { agent, events } = stage({ token: ofAgent.signal });
  agent.onEvent(({ type }) => {
    if (type !== 'turn-started') return;
    ofTurn.abort('first');
    ofAgent.abort('second');
  });
  const report = await agent.runTurn(() => 'ran', { token: ofTurn.signal });
  expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'first' } });
  expect(announced(events)).toEqual(['first']);
});

describe('what is asked for while a stop is being announced comes second', () => {
  it('also for a sub-agent that only then starts on a call of the turn', async () => {
    const outside = new AbortController();
    const { agent, clock, events } = stage({ token: outside.signal });
    let report: Promise<unknown> | undefined;
    const turn = agent.runTurn(({ tool }) =>
      tool(
        call('c1'),
        async (_call, { subagent, token }) => {
          const child = subagent('child');
          token.onCancelled(() => undefined);
          agent.onEvent(({ type }) => {
            if (type !== 'interrupt-requested' || report !== undefined) return;
            outside.abort('second');
            report = child.runTurn(() => 'ran');
          });
          await token.whenCancelled();
        },
        { canDetach: true },
      ),
    );
    await tick();
    agent.cancel('first');
    await clock.advance(10_000);
    expect(await report).toMatchObject({ status: 'cancelled', reason: { message: 'first' } });
    expect(await turn).toMatchObject({ status: 'cancelled', reason: { message: 'first' } });
    expect(announced(events)).toEqual(['first']);
  });

  it('also for a sub-agent on a call that is being stopped alone', async () => {
    const { agent, clock } = stage();
    let report: Promise<unknown> | undefined;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('c1'), async (_call, { subagent, token }) => {
        report = subagent('child').runTurn(obedient);
        agent.onEvent((event) => {
          if (event.type === 'interrupt-requested' && event.reason.message === 'first') agent.cancel('second');
        });
        await token.whenCancelled();
      }),
    );
    await tick();
    agent.cancelCall('c1', 'first');
    await clock.advance(10_000);
    expect(await report).toMatchObject({ status: 'cancelled', reason: { message: 'first' } });
    expect(await turn).toMatchObject({ status: 'cancelled', reason: { message: 'second' } });
  });

  it('and a sub-agent that was stopped has stopped its parent before anybody hears of its end', async () => {
    const { agent } = stage();
    const child = agent.child('child');
    let next: Promise<unknown> | undefined;
    const turn = agent.runTurn(async () => {
      const running = child.runTurn(obedient);
      child.cancel({ kind: 'user', message: 'first' });
      await running;
    });
    agent.onEvent((event) => {
      if (event.type === 'turn-ended' && event.agent === 'child') next ??= agent.child('late').runTurn(() => 'ran');
    });
    expect(await turn).toMatchObject({ status: 'cancelled', reason: { message: 'first' } });
    expect(await next).toMatchObject({ status: 'cancelled', reason: { message: 'first' } });
  });
});

it('a stop that passes on one reason object to several turns is announced each time it is asked for', async () => {
  const { agent, events } = stage();
  const reason = createReason({ kind: 'user', message: 'again' });
  for (let turn = 0; turn < 2; turn++) {
    const running = agent.runTurn(obedient);
    agent.cancel(reason);
    expect(await running).toMatchObject({ status: 'cancelled', reason: { kind: 'user', message: 'again' } });
  }
  expect(announced(events)).toEqual(['again', 'again']);
});

it('a turn that takes the place of two is one stop for a listener', async () => {
  const { agent, events } = stage();
  const reports = [agent.runTurn(obedient), agent.runTurn(obedient, { whenBusy: 'queue' })];
  reports.push(agent.runTurn(() => undefined, { whenBusy: 'supersede' }));
  expect((await Promise.all(reports)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'completed']);
  expect(announced(events)).toHaveLength(1);
});
