/**
 * Counts who has the keyboard instead of us: prompts beside us, prompts that were lent the stream, whole programs.
 *
 * @module
 */

/** One per keyboard. */
export class PromptGate {
  #prompts = 0;
  #loans = 0;
  #programs = 0;

  /** A prompt is open, in whichever way: ESC is its key. */
  get isWaitingInput(): boolean {
    return this.#prompts > 0;
  }

  /** Somebody reads the stream instead of us. */
  get isLent(): boolean {
    return this.#loans > 0;
  }

  /** It is a program, to which the terminal sends its signals too. */
  get isHandedOver(): boolean {
    return this.#programs > 0;
  }

  enter(): void {
    this.#prompts++;
  }

  exit(): void {
    if (this.#prompts === 0) throw new RangeError('gate.exit() was called more often than gate.enter()');
    this.#prompts--;
  }

  /** Lends the stream; the function ends the loan, once. */
  lend(to: 'prompt' | 'program'): () => boolean {
    const programs = to === 'program' ? 1 : 0;
    this.enter();
    this.#loans++;
    this.#programs += programs;
    let isOpen = true;
    return () => {
      if (!isOpen) return false;
      isOpen = false;
      this.exit();
      this.#loans--;
      this.#programs -= programs;
      return true;
    };
  }
}
