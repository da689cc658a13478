/**
 * Of several who watch one keyboard, the one that a stop is for.
 *
 * Invariant: the highest claim is in front, among equals the newest; so one of them always is, and a stop reaches one.
 *
 * Prior art: the focus order of a window manager.
 *
 * @module
 */
import type { Releasable } from '../../../core/inside.ts';

/** Says how much it claims a stop at this moment. */
export interface Claimant {
  readonly claim: number;
}

/** One order per keyboard. */
export class FrontOrder {
  /** Newest first. */
  #claimants: readonly Claimant[] = [];

  add(claimant: Claimant): Releasable {
    this.#claimants = [claimant, ...this.#claimants];
    return {
      release: () => {
        this.#claimants = this.#claimants.filter((other) => other !== claimant);
      },
    };
  }

  isInFront(claimant: Claimant): boolean {
    let front: Claimant | undefined;
    let highest = -Infinity;
    for (const one of this.#claimants) {
      const { claim } = one;
      if (claim > highest) [front, highest] = [one, claim];
    }
    return front === claimant;
  }
}
