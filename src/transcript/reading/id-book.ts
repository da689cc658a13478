/**
 * Gives every call of a reply an id, and every result that of its call: servers leave ids out, send empty ones, or give
 * two calls of one reply the same. They number them anew in every reply, and some providers want ids that are unique in the
 * conversation.
 * Owns what it has read so far; it is written front to back, once, and asks nothing twice: a reply may hold any number
 * of calls.
 *
 * @module
 */
import type { IdPolicy } from '../dialect.ts';
import { addTo } from './fields.ts';
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

/** Written front to back. */
export interface IdBook {
  /**
   * From here on the model speaks anew.
   *
   * @param goesOn Whether it had spoken directly before: results without an id may still be of that.
   * @param isJoined Whether this is one reply with what it had said: then all results may be.
   */
  beginReply(goesOn?: boolean, isJoined?: boolean): void;
  /**
   * The id of the next call of the reply. An id that comes again is a copy of the call if it is of the same tool and has
   * the same arguments, and else another call.
   *
   * @param isFixed Whether the provider, who runs it, knows the call by this id: among ids that are told apart it keeps it.
   */
  call(given: string | undefined, name: string, input: () => string, isFixed?: boolean): string;
  /** The id of the call that the next result belongs to; `undefined` for a result without an id that nothing waits for. */
  result(given: string | undefined, name?: string): string | undefined;
}

/**
 * @param rule What the provider takes for an id; by `keep`, everything that is one.
 * @param kept Given where all replies are read as one, in which nothing is a copy: a call whose id comes again has one that is
 *   derived from it, and that is none of these, and so has its result. After settling, when each call has its result: whoever
 *   is asked about a call knows it by the id that the server gave.
 */
export function createIdBook(rule: IdRule, policy: IdPolicy, kept?: ReadonlySet<unknown>): IdBook {
  const isWhole = kept !== undefined;
  const isKept = policy === 'keep';
  /** The calls of the reply that is open, by everything that a result can name them by. */
  let queues = new Map<string, Queue>();
  /** The calls without an id, also of replies directly before: only their order tells them apart. */
  let bare = new Map<string, Queue>();
  let same = new Map<string, Same>();
  /** The ids that the open reply has. */
  let taken = new Set<string>();
  const longest = isKept ? undefined : rule.longest;
  /** What an id was last given to. */
  const latest = new Map<string, string>();
  // Results may still name a call before by the id that it came with.
  const newCopier = () => copier({ has: (id) => taken.has(id) || latest.has(id) || kept?.has(id) === true }, longest);
  let copyOf = newCopier();
  let count = 0;
  const legal = (id: string): string => (isKept ? id : legalId(id, rule));
  const wait = (waiters: Map<string, Queue>, handle: string, call: BookedCall): void => {
    const queue = waiters.get(handle);
    if (queue === undefined) waiters.set(handle, { calls: [call], next: 0 });
    else queue.calls.push(call);
  };
  return {
    beginReply(goesOn = false, isJoined = false) {
      // Most replies only say something: nothing is made anew for those.
      if (same.size > 0) same = new Map();
      if (isJoined) return;
      if (taken.size > 0) {
        queues = new Map();
        taken = new Set();
        copyOf = newCopier();
      }
      if (goesOn) return;
      if (bare.size > 0) bare = new Map();
      count = 0;
    },
    call(own = '', name, input, isFixed = false) {
      const key = `${own}\n${name}`;
      const before = own === '' || isWhole ? undefined : same.get(key);
      const ids = before && (before.ids ??= new Map([[before.input(), before.id]]));
      const text = ids === undefined ? '' : input();
      const copy = ids?.get(text);
      if (copy !== undefined) return copy;
      let id = own === '' ? placeId(count) : legal(own);
      if (taken.has(id) && !(isWhole && isFixed)) id = copyOf(id);
      taken.add(id);
      count += 1;
      if (ids === undefined) same.set(key, { id, input });
      else ids.set(text, id);
      latest.set(own, id);
      const call = { id, isAnswered: false };
      const waiters = own === '' ? bare : queues;
      wait(waiters, '', call);
      wait(waiters, `\n${name}`, call);
      // The provider answers at once what it runs.
      if (own !== '' && !isFixed) wait(waiters, own, call);
      return id;
    },
    result(own = '', name) {
      // A result without an id goes by its tool's name, and where it has none, by its order; first among calls without one.
      const isBare = own === '' && bare.size > 0;
      const open = isBare ? bare : queues;
      for (const handle of own === '' ? [`\n${String(name)}`, ''] : [own]) {
        const found = waiting(open.get(handle));
        if (found === undefined) continue;
        found.isAnswered = true;
        return found.id;
      }
      if (own !== '') return latest.get(own) ?? legal(own);
      return isBare ? open.get(own)?.calls.at(-1)?.id : undefined;
    },
  };
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
    addTo(this.#ids, given ?? '', id);
    return id;
  }

  /** Reads names front to back: calls that were given the same id come in their order, the last of them for all the rest. */
  reader(): (given: string | undefined) => string | undefined {
    let next: Map<string, number> | undefined;
    return (given = '') => {
      const same = this.#ids.get(given);
      const at = next?.get(given) ?? 0;
      (next ??= new Map()).set(given, at + 1);
      return given === '' ? same?.[at] : (same?.[at] ?? same?.at(-1));
    };
  }
}

/** What gives a call its id, and a result that of the last call that was known by the one it has. */
export type CallIds = Pick<IdBook, 'call' | 'result'>;

/** How one dialect gives the calls and the results of a message their ids: the same object if it has them. */
export type NameCalls<M> = (message: M, ids: CallIds) => M;
