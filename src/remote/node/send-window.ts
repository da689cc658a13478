/**
 * How much is under way to the engine at once. What a process sends in one go – ten thousand claims after a restart – would
 * otherwise be late for its own deadlines, and the heartbeat behind it late for the lease.
 *
 * Invariants: first come, first sent; what waits is refused with what is under way, and does not wait for deadlines of its own.
 *
 * Prior art: TCP's window; `p-limit`.
 *
 * @module
 */

/** How many operations are under way at most. */
const MOST_AT_ONCE = 1_000;

/** One operation that waits. */
interface Waiting {
  readonly send: () => void;
  readonly refuse: (error: unknown) => void;
  next: Waiting | undefined;
}

/** The operations of one node, heartbeats apart. */
export class SendWindow {
  #underWay = 0;
  #first: Waiting | undefined;
  #last: Waiting | undefined;

  /** Runs `send` when there is room; its promise must settle. */
  run<T>(send: () => Promise<T>): Promise<T> {
    if (this.#underWay < MOST_AT_ONCE) return this.#run(send);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        send: () => {
          this.#run(send).then(resolve, reject);
        },
        refuse: reject,
        next: undefined,
      };
      if (this.#last === undefined) this.#first = waiting;
      else this.#last.next = waiting;
      this.#last = waiting;
    });
  }

  /** The engine does not answer: nobody waits to find that out again. */
  refuseWaiting(error: unknown): void {
    let waiting = this.#first;
    this.#first = this.#last = undefined;
    for (; waiting !== undefined; waiting = waiting.next) waiting.refuse(error);
  }

  async #run<T>(send: () => Promise<T>): Promise<T> {
    this.#underWay++;
    try {
      return await send();
    } finally {
      this.#underWay--;
      this.#sendNext();
    }
  }

  #sendNext(): void {
    const waiting = this.#first;
    if (waiting === undefined || this.#underWay >= MOST_AT_ONCE) return;
    this.#first = waiting.next;
    if (this.#first === undefined) this.#last = undefined;
    waiting.send();
  }
}
