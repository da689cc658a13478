/**
 * What is remembered for a time, and then forgotten.
 *
 * Invariants: needs no timer; what is too old goes when somebody looks, and of too many what was remembered first.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';

/** How many are remembered. */
const REMEMBERED_AT_MOST = 10_000;

interface Remembered<V> {
  readonly value: V;
  readonly until: number;
}

/** Values by session. */
export class Recent<V> {
  readonly #clock: Clock;
  readonly #ms: number;
  /** In the order in which they were remembered last. */
  readonly #all = new Map<string, Remembered<V>>();

  /** @param ms Milliseconds for which each is remembered. */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Remembers it from now on. */
  set(id: string, value: V): void {
    this.#all.delete(id);
    this.#all.set(id, { value, until: this.#clock.now() + this.#ms });
    const [oldest] = this.#all.keys();
    if (this.#all.size > REMEMBERED_AT_MOST && oldest !== undefined) this.#all.delete(oldest);
  }

  get(id: string): V | undefined {
    this.#forget();
    return this.#all.get(id)?.value;
  }

  /** Forgets it, and returns what it was. */
  take(id: string): V | undefined {
    const value = this.get(id);
    this.#all.delete(id);
    return value;
  }

  /** Those whose values are like this. */
  idsOf(is: (value: V) => boolean): readonly string[] {
    this.#forget();
    return [...this.#all].filter(([, { value }]) => is(value)).map(([id]) => id);
  }

  #forget(): void {
    const now = this.#clock.now();
    for (const [id, { until }] of this.#all) {
      if (until > now) return;
      this.#all.delete(id);
    }
  }
}
