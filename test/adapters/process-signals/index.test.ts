import { expect, it } from 'vitest';

import { drainOnSignals } from '../../../src/adapters/process-signals/index.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import { turns } from '../child-process/fake-child.ts';

it('drainOnSignals listens to this process, and to nothing once it is released', async () => {
  const counts = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => process.listenerCount(signal));
  const before = counts();
  const signals = drainOnSignals(new SessionRegistry(), { signals: ['SIGTERM', 'SIGHUP', 'SIGTERM'] });
  expect([counts(), signals.isDraining]).toEqual([[before[0], before[1]! + 1, before[2]! + 1], false]);
  signals.release();
  signals.release();
  await turns();
  expect(counts()).toEqual(before);
});
