/**
 * A stop that was told in this very process.
 *
 * @module
 */
import type { Clock } from '../core/foundation/clock.ts';
import type { StopReport } from '../core/interrupt/public-types/stop-report.ts';
import type { StopProgress } from './stop-bus.ts';
import { waitAtMost } from '../core/combinators/wait-at-most.ts';

/** How far a stop came whose work was told, and settles with a report. */
export function toldProgress(
  clock: Clock,
  report: Promise<StopReport>,
): StopProgress & { readonly until: NonNullable<StopProgress['until']> } {
  report.catch(() => undefined);
  return {
    status: 'observed',
    until: async (phase, timeoutMs) => {
      const known = phase === 'settled' ? await waitAtMost(clock, timeoutMs, report) : undefined;
      return known === undefined ? { status: 'observed' } : { status: 'settled', report: known };
    },
  };
}
