/**
 * The prompts on their way to the executable: one that the SDK has not taken yet can be taken back.
 *
 * @module
 */
import type { UserMessage } from './shapes.ts';

/** A prompt that was given. */
export interface SentPrompt {
  /** Resolves once the SDK has written it: what it is told afterwards comes behind it. */
  readonly written: Promise<void>;
  /** Takes it back; returns whether that came in time. */
  readonly withdraw: () => boolean;
}

interface Waiting {
  readonly message: UserMessage;
  readonly written: () => void;
}

/** The prompts of one process, as the SDK reads them. */
export class Prompts {
  readonly #waiting: Waiting[] = [];
  #wake: () => void = () => undefined;
  #isClosed = false;

  send(message: UserMessage): SentPrompt {
    let written: Waiting['written'] = () => undefined;
    const whenWritten = new Promise<void>((resolve) => {
      written = resolve;
    });
    const waiting = { message, written };
    this.#waiting.push(waiting);
    this.#wake();
    const withdraw = (): boolean => {
      const at = this.#waiting.indexOf(waiting);
      return at >= 0 && this.#waiting.splice(at, 1).length > 0;
    };
    return { written: whenWritten, withdraw };
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<UserMessage, undefined> {
    while (!this.#isClosed) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield next.message;
        // The SDK asks for the next one when it has written this one.
        next.written();
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
