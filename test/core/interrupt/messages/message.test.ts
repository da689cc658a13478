import { describe, expect, it } from 'vitest';

import { obedient, stage } from '../kit.ts';

describe('a message', () => {
  it('knows its number, its text, its delivery and its instant', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(obedient);
    await clock.advance(5);
    const first = agent.interject('a');
    const second = agent.interject('b', { delivery: 'now' });
    expect(first).toMatchObject({ id: 1, message: 'a', delivery: 'next-model-call', at: 1_005, status: 'queued' });
    expect(second).toMatchObject({ id: 2, message: 'b', delivery: 'now', status: 'queued' });
    agent.cancel();
    await turn;
    expect(agent.interject('c').id).toBe(3);
  });

  it('settles as delivered when it was given out', async () => {
    const { agent } = stage();
    const statuses: string[] = [];
    const report = await agent.runTurn((turn) => {
      const message = agent.interject('a');
      statuses.push(message.status);
      turn.takeInterjections();
      statuses.push(message.status);
      return message.settled;
    });
    expect([statuses, report.unwrap()]).toEqual([['queued', 'delivered'], 'delivered']);
  });

  it('may be anything, but its delivery may not', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(obedient);
    for (const delivery of ['later', '', 1, null]) {
      expect(() => agent.interject('a', { delivery: delivery as never })).toThrow(TypeError);
    }
    expect([agent.interrupted, agent.interject(undefined as never).status]).toEqual([false, 'queued']);
    agent.cancel();
    expect((await turn).undelivered).toHaveLength(1);
  });
});
