/**
 * One client's server-sent events: the newest of each run, as fast as the client reads.
 *
 * Invariants: what a slow client has not read is replaced, never piled up; nothing is written after the end; every timer
 * goes with the end.
 *
 * @module
 */
import type { Clock } from '../../../core/inside.ts';

/** Where the text goes. */
export interface EventSink {
  /** Takes text; returns whether it may have more at once, else it says so later. */
  write(text: string): boolean;
  /** No more comes. A client that does not read is cut off. */
  end(isReading: boolean): void;
}

/** What a stream is made of. */
export interface EventStreamParts {
  readonly sink: EventSink;
  readonly clock: Clock;
  /** Milliseconds between two signs of life: a proxy cuts off what is silent. */
  readonly keepAliveMs: number;
  /** Milliseconds until the client has to come again. */
  readonly maxMs: number;
  /** It has ended, whoever ended it. */
  readonly ended: () => void;
}

/** Milliseconds after which a browser comes again. */
const RETRY_MS = 2_000;
/** What a browser says when it comes again after the last event. */
export const LAST_EVENT_ID = 'closed';

/** The events of one client. */
export class EventStream {
  readonly #parts: EventStreamParts;
  readonly #held = new Map<string, string>();
  readonly #timers: readonly { release(): void }[];
  #isOpen = true;
  #isReading = true;
  #isLast = false;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    const { clock, maxMs } = parts;
    let alive = { release: (): void => undefined };
    const stayAlive = (): void => {
      if (this.#isReading) this.#write(':\n\n');
      if (this.#isOpen) alive = clock.setTimer(stayAlive, parts.keepAliveMs, { ref: false });
    };
    const over = clock.setTimer(
      () => {
        this.end();
      },
      maxMs,
      { ref: false },
    );
    alive = clock.setTimer(stayAlive, parts.keepAliveMs, { ref: false });
    this.#timers = [over, { release: () => alive.release() }];
    this.#write(`retry: ${String(RETRY_MS)}\n\n`);
  }

  /** Whether it may be written to. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Something new of a run. */
  tell(runId: string, data: string): void {
    if (!this.#isOpen) return;
    this.#held.delete(runId);
    this.#held.set(runId, data);
    this.#flush();
  }

  /** Nothing new will come of any run: when all was read, the stream ends, and the browser does not come again. */
  finish(): void {
    this.#isLast = true;
    this.#flush();
  }

  /** The client has read what it was sent. */
  readonly drained = (): void => {
    this.#isReading = true;
    this.#flush();
  };

  /** Ends it, whatever has not been read. */
  readonly end = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#held.clear();
    for (const timer of this.#timers) timer.release();
    this.#parts.sink.end(this.#isReading);
    this.#parts.ended();
  };

  #flush(): void {
    for (const [runId, data] of this.#held) {
      if (!this.#isOpen || !this.#isReading) return;
      this.#held.delete(runId);
      this.#write(`event: status\ndata: ${data}\n\n`);
    }
    if (!this.#isLast || !this.#isOpen || !this.#isReading) return;
    this.#write(`id: ${LAST_EVENT_ID}\nevent: closed\ndata: {}\n\n`);
    this.end();
  }

  #write(text: string): void {
    if (this.#isOpen) this.#isReading = this.#parts.sink.write(text);
  }
}
