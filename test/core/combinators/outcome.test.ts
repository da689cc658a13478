import { describe, expectTypeOf, it } from 'vitest';

import type { CancelReason, LateOutcome, Outcome } from '../../../src/index.ts';

describe('Outcome', () => {
  it('an outcome has four words, and status tells them apart', () => {
    expectTypeOf<Outcome<number>['status']>().toEqualTypeOf<'completed' | 'failed' | 'cancelled' | 'abandoned'>();
    expectTypeOf<Extract<Outcome<number>, { status: 'completed' }>['value']>().toEqualTypeOf<number>();
    expectTypeOf<Extract<Outcome<number>, { status: 'failed' }>['error']>().toEqualTypeOf<unknown>();
    expectTypeOf<Extract<Outcome<number>, { status: 'cancelled' }>['reason']>().toEqualTypeOf<CancelReason>();
    expectTypeOf<Extract<Outcome<number>, { status: 'abandoned' }>['late']>().toEqualTypeOf<
      Promise<LateOutcome<number>>
    >();
  });

  it('an outcome that is late has ended', () => {
    expectTypeOf<LateOutcome<number>['status']>().toEqualTypeOf<'completed' | 'failed' | 'cancelled'>();
  });
});
