/**
 * The connection by which a node is woken: subscribed as soon as that is possible, however often it has to be tried.
 *
 * @module
 */
import type { Wire, Wiring } from './client.ts';

/** What a wake-up channel tells. */
export interface WakeEvents {
  readonly message: (text: string) => void;
  /** Messages may have been missed. */
  readonly resync: () => void;
  readonly down: (error: unknown) => void;
}

/** A subscription that is kept up. */
export class WakeChannel {
  readonly #wire: Wire;
  readonly #channel: string;
  readonly #events: WakeEvents;
  readonly #tried: Promise<void>;
  #isSubscribed = false;
  #isClosed = false;

  constructor(wiring: Wiring, channel: string, events: WakeEvents) {
    this.#channel = channel;
    this.#events = events;
    let decided!: () => void;
    this.#tried = new Promise((resolve) => {
      decided = resolve;
    });
    let isFirst = true;
    this.#wire = wiring({
      ready: () => {
        decided();
        if (!isFirst && !this.#isClosed) this.#again();
        isFirst = false;
      },
      down: (error) => {
        decided();
        isFirst = false;
        if (!this.#isClosed) events.down(error);
      },
    });
  }

  /** Resolves when it is subscribed; rejects if that was not possible, and goes on trying. */
  async subscribed(): Promise<void> {
    await this.#tried;
    if (this.#isSubscribed) return;
    await this.#wire.subscribe(this.#channel, this.#hear);
    this.#isSubscribed = true;
  }

  close(): void {
    this.#isClosed = true;
    this.#wire.close();
  }

  readonly #hear = (text: string): void => {
    if (!this.#isClosed) this.#events.message(text);
  };

  /** The connection is there again: a subscription does not outlive the old one, whatever the client renews by itself. */
  #again(): void {
    const { resync, down } = this.#events;
    this.#isSubscribed = false;
    this.subscribed().then(resync, down);
  }
}
