/**
 * Finds out that nobody is left who could answer.
 *
 * Invariant: D6, a process whose lease was lost with the engine's records is not taken for dead: it has half a lease to come back,
 * and renews within a third.
 *
 * @module
 */
import type { PursuitParts } from './pursuit-parts.ts';

/** Looks for leases. */
export class Silence {
  readonly #parts: Pick<PursuitParts, 'clock' | 'exchange' | 'leaseMs'>;
  /** Who was without a lease at the last look, and since when. */
  #of: { readonly name: string; readonly since: number } | undefined;

  constructor(parts: Pick<PursuitParts, 'clock' | 'exchange' | 'leaseMs'>) {
    this.#parts = parts;
  }

  /** Whether all of the nodes have been without a lease for half of one. */
  async isOf(nodes: readonly string[]): Promise<boolean> {
    const { clock, exchange, leaseMs } = this.#parts;
    const name = nodes.join();
    if (await exchange.anyAlive(nodes)) {
      this.#of = undefined;
      return false;
    }
    if (this.#of?.name !== name) this.#of = { name, since: clock.now() };
    return clock.now() - this.#of.since >= leaseMs / 2;
  }
}
