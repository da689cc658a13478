/**
 * Which result of a tool belongs to which call: the API has no ids, so a result goes by its tool's name, and where it has
 * none, by its order. Newer servers give ids, which go before names.
 * Owns what it has read so far; it is read front to back, once, and each call is passed over once.
 *
 * @module
 */

/** A call that a result can belong to. */
export interface PairedCall {
  /** What it is known by here. */
  readonly id: string;
  /** The id that the server gave it, if it did. */
  readonly given: string | undefined;
  readonly name: string | undefined;
}

interface OpenCall extends PairedCall {
  isAnswered: boolean;
}

/** The calls of one reply that a result of one kind can mean, and how many of them have been passed over. */
interface Queue {
  readonly calls: OpenCall[];
  head: number;
}

/** Reads a transcript front to back. */
export class Pairing {
  #batch = new Map<string, Queue>();
  /** The calls of earlier replies that wait. */
  readonly #earlier = new Map<string, OpenCall[]>();
  readonly #latest = new Map<string, OpenCall>();
  /** The last call of each id that a server gave. */
  readonly #named = new Map<string, OpenCall>();

  /**
   * From here on the model speaks anew.
   *
   * @param goesOn Whether it had spoken directly before: then the results of both come below, in their order.
   */
  beginReply(goesOn: boolean): void {
    if (goesOn) return;
    for (const [key, { calls }] of this.#batch) {
      const waiting = calls.filter((call) => !call.isAnswered);
      if (waiting.length === 0) continue;
      const before = this.#earlier.get(key);
      if (before === undefined) this.#earlier.set(key, waiting);
      // One by one: the arguments of a call are limited by the stack.
      else for (const call of waiting) before.push(call);
    }
    if (this.#batch.size > 0) this.#batch = new Map();
  }

  /** The next call of the reply. */
  call(call: PairedCall): PairedCall {
    const open = { ...call, isAnswered: false };
    this.#latest.set(call.id, open);
    const { given, name } = call;
    const own = given === undefined ? [keyOf(name, noId)] : [keyOf(undefined, given), keyOf(name, given)];
    if (given !== undefined) for (const key of own) this.#named.set(key, open);
    for (const key of new Set([keyOf(), keyOf(name), ...own])) {
      const queue = this.#batch.get(key);
      if (queue === undefined) this.#batch.set(key, { calls: [open], head: 0 });
      else queue.calls.push(open);
    }
    return open;
  }

  /** The call that the next result belongs to; `undefined` if there is none. */
  result(given: string | undefined, name: string | undefined): PairedCall | undefined {
    const found = given === undefined ? this.#byName(name) : this.#byId(given, name);
    if (found !== undefined) found.isAnswered = true;
    return found;
  }

  /** What an id names is never another call's result, also if it comes twice. */
  #byId(given: string, name: string | undefined): OpenCall | undefined {
    const key = keyOf(name, given);
    const waiting = this.#waitingNow(key) ?? this.#waitingBefore(key);
    if (waiting !== undefined) return waiting;
    const own = this.#named.get(key);
    if (own !== undefined && this.#latest.get(own.id) === own) return own;
    if (name === undefined) return undefined;
    // An id that no call here has is of a call that is gone, unless this one never had any.
    return this.#named.has(keyOf(undefined, given)) ? this.#byName(name) : this.#waiting([keyOf(name, noId)]);
  }

  /** Without an id it is of a call without one, if there is one; without a name it goes by its order alone. */
  #byName(name: string | undefined): OpenCall | undefined {
    return this.#waiting(name === undefined ? [keyOf()] : [keyOf(name, noId), keyOf(name)]);
  }

  /** The call that waits under the first of these keys, else the last one of the reply. */
  #waiting(keys: readonly string[]): OpenCall | undefined {
    return (
      first(keys, (key) => this.#waitingNow(key)) ??
      first(keys, (key) => this.#waitingBefore(key)) ??
      first(keys, (key) => this.#batch.get(key)?.calls.at(-1))
    );
  }

  /** The first call of the last reply that waits. */
  #waitingNow(key: string): OpenCall | undefined {
    const queue = this.#batch.get(key);
    if (queue === undefined) return undefined;
    while (queue.calls[queue.head]?.isAnswered === true) queue.head += 1;
    return queue.calls[queue.head];
  }

  /** The last call before the last reply that waits. */
  #waitingBefore(key: string): OpenCall | undefined {
    const earlier = this.#earlier.get(key);
    if (earlier === undefined) return undefined;
    // A later call of the same id hides an earlier one.
    const isGone = (call: OpenCall): boolean => call.isAnswered || this.#latest.get(call.id) !== call;
    while (earlier.length > 0 && isGone(earlier.at(-1) as OpenCall)) earlier.pop();
    return earlier.at(-1);
  }
}

/** What stands for an id where there is none; no id is empty. */
const noId = '';

/** One text for an id and a name; its length tells where the id ends. */
function keyOf(name?: string, given?: string): string {
  const own = name === undefined ? '' : `n${name}`;
  return given === undefined ? own : `i${String(given.length)}:${given}${own}`;
}

function first<K, V>(keys: readonly K[], find: (key: K) => V | undefined): V | undefined {
  for (const key of keys) {
    const found = find(key);
    if (found !== undefined) return found;
  }
  return undefined;
}
