import { describe, expect, it } from 'vitest';

import { CancellationTokenSource } from '../../../../src/index.ts';
import { obedient, stage } from '../kit.ts';

describe('a turn that was stopped before its start', () => {
  it('says its start, its stop and its end, in this order, and runs nothing', async () => {
    const source = new CancellationTokenSource();
    const { agent, said } = stage({ token: source.token });
    source.cancel('too early');
    let ran = false;
    expect(await agent.runTurn(() => (ran = true))).toMatchObject({ status: 'cancelled' });
    expect(ran).toBe(false);
    expect(said()).toEqual(['main:turn-accepted', 'main:turn-started', 'main:interrupt-requested', 'main:turn-ended']);
  });

  it('keeps the reason of its prompt, whatever a listener of the start does', async () => {
    const { agent, events } = stage();
    const ticket = agent.accept();
    ticket.cancel('first');
    agent.onEvent(({ type }) => {
      if (type === 'turn-started') agent.cancel('second');
    });
    expect(await agent.runTurn(obedient, { ticket })).toMatchObject({ reason: { message: 'first' } });
    const stops = events.flatMap((event) => (event.type === 'interrupt-requested' ? [event.reason.message] : []));
    expect(stops).toEqual(['first']);
  });
});

it('misuse of a turn is told as a rejection, and leaves the agent idle', async () => {
  const { agent } = stage();
  await expect(agent.runTurn(undefined as never)).rejects.toThrow(/body must be a function/);
  expect(agent.state).toBe('idle');
});
