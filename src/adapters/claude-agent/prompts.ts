/**
 * The prompts on their way to the executable: one that the SDK has not taken yet can be taken back, and one that the
 * executable has not read is still to be told.
 *
 * @module
 */
import { textsIn, type Frame, type UserMessage } from './shapes.ts';

/** A prompt that was given. */
export interface SentPrompt {
  readonly message: UserMessage;
  /** Resolves once the SDK has written it: what it is told afterwards comes behind it. */
  readonly written: Promise<void>;
  /** Takes it back; returns whether that came in time. */
  readonly withdraw: () => boolean;
  /** Whether the executable has read it, as far as it says. */
  isRead: boolean;
}

/** The prompts of one process, as the SDK reads them. */
export class Prompts {
  /** What the SDK has not taken, and what to call when it has written it. */
  readonly #waiting = new Map<SentPrompt, () => void>();
  /** The executable says at once which it has read: one that comes meanwhile is not lost. */
  areNamed = false;
  #wake: () => void = () => undefined;
  #isClosed = false;

  send(message: UserMessage): SentPrompt {
    let written: () => void = () => undefined;
    const whenWritten = new Promise<void>((resolve) => {
      written = resolve;
    });
    const withdraw = (): boolean => this.#waiting.delete(sent);
    const sent: SentPrompt = { message, written: whenWritten, withdraw, isRead: false };
    this.#waiting.set(sent, written);
    this.#wake();
    return sent;
  }

  /** Reads which of them a message of the executable answers; gives the names of all that it does. */
  follow(frame: Frame, all: readonly SentPrompt[]): readonly string[] {
    const { type, user_message_uuid: one, user_message_uuids: more } = frame;
    const named = [...textsIn([one]), ...textsIn(more)];
    if (named.length > 0 && type !== 'result') this.areNamed = true;
    // An older one names none before its result, or never: it has read what it was given when it begins.
    const isUnnamed = named.length === 0 && !this.areNamed && (type === 'stream_event' || type === 'result');
    for (const sent of all) {
      if ((isUnnamed && !this.#waiting.has(sent)) || named.includes(sent.message.uuid)) sent.isRead = true;
    }
    return named;
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<UserMessage, undefined> {
    while (!this.#isClosed) {
      const [next] = this.#waiting;
      if (next !== undefined) {
        const [sent, written] = next;
        sent.withdraw();
        yield sent.message;
        // The SDK asks for the next one when it has written this one.
        written();
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
