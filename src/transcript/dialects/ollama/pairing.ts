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

  /** From here on the model speaks anew. */
  beginReply(): void {
    for (const [key, { calls }] of this.#batch) {
      const waiting = calls.filter((call) => !call.isAnswered);
      const before = this.#earlier.get(key);
      if (before === undefined) this.#earlier.set(key, waiting);
      // One by one: the arguments of a call are limited by the stack.
      else for (const call of waiting) before.push(call);
    }
    this.#batch = new Map();
  }

  /** The next call of the reply. */
  call(call: PairedCall): void {
    const open = { ...call, isAnswered: false };
    this.#latest.set(call.id, open);
    const { given, name } = call;
    for (const key of new Set([keyOf(), keyOf(name), keyOf(undefined, given), keyOf(name, given)])) {
      const queue = this.#batch.get(key);
      if (queue === undefined) this.#batch.set(key, { calls: [open], head: 0 });
      else queue.calls.push(open);
    }
  }

  /** The call that the next result belongs to; `undefined` if there is none. */
  result(given: string | undefined, name: string | undefined): PairedCall | undefined {
    const keys: string[] = [];
    if (given !== undefined) keys.push(keyOf(name, given));
    // Without a name it goes by its order, unless it has an id.
    if (given === undefined || name !== undefined) keys.push(keyOf(name));
    const found = first(keys, (key) => this.#waiting(key)) ?? first(keys, (key) => this.#batch.get(key)?.calls.at(-1));
    if (found !== undefined) found.isAnswered = true;
    return found;
  }

  /** The first call of the last reply that waits, or the last one that waits before it. */
  #waiting(key: string): OpenCall | undefined {
    const queue = this.#batch.get(key);
    if (queue !== undefined) {
      while (queue.calls[queue.head]?.isAnswered === true) queue.head += 1;
      const open = queue.calls[queue.head];
      if (open !== undefined) return open;
    }
    const earlier = this.#earlier.get(key) ?? [];
    // A later call of the same id hides an earlier one.
    const isGone = (call: OpenCall): boolean => call.isAnswered || this.#latest.get(call.id) !== call;
    while (earlier.length > 0 && isGone(earlier.at(-1) as OpenCall)) earlier.pop();
    return earlier.at(-1);
  }
}

function keyOf(name?: string, given?: string): string {
  return JSON.stringify([name, given]);
}

function first<K, V>(keys: readonly K[], find: (key: K) => V | undefined): V | undefined {
  for (const key of keys) {
    const found = find(key);
    if (found !== undefined) return found;
  }
  return undefined;
}
