/**
 * What the heartbeats tell of the engine's memory. Each leaves a mark of its own in the lease, and finds the mark of the one before:
 * an engine in which another one is found, or none, may have lost any of what it had confirmed until then. A replica that takes over
 * has everything up to some instant, so what is older than a mark that is found is there.
 *
 * Invariant: a heartbeat whose answer was lost is no proof: nobody knows which mark it found.
 *
 * Prior art: the replication offsets by which Redis' own replicas find out what they have missed.
 *
 * @module
 */

/** `whole`: it has what it had · `unknown`: nobody can say · `lost`: it has not. */
export type Memory = 'whole' | 'unknown' | 'lost';

/** The marks of one node. */
export class Marks {
  /** The mark of the last heartbeat that was answered. */
  #last: string | undefined;
  /** The marks that went out since. */
  readonly #unanswered = new Set<string>();

  sent(mark: string): void {
    this.#unanswered.add(mark);
  }

  /**
   * A heartbeat was answered.
   *
   * @param mark Its own.
   * @param previous The one that it found.
   */
  found(mark: string, previous: string | undefined): Memory {
    const isAsLeft = this.#last === undefined || previous === this.#last;
    const isOurs = previous !== undefined && this.#unanswered.has(previous);
    this.#last = mark;
    this.#unanswered.clear();
    return isAsLeft ? 'whole' : isOurs ? 'unknown' : 'lost';
  }

  /** Nothing depends on what the engine has of this node. */
  forget(): void {
    this.#last = undefined;
    this.#unanswered.clear();
  }
}
