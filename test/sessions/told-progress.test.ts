import { describe, expect, it } from 'vitest';

import type { StopReport } from '../../src/index.ts';
import { toldProgress } from '../../src/sessions/told-progress.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

describe('a stop that was told here', () => {
  it('a stop that was told here is observed, and settles with its report', async () => {
    const clock = new VirtualClock();
    const report = deferred<StopReport>();
    const { status, until } = toldProgress(clock, report.promise);
    const waiting = until('settled', 50);
    await clock.advance(50);
    expect([status, await waiting, await until('observed', 50)]).toEqual(['observed', { status }, { status }]);
    report.resolve({ turnId: 3 } as StopReport);
    expect(await until('settled', 50)).toEqual({ status: 'settled', report: { turnId: 3 } });
  });
});
