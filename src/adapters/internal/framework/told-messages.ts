/**
 * Where the user's messages stand that were told to the model in the middle of a framework's loop. The framework does
 * not know of them, so each later call of the same loop has to be told again, in the same places.
 *
 * Invariant: a message stands before everything the framework added after it was told.
 *
 * @module
 */

interface Told<M> {
  /** How many of the framework's own messages stand before it. */
  readonly at: number;
  readonly message: M;
}

/** The told messages of one loop. */
export class ToldMessages<M> {
  #told: Told<M>[] = [];
  #length = 0;

  /**
   * The framework's messages with everything that was told, and with what is told now at the end.
   *
   * @param messages What the framework would send.
   * @param fresh Told from now on.
   * @param before Stands before those, this time only: the framework will have it among its own.
   */
  with(messages: readonly M[], fresh: readonly M[], before: readonly M[] = []): M[] {
    // Fewer than before: another conversation has begun, or the provider holds what was said.
    if (messages.length < this.#length) this.#told = [];
    this.#length = messages.length;
    const all: M[] = [];
    let next = 0;
    for (const { at, message } of this.#told) {
      all.push(...messages.slice(next, at), message);
      next = at;
    }
    all.push(...messages.slice(next), ...before, ...fresh);
    this.#told.push(...fresh.map((message) => ({ at: messages.length, message })));
    return all;
  }
}
