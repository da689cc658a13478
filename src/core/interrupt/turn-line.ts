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
    const before = this.#last;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    // Before it starts: its first lines, or who hears of its start, may already ask for the next one.
    this.#last = ended;
    const turn = before === undefined ? run() : this.#after(before, run);
    const over = (): void => {
      if (this.#last === ended) this.#last = undefined;
      end();
    };
    void turn.then(over, over);
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
