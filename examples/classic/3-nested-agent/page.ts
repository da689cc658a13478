/** What is on the screen, for Ink: finished lines, the one that is being written, and the input. */
export class Page {
  lines: readonly string[] = [];
  last = '';
  input = '';
  #version = 0;
  readonly #listeners = new Set<() => void>();

  readonly write = (text: string): void => {
    const parts = (this.last + text).split('\n');
    this.last = parts.pop() ?? '';
    this.lines = [...this.lines, ...parts];
    this.#changed();
  };

  /** A line of its own. */
  readonly line = (text: string): void => {
    this.write(`${this.last === '' ? '' : '\n'}${text}\n`);
  };

  readonly type = (input: string): void => {
    this.input = input;
    this.#changed();
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly version = (): number => this.#version;

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}
