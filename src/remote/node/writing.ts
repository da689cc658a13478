/**
 * Writes what somebody has to say: one write at a time, and another one where more is to be said by then.
 *
 * @module
 */
import type { Lull } from './engine/lull.ts';
import type { Persistence } from './engine/persistence.ts';

/** What is written, and with what. */
export interface WritingParts {
  readonly lull: Lull;
  readonly persistence: Persistence;
  /** Whether anything may be written now; asked before each try. */
  readonly mayWrite: () => boolean;
  readonly write: () => Promise<void>;
}

/** The writes of one hosting. */
export class Writing {
  readonly #parts: WritingParts;
  #isDirty = false;
  #under: Promise<void> | undefined;

  constructor(parts: WritingParts) {
    this.#parts = parts;
  }

  /** There is something to say. */
  start(): void {
    this.#isDirty = true;
    if (this.#under !== undefined || !this.#parts.mayWrite()) return;
    // What settles or ends at once is written in one go, and what many stops have to say goes before any of it.
    this.#under = this.#parts.lull
      .comes()
      .then(this.#write)
      .then(() => {
        this.#under = undefined;
        if (this.#isDirty) this.start();
      });
  }

  /** Resolves when what is under way is written, or is not to be written any more. */
  async passed(): Promise<void> {
    await this.#under;
  }

  readonly #write = async (): Promise<void> => {
    const { persistence, mayWrite, write } = this.#parts;
    await persistence.until(
      async () => {
        this.#isDirty = false;
        if (mayWrite()) await write();
      },
      () => !mayWrite(),
    );
  };
}
