import fc, { type Arbitrary } from 'fast-check';
import { expectTypeOf, it } from 'vitest';

import type { CancelReason } from '../../src/index.ts';
import { cancelReason, raceScheduler } from '../../src/testing/fast-check/index.ts';

it('cancelReason is an arbitrary of reasons, of kinds that exist', () => {
  expectTypeOf(cancelReason()).toEqualTypeOf<Arbitrary<CancelReason>>();
  void cancelReason({ kinds: ['user', 'app:loop'] });
  // @ts-expect-error a kind of an application has a namespace
  void cancelReason({ kinds: ['loop'] });
});

it('raceScheduler takes the value of fc.scheduler(), and its promises have the types of what they give', () => {
  void fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    const { gate, settle } = raceScheduler(scheduler, { reason: 'user', graceMs: undefined });
    expectTypeOf(gate('open')).toEqualTypeOf<Promise<void>>();
    expectTypeOf(gate('open', async () => 42)).toEqualTypeOf<Promise<number>>();
    expectTypeOf(await settle(gate('open', () => 'text'))).toEqualTypeOf<PromiseSettledResult<string>>();
  });
  // @ts-expect-error the arbitrary is not yet a scheduler
  raceScheduler(fc.scheduler());
});
