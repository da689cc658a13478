/**
 * A model's reply as pi's loop reads it: events, and the message that the last of them has.
 *
 * Invariants: it ends once; what its source gives later, or gave and nobody has read, is not given out then; a reader that
 * leaves is told.
 *
 * Prior art: the `EventStream` of `@mariozechner/pi-ai`, which is not loaded for its sake.
 *
 * @module
 */
import { Queue } from '../internal/stream/queue.ts';
import type { Reply, ReplyEvent } from './shapes.ts';

/** One reply. */
export class ReplyStream implements AsyncIterable<ReplyEvent> {
  readonly #events = new Queue<ReplyEvent>();
  readonly #onLeft: () => void;
  readonly #result: Promise<Reply>;
  #resolve: (reply: Reply) => void = () => undefined;
  #wake: () => void = () => undefined;
  #hasEnded = false;

  /** @param onLeft Called when the reader has left, at the end or before. */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
    this.#result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  give(event: ReplyEvent): void {
    if (this.#hasEnded) return;
    this.#events.push(event);
    this.#wake();
  }

  /** Ends it as whole. */
  done(message: Reply): void {
    this.#end({ type: 'done', reason: message.stopReason, message }, message);
  }

  /** Ends it at once as failed or, after a stop, as aborted. */
  fail(error: Reply): void {
    if (!this.#hasEnded) this.#events.clear();
    this.#end({ type: 'error', reason: error.stopReason, error }, error);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ReplyEvent, undefined> {
    try {
      for (;;) {
        const event = this.#events.shift();
        if (event !== undefined) {
          yield event;
          if (event.type === 'done' || event.type === 'error') return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.#onLeft();
    }
  }

  result(): Promise<Reply> {
    return this.#result;
  }

  #end(event: ReplyEvent, reply: Reply): void {
    if (this.#hasEnded) return;
    this.give(event);
    this.#hasEnded = true;
    this.#resolve(reply);
  }
}
