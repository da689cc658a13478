/**
 * What a process on a stop bus is made of, as the options of the bus have it.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import type { RecordTimes } from './engine/exchange.ts';

/** What a node is made of. */
export interface NodeParts {
  readonly name: string;
  readonly node: string;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** For how long a stop is tried to be written. */
  readonly confirmMs: number;
  readonly times: RecordTimes;
  readonly onUnavailable: 'run-local' | 'throw';
  readonly newId: () => string;
  /** How many operations the engine takes at once, where it says so. */
  readonly mostAtOnce: number | undefined;
}
