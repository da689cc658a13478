/**
 * One turn at a time, in the order in which they came.
 *
 * @module
 */

/** A queue of asynchronous functions that starts the first one at once. */
export class SerialQueue {
  #isRunning = false;
  readonly #waiting: (() => void)[] = [];
  #idle: (() => void)[] | undefined;

  /** Whether something waits for its turn. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Runs after everything before it has ended, however it ended. */
  add<T>(run: () => Promise<T>): Promise<T> {
    if (!this.#isRunning) return this.#start(run);
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        this.#start(run).then(resolve, reject);
      });
    });
  }

  #start<T>(run: () => Promise<T>): Promise<T> {
    // Before it starts: its first lines, or who hears of its start, may already ask for the next one.
    this.#isRunning = true;
    const turn = run();
    turn.then(this.#ended, this.#ended);
    return turn;
  }

  readonly #ended = (): void => {
    this.#isRunning = false;
    const next = this.#waiting.shift();
    if (next !== undefined) next();
    else if (this.#idle !== undefined) for (const resolve of this.#idle.splice(0)) resolve();
  };

  /** Resolves when nothing runs and nothing waits. */
  async whenEmpty(): Promise<void> {
    while (this.#isRunning) {
      await new Promise<void>((resolve) => {
        (this.#idle ??= []).push(resolve);
      });
    }
  }
}
