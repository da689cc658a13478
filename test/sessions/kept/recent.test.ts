import { expect, it } from 'vitest';

import { Recent } from '../../../src/sessions/kept/recent.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

it('what is remembered is so for a time that counts from the last telling, and needs no timer', async () => {
  const clock = new VirtualClock();
  const recent = new Recent<number>(clock, 1_000);
  recent.set('a', 1);
  recent.set('b', 2);
  await clock.advance(600);
  recent.set('a', 3);
  await clock.advance(600);
  expect([recent.get('a'), recent.get('b'), recent.idsOf((value) => value > 0), clock.pending]).toEqual([3, undefined, ['a'], 0]); // prettier-ignore
  expect([recent.take('a'), recent.take('a')]).toEqual([3, undefined]);
});

it('what is remembered are 10,000 at most, the latest', () => {
  const recent = new Recent<number>(new VirtualClock(), 1_000);
  for (let n = 0; n <= 10_000; n++) recent.set(String(n), n);
  expect([recent.get('0'), recent.get('1'), recent.get('10000')]).toEqual([undefined, 1, 10_000]);
});
