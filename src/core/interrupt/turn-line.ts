/**
 * One turn at a time, in the order in which they came.
 * In the interrupt room below the controller.
 *
 * @module
 */

/** A queue of asynchronous functions that starts the first one at once. */
export class TurnLine {
  #last: Promise<void> | undefined;
  #waiting = 0;

  /** Whether something waits for its turn. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** Runs after everything before it has ended, however it ended. */
  add<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#last === undefined ? run() : this.#after(this.#last, run);
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#last = ended;
    void ended.then(() => {
      if (this.#last === ended) this.#last = undefined;
    });
    return turn;
  }

  async #after<T>(last: Promise<void>, run: () => Promise<T>): Promise<T> {
    this.#waiting++;
    await last;
    this.#waiting--;
    return run();
  }

  /** Resolves when nothing runs and nothing waits. */
  async whenEmpty(): Promise<void> {
    while (this.#last !== undefined) await this.#last;
  }
}
