/**
 * Chunks of a keyboard in, keys with their instant out: the decoder and the silences that decide.
 *
 * Invariant T3: a lone ESC counts only after the escape timeout *and* one more poll of the kernel: after a stalled event
 * loop the rest of the sequence is already waiting there.
 * Invariant T5: while the terminal is asked instead, the rest of a sequence may come late, but Alt with a letter may not: a
 * person who goes on typing after a stop must not lose it. So may the second byte of what ends an answer of the terminal, also
 * where nobody is asked: the answer is torn more often than a person presses ESC in the middle of it.
 * Invariant T6: an ESC that was typed for a prompt or a program, and that it has not read, is nobody's: it stays in the kernel, and
 * comes with the first poll after that.
 *
 * Prior art: ncurses `ESCDELAY`.
 *
 * @module
 */
import type { Clock, Releasable } from '../../../core/inside.ts';
import { KeyDecoder, type KeyEvent } from './decoder/key-decoder.ts';
import { fenceMs, type Fence } from './fence.ts';
import type { Arrival } from './key-stack.ts';

/**
 * The slice of `process.stdin` that is used.
 *
 * @since 0.1.0
 */
export interface TerminalInput {
  readonly isTTY?: boolean | undefined;
  /** Its file descriptor, for `crashGuard`; of Node's own streams it is known. */
  readonly fd?: number | undefined;
  readonly isRaw?: boolean | undefined;
  setRawMode?(raw: boolean): unknown;
  on(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  prependListener?(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  removeListener(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
  /** Puts text back in front of what was not read yet. */
  unshift?(text: string, encoding: 'utf8'): unknown;
  ref?(): unknown;
  unref?(): unknown;
}

/** How keys are read. */
export interface KeyReaderOptions {
  readonly clock: Clock;
  /** Silence after which an ESC is a key, in milliseconds. */
  readonly escTimeoutMs: number;
  /** Asks the terminal instead of waiting for a silence, where that can be done. */
  readonly fence?: Fence | undefined;
  /** Says what is on the screen: asked when the first byte of a key comes that time has to decide. */
  readonly noteArrival?: (() => Arrival) | undefined;
  /** Runs `fn` after the event loop has polled for input once more. */
  readonly afterPoll?: ((fn: () => void) => Releasable) | undefined;
}

const ESC = 0x1b;

/** With what a sequence goes on that was cut off after its ESC, and what ends an answer together with it. */
const begins = '[O]P^_';
const ends = '\\';

/** Silence after which a sequence or a paste was cut off for good. */
const HEAL_MS = 1000;

/**
 * `setImmediate` runs in the check phase, right after the poll phase of the same turn of the loop. It stays ref'd: an
 * unref'd one does not keep the poll from blocking, and would wait for whatever wakes the loop next.
 */
function afterPoll(fn: () => void): Releasable {
  const immediate = setImmediate(fn);
  return {
    release: () => {
      clearImmediate(immediate);
    },
  };
}

/** Reads one keyboard. */
export class KeyReader {
  readonly #options: KeyReaderOptions;
  readonly #dispatch: (event: KeyEvent, arrivedAt: number, arrival?: Arrival) => void;
  readonly #decoder = new KeyDecoder();
  #arrivedAt = -Infinity;
  /** T5: the last byte was an ESC, and these may come late. */
  #mayFollow: string | undefined;
  #silence: Releasable | undefined;
  /** T6: what had come by then. */
  #staleUntil = -Infinity;
  #backlog: Releasable | undefined;
  readonly #caughtUp: (() => void)[] = [];
  /** Of what is unfinished: its first byte. */
  #begun: { readonly arrivedAt: number; readonly arrival: Arrival | undefined } | undefined;
  readonly #decided: (() => void)[] = [];

  constructor(options: KeyReaderOptions, dispatch: (event: KeyEvent, arrivedAt: number, arrival?: Arrival) => void) {
    this.#options = options;
    this.#dispatch = dispatch;
  }

  /** When the last bytes came. */
  get arrivedAt(): number {
    return this.#arrivedAt;
  }

  /** Whether only time, or more bytes, can say what the last bytes were. */
  get isUndecided(): boolean {
    return this.#begun !== undefined;
  }

  /** Resolves when that is decided: what was typed before somebody has the keyboard is none of its keys. */
  async decided(): Promise<void> {
    if (!this.isUndecided) return;
    await new Promise<void>((resolve) => {
      this.#decided.push(resolve);
    });
  }

  feed(chunk: Uint8Array | string): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    const now = this.#options.clock.now();
    if (this.#isBreak(bytes[0], now)) this.settle();
    this.#arrivedAt = now;
    if (this.#staleUntil === Infinity) this.#endBacklog(); // all of it comes in one piece
    const events = this.#decoder.feed(bytes);
    this.#mayFollow = bytes.at(-1) === ESC ? this.#late() : undefined;
    this.#say(events);
  }

  /** T5; within a paste an ESC is text, whatever follows. */
  #late(): string | undefined {
    const { pending } = this.#decoder;
    if (pending === 'string-end') return ends;
    return pending === 'escape' && this.#options.fence !== undefined ? begins : undefined;
  }

  /** T5: the ESC before this byte was a key. */
  #isBreak(byte: number | undefined, now: number): boolean {
    if (this.#mayFollow === undefined || now - this.#arrivedAt < this.#options.escTimeoutMs) return false;
    return byte === undefined || !this.#mayFollow.includes(String.fromCharCode(byte));
  }

  /** T6: somebody else had the keyboard until now. */
  takeBack(): void {
    const wait = this.#options.afterPoll ?? afterPoll;
    this.#staleUntil = Infinity;
    this.#backlog?.release();
    // Twice: whoever takes it back within a poll asks for input after that.
    this.#backlog = wait(() => {
      this.#backlog = wait(() => this.#endBacklog());
    });
  }

  /** Resolves when what was typed for the borrower has come: who goes on only then neither is stopped by it nor misses a stop. */
  async caughtUp(): Promise<void> {
    if (this.#staleUntil !== Infinity) return;
    await new Promise<void>((resolve) => {
      this.#caughtUp.push(resolve);
    });
  }

  #endBacklog(): void {
    this.#staleUntil = this.#options.clock.now();
    this.#backlog?.release();
    this.#backlog = undefined;
    for (const fn of this.#caughtUp.splice(0)) fn();
  }

  /** T3: waits for the silence after what is unfinished, if anything is. */
  arm(): void {
    const { clock, escTimeoutMs, fence } = this.#options;
    this.#disarm();
    const pending = this.#decoder.pending;
    if (pending === false) return;
    const isAsked = pending !== 'sequence' && fence?.ask() === true;
    const settle = (): void => {
      this.#silence = (this.#options.afterPoll ?? afterPoll)(() => {
        fence?.giveUp();
        this.settle();
      });
    };
    const silenceMs = isAsked ? fenceMs : escTimeoutMs;
    this.#silence = clock.setTimer(settle, pending === 'escape' ? silenceMs : Math.max(HEAL_MS, silenceMs), {
      ref: false,
    });
  }

  /** Nothing more is coming for what was unfinished. */
  settle(): void {
    this.#disarm();
    this.#say(this.#decoder.flush());
  }

  #disarm(): void {
    this.#silence?.release();
    this.#silence = undefined;
  }

  #say(events: readonly KeyEvent[]): void {
    const { fence, noteArrival } = this.#options;
    let begun = this.#begun;
    for (const [index, event] of events.entries()) {
      const isEscape = event.type === 'key' && event.name === 'escape';
      if (index > 0 && !isEscape) begun = undefined;
      const isStale = isEscape && this.#arrivedAt <= this.#staleUntil;
      if (fence?.hears(event) === true || isStale) continue;
      this.#dispatch(event, (isEscape ? begun?.arrivedAt : undefined) ?? this.#arrivedAt, begun?.arrival);
    }
    if (this.#decoder.pending === false) {
      this.#begun = undefined;
      for (const fn of this.#decided.splice(0)) fn();
    } else if (events.length > 0 || this.#begun === undefined) {
      this.#begun = { arrivedAt: this.#arrivedAt, arrival: noteArrival?.() };
    }
  }
}
