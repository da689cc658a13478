/**
 * What is asked for at once goes to the engine at once: a script that takes a hundred records costs little more than one
 * that takes a single one, on both sides of the socket.
 *
 * Invariants: nothing waits for company longer than for one turn of the event loop; what fails, fails for each.
 *
 * Prior art: `dataloader`.
 *
 * @module
 */

/** One item that is to be sent, and who waits for it. */
interface Entry<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects items. */
export class Batch<Item, Answer> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Answer[]>;
  readonly #most: number;
  #entries: Entry<Item, Answer>[] = [];

  /**
   * @param send Sends items; as many answers, in the same order.
   * @param most How many are sent at once.
   */
  constructor(send: (items: readonly Item[]) => Promise<readonly Answer[]>, most: number) {
    this.#send = send;
    this.#most = most;
  }

  /** Sends `item` with all that is added in this turn of the event loop: timers that are due together have one. */
  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#entries.push({ item, resolve, reject });
      if (this.#entries.length === 1) setImmediate(() => this.#sendAll());
      if (this.#entries.length === this.#most) this.#sendAll();
    });
  }

  #sendAll(): void {
    const entries = this.#entries;
    if (entries.length === 0) return;
    this.#entries = [];
    this.#send(entries.map(({ item }) => item)).then(
      (answers) => {
        for (const [n, { resolve }] of entries.entries()) resolve(answers[n] as Answer);
      },
      (error: unknown) => {
        for (const { reject } of entries) reject(error);
      },
    );
  }
}
