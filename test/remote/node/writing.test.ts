import { expect, it } from 'vitest';

import { Lull } from '../../../src/remote/node/engine/lull.ts';
import { Persistence } from '../../../src/remote/node/engine/persistence.ts';
import { Writing } from '../../../src/remote/node/writing.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { during } from '../kit.ts';

it('what is to be written is written one at a time, once more for all that came meanwhile, and not where it may not be', async () => {
  const clock = new VirtualClock();
  const said: string[] = [];
  const state = { mayWrite: false };
  const writing = new Writing({
    ...{
      lull: new Lull(clock),
      persistence: new Persistence(clock, 1_000, () => undefined),
      mayWrite: () => state.mayWrite,
    },
    write: async () => {
      said.push('begins');
      await new Promise<void>((resolve) => clock.setTimer(resolve, 100, { ref: true }));
      said.push('ends');
    },
  });
  writing.start();
  await writing.passed();
  await clock.advance(10);
  expect(said).toEqual([]);
  state.mayWrite = true;
  for (let n = 0; n < 3; n++) writing.start();
  await clock.advance(50);
  for (let n = 0; n < 3; n++) writing.start();
  await during(clock, writing.passed());
  expect(said.slice(0, 2)).toEqual(['begins', 'ends']);
  await clock.advance(1_000);
  expect(said).toEqual(['begins', 'ends', 'begins', 'ends']);
  expect(clock.pending).toBe(0);
});
