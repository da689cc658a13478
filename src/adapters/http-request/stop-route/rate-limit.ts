/**
 * How often somebody may do something: a leaky bucket for each key, in memory that does not grow with the
 * number of keys. Prior art: the generic cell rate algorithm.
 *
 * @module
 */
import type { Clock } from '../../../core/inside.ts';

/** More keys than this are not told apart in time: the one that was quiet longest is forgotten. */
const MOST_KEYS = 10_000;

/** `max` at once, and as many again in every `perMs`. */
export class RateLimit {
  /** For each key the instant at which all that it has used is given back. */
  readonly #fullAt = new Map<string, number>();
  readonly #perMs: number;
  /** How long one takes to come back. */
  readonly #oneMs: number;
  readonly #clock: Clock;

  constructor(max: number, perMs: number, clock: Clock) {
    this.#perMs = perMs;
    this.#oneMs = perMs / max;
    this.#clock = clock;
  }

  /** Counts one. @returns 0 if it is allowed, else the milliseconds until the next one is. */
  take(key: string): number {
    const now = this.#clock.now();
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? 0);
    const lacksMs = fullAt + this.#oneMs - now - this.#perMs;
    // A sum of fractions is not exact, and the last one of a burst must not be lost to that.
    const waitMs = lacksMs < Math.min(1, this.#oneMs / 2) ? 0 : lacksMs;
    // The map's order is that of the last use.
    this.#fullAt.delete(key);
    this.#fullAt.set(key, waitMs > 0 ? fullAt : fullAt + this.#oneMs);
    if (this.#fullAt.size > MOST_KEYS) this.#fullAt.delete(this.#fullAt.keys().next().value as string);
    return waitMs;
  }
}
