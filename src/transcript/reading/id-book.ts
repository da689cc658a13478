/**
 * Gives every call of a reply an id, and every result that of its call: servers leave ids out, send empty ones, or give
 * two calls of one reply the same.
 * Owns what it has read so far; it is written front to back, once.
 *
 * @module
 */
import type { IdPolicy } from '../dialect.ts';
import { legalId, placeId, type IdRule } from './ids.ts';

interface BookedCall {
  readonly given: string;
  readonly id: string;
  readonly name: string;
  readonly input: string;
  isAnswered: boolean;
}

/** Reads a transcript front to back. */
export class IdBook {
  readonly #rule: IdRule | undefined;
  #batch: BookedCall[] = [];
  /** What an id was last given to, before the batch that is open. */
  readonly #latest = new Map<string, string>();

  /** @param rule What the provider takes for an id; by `keep`, everything that is one. */
  constructor(rule: IdRule, policy: IdPolicy) {
    this.#rule = policy === 'keep' ? undefined : rule;
  }

  /** From here on the model speaks anew. */
  beginReply(): void {
    for (const { given, id } of this.#batch) this.#latest.set(given, id);
    this.#batch = [];
  }

  /**
   * The id of the next call of the reply. An id that comes again is a copy of the call if it is of the same tool and has
   * the same arguments, and else another call.
   */
  call(given: string | undefined, name: string, input: string): string {
    const own = given ?? '';
    const same = this.#batch.filter((call) => call.given === own && own !== '');
    const copy = same.find((call) => call.name === name && call.input === input);
    if (copy !== undefined) return copy.id;
    const first = own === '' ? placeId(this.#batch.length) : this.#legal(own);
    let id = first;
    for (let n = 2; this.#batch.some((call) => call.id === id); n += 1) id = `${first}_copy${String(n)}`;
    this.#batch.push({ given: own, id, name, input, isAnswered: false });
    return id;
  }

  /** The id of the call that the next result belongs to; `undefined` for a result without an id that nothing waits for. */
  result(given: string | undefined, name?: string): string | undefined {
    const own = given ?? '';
    const named = this.#batch.filter((call) => call.given === own);
    // A result without an id goes by its tool's name, and where it has none, by its order.
    const open = (own === '' && named.length === 0 ? this.#batch : named).filter((call) => !call.isAnswered);
    const found = open.find((call) => own === '' && call.name === name) ?? open[0] ?? named.at(-1);
    if (found !== undefined) {
      found.isAnswered = true;
      return found.id;
    }
    if (own === '') return undefined;
    return this.#latest.get(own) ?? this.#legal(own);
  }

  #legal(id: string): string {
    return this.#rule === undefined ? id : legalId(id, this.#rule);
  }
}
