import { expect, it } from 'vitest';

import { createReason } from '../../../../src/index.ts';
import { StopRecord } from '../../../../src/core/interrupt/stops/stop-record.ts';
import { deaf, stage, tick } from '../kit.ts';

it('a record begins with the stop alone: nobody has been told, and nothing was killed', () => {
  const reason = createReason('user');
  const stop = new StopRecord(reason, reason, 7);
  expect(stop).toMatchObject({ reason, askedFor: reason, killedBy: undefined, requestedAt: 7, acknowledgedAt: 7 });
  expect(stop.isSaid).toBe(false);
});

it('the failure of a body is no stop that somebody asked for, and one that comes later is', async () => {
  const { agent, clock, events } = stage();
  const turn = agent.runTurn(({ model }) => {
    void model(deaf).catch(() => undefined);
    throw new Error('the body fails');
  });
  await tick();
  agent.cancel('enough');
  await clock.advance(10_000);
  expect(await turn).toMatchObject({ status: 'failed', stop: { reason: { kind: 'sibling' } } });
  expect(events.at(-1)).toMatchObject({ type: 'turn-ended', interrupted: true, reason: { message: 'enough' } });
});
