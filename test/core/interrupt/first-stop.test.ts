/**
 * Which of several stops came first, and who has heard of it: a stop that a token tells is announced once, to everybody.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';

import type { InterruptEvent } from '../../../src/index.ts';
import { deaf, obedient, stage, tick } from './kit.ts';

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
    expect(announced(events)).toEqual(['first', 'second']);
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
