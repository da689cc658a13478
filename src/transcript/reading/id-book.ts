/**
 * Gives every call of a reply an id, and every result that of its call: servers leave ids out, send empty ones, or give
 * two calls of one reply the same.
 * Owns what it has read so far; it is written front to back, once, and asks nothing twice: a reply may hold any number
 * of calls.
 *
 * @module
 */
import type { IdPolicy } from '../dialect.ts';
import { copier, legalId, placeId, type IdRule } from './ids.ts';

interface BookedCall {
  readonly id: string;
  isAnswered: boolean;
}

/** Calls in their order; those before `next` are answered. */
interface Queue {
  readonly calls: BookedCall[];
  next: number;
}

/** The calls of one id and one tool, by their arguments: written down only once there are two, as most have an id of their own. */
interface Same {
  readonly id: string;
  readonly input: () => string;
  ids?: Map<string, string>;
}

/** Reads a transcript front to back. */
export class IdBook {
  readonly #rule: IdRule | undefined;
  /** The calls of the reply that is open, by everything that a result can name them by. */
  #queues = new Map<string, Queue>();
  /** The calls without an id, also of replies directly before: only their order tells them apart. */
  #bare = new Map<string, Queue>();
  #same = new Map<string, Same>();
  /** The ids that the open reply has. */
  #taken = new Set<string>();
  #copyOf = copier(this.#taken);
  #count = 0;
  /** What an id was last given to. */
  readonly #latest = new Map<string, string>();

  /** @param rule What the provider takes for an id; by `keep`, everything that is one. */
  constructor(rule: IdRule, policy: IdPolicy) {
    this.#rule = policy === 'keep' ? undefined : rule;
    this.beginReply();
  }

  /**
   * From here on the model speaks anew.
   *
   * @param goesOn Whether it had spoken directly before: results without an id may still be of that.
   */
  beginReply(goesOn = false): void {
    this.#queues = new Map();
    this.#same = new Map();
    this.#taken = new Set();
    this.#copyOf = copier(this.#taken, this.#rule?.longest);
    if (goesOn) return;
    this.#bare = new Map();
    this.#count = 0;
  }

  /**
   * The id of the next call of the reply. An id that comes again is a copy of the call if it is of the same tool and has
   * the same arguments, and else another call.
   */
  call(given: string | undefined, name: string, input: () => string): string {
    const own = given ?? '';
    const key = `${own}\n${name}`;
    const same = own === '' ? undefined : this.#same.get(key);
    const ids = same === undefined ? undefined : (same.ids ??= new Map([[same.input(), same.id]]));
    const text = ids === undefined ? '' : input();
    const copy = ids?.get(text);
    if (copy !== undefined) return copy;
    const id = this.#unique(own === '' ? placeId(this.#count) : this.#legal(own));
    this.#count += 1;
    if (ids === undefined) this.#same.set(key, { id, input });
    else ids.set(text, id);
    this.#latest.set(own, id);
    const call = { id, isAnswered: false };
    const queues = own === '' ? this.#bare : this.#queues;
    for (const handle of ['', `\n${name}`, ...(own === '' ? [] : [own])]) {
      const queue = queues.get(handle);
      if (queue === undefined) queues.set(handle, { calls: [call], next: 0 });
      else queue.calls.push(call);
    }
    return id;
  }

  /** The id of the call that the next result belongs to; `undefined` for a result without an id that nothing waits for. */
  result(given: string | undefined, name?: string): string | undefined {
    const own = given ?? '';
    // A result without an id goes by its tool's name, and where it has none, by its order; first among calls without one.
    const queues = own === '' && this.#bare.size > 0 ? this.#bare : this.#queues;
    const handles = own === '' ? [`\n${String(name)}`, ''] : [own];
    const found = handles.map((handle) => waiting(queues.get(handle))).find((call) => call !== undefined);
    if (found !== undefined) {
      found.isAnswered = true;
      return found.id;
    }
    const last = own === '' && queues === this.#queues ? undefined : queues.get(own)?.calls.at(-1);
    if (last !== undefined || own === '') return last?.id;
    return this.#latest.get(own) ?? this.#legal(own);
  }

  #unique(first: string): string {
    const id = this.#taken.has(first) ? this.#copyOf(first) : first;
    this.#taken.add(id);
    return id;
  }

  #legal(id: string): string {
    return this.#rule === undefined ? id : legalId(id, this.#rule);
  }
}

function waiting(queue: Queue | undefined): BookedCall | undefined {
  if (queue === undefined) return undefined;
  while (queue.calls[queue.next]?.isAnswered === true) queue.next += 1;
  return queue.calls[queue.next];
}

/** The ids that the calls of one message got, for whatever else in it names a call. */
export class Named {
  readonly #ids = new Map<string, string[]>();

  add(given: string | undefined, id: string): string {
    const same = this.#ids.get(given ?? '');
    if (same === undefined) this.#ids.set(given ?? '', [id]);
    else same.push(id);
    return id;
  }

  /** Reads names front to back: calls that were given the same id come in their order, the last of them for all the rest. */
  reader(): (given: string | undefined) => string | undefined {
    const next = new Map<string, number>();
    return (given = '') => {
      const same = this.#ids.get(given);
      const at = next.get(given) ?? 0;
      next.set(given, at + 1);
      return given === '' ? same?.[at] : (same?.[at] ?? same?.at(-1));
    };
  }
}
