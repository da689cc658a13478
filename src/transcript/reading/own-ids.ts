/**
 * The ids of the calls of one conversation: no two calls share one.
 *
 * @module
 */
import { anyId, copier } from './ids.ts';

/** The ids that are there. */
export class OwnIds {
  readonly #ids = new Set<string>();
  readonly #copyOf = copier(this.#ids, anyId.longest);

  /** Takes an id as it is. */
  readonly keep = (id = ''): string => {
    this.#ids.add(id);
    return id;
  };

  /** The id of a new call: the one that it came with, or one that is derived from that. */
  readonly give = (given: string): string => this.keep(this.#ids.has(given) ? this.#copyOf(given) : given);
}
