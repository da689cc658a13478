/**
 * Chunks of a keyboard in, keys with their instant out: the decoder and the silences that decide.
 *
 * Invariant T3: a lone ESC counts only after the escape timeout *and* one more poll of the kernel: after a stalled event
 * loop the rest of the sequence is already waiting there.
 *
 * Prior art: ncurses `ESCDELAY`.
 *
 * @module
 */
import type { Clock, Releasable } from '../../../core/inside.ts';
import { KeyDecoder, type KeyEvent } from './decoder/key-decoder.ts';

/**
 * The slice of `process.stdin` that is used.
 *
 * @since 0.1.0
 */
export interface TerminalInput {
  readonly isTTY?: boolean | undefined;
  /** Its file descriptor; needed for `crashGuard` only. */
  readonly fd?: number | undefined;
  readonly isRaw?: boolean | undefined;
  setRawMode?(raw: boolean): unknown;
  on(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
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
  /** Runs `fn` after the event loop has polled for input once more. */
  readonly afterPoll?: ((fn: () => void) => Releasable) | undefined;
}

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
  readonly #dispatch: (event: KeyEvent, arrivedAt: number) => void;
  readonly #decoder = new KeyDecoder();
  #arrivedAt = -Infinity;
  #silence: Releasable | undefined;

  constructor(options: KeyReaderOptions, dispatch: (event: KeyEvent, arrivedAt: number) => void) {
    this.#options = options;
    this.#dispatch = dispatch;
  }

  /** When the last bytes came. */
  get arrivedAt(): number {
    return this.#arrivedAt;
  }

  feed(chunk: Uint8Array | string): void {
    this.#arrivedAt = this.#options.clock.now();
    this.#say(this.#decoder.feed(typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk));
  }

  /** T3: waits for the silence after what is unfinished, if anything is. */
  arm(): void {
    const { clock, escTimeoutMs } = this.#options;
    this.#disarm();
    const pending = this.#decoder.pending;
    if (pending === false) return;
    const settle = (): void => {
      this.#silence = (this.#options.afterPoll ?? afterPoll)(() => {
        this.settle();
      });
    };
    this.#silence = clock.setTimer(settle, pending === 'escape' ? escTimeoutMs : Math.max(HEAL_MS, escTimeoutMs), {
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
    for (const event of events) this.#dispatch(event, this.#arrivedAt);
  }
}
