/**
 * What a program has written, as much of it as is kept: places in it stay true when its beginning has been let go.
 *
 * @module
 */

/** Characters that are kept. */
const KEPT = 200_000;

/** See the module. */
export class KeptOutput {
  #text = '';
  #total = 0;

  /** The last of it. */
  get text(): string {
    return this.#text;
  }

  /** How many characters there were in all: a place for {@link KeptOutput.since}. */
  get total(): number {
    return this.#total;
  }

  write(text: string): void {
    this.#total += text.length;
    this.#text += text;
    // Rarely, for each time copies all of it.
    if (this.#text.length > 2 * KEPT) this.#text = this.#text.slice(-KEPT);
  }

  /** What was written after a place, as far as it is kept. */
  since(place: number): string {
    const count = this.#total - place;
    return count <= 0 ? '' : this.#text.slice(-count);
  }
}
