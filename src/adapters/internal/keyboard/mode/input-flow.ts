/**
 * A stream that others read too: taken up where they leave it, and put down so that whoever comes next reads all of it.
 *
 * Invariant: a stream that is put down reads nothing, and one that is read here keeps no process alive by that.
 *
 * Prior art: what Node does for `process.stdin` when it pauses, and for no other stream of a terminal: those go on
 * reading until their buffer is full, and take the next keys from an editor that they were not meant for.
 *
 * @module
 */
import type { TerminalInput } from '../key-reader.ts';

/** What Node's streams are besides; another runtime's have none of it, and are left as they are. */
interface NodeStream {
  read?(size: number): unknown;
  readonly readableFlowing?: boolean | null;
  readonly _handle?: { readonly fd?: number; reading?: boolean; readStop?(): unknown } | null;
  readonly _readableState?: { reading?: boolean; flowing?: boolean | null };
}

/** Has a stream that nobody reads ask its terminal for nothing more; the next `resume()` asks again. */
function stopReading(input: TerminalInput): void {
  const { readableFlowing, _handle: handle, _readableState: state } = input as TerminalInput & NodeStream;
  if (readableFlowing === true || handle?.reading !== true || state === undefined) return;
  handle.reading = state.reading = false;
  handle.readStop?.();
}

/** What is heard of a stream. */
export interface FlowListeners {
  readonly data: (chunk: Uint8Array | string) => void;
  /** It has ended, or failed. */
  readonly lost: () => void;
  /** Somebody who read beside us reads no more, and has done by now what he does at his end. */
  readonly left: () => void;
}

/** The events of a stream, and whether it flows. */
export class InputFlow {
  readonly #input: TerminalInput;
  readonly #listeners: FlowListeners;
  #isHeard = false;
  #isWatched = false;

  constructor(input: TerminalInput, listeners: FlowListeners) {
    this.#input = input;
    this.#listeners = listeners;
  }

  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Whether it is read, here or by somebody who waits for `readable`, as Ink does; readline leaves its `data` behind. */
  get isRead(): boolean {
    const { listenerCount } = this.#input as { readonly listenerCount?: (event: string) => number };
    return this.#isHeard || (listenerCount?.call(this.#input, 'readable') ?? 0) > 0;
  }

  /** Hears it from now on, or no longer; whether that is a change. */
  listen(wanted: boolean): boolean {
    if (wanted === this.#isHeard) return false;
    this.#isHeard = wanted;
    const input = this.#input;
    if (!wanted) input.removeListener('removeListener', this.#onRemoved);
    const change = wanted ? 'on' : 'removeListener';
    input[change]('data', this.#listeners.data);
    input[change]('pause', this.#onPause);
    if (wanted) input.on('removeListener', this.#onRemoved);
    return true;
  }

  /** Hears of its end from now on, also while somebody else reads it, or no longer. */
  watchEnd(wanted: boolean): void {
    if (wanted === this.#isWatched) return;
    this.#isWatched = wanted;
    const change = wanted ? 'on' : 'removeListener';
    for (const event of ['end', 'error', 'close']) this.#input[change](event, this.#listeners.lost);
  }

  /** Has it flow. */
  takeUp(): void {
    this.#input.resume();
    this.#input.unref?.();
  }

  /** Pauses it, ref'd, as a program finds it. */
  putDown(): void {
    this.#input.pause();
    this.rest();
    // As if nobody had ever touched it: whoever listens to `data` next starts it, as in a program without us.
    const { readableFlowing, _readableState: state } = this.#input as TerminalInput & NodeStream;
    if (readableFlowing === false && state !== undefined) state.flowing = null;
    this.#input.ref?.();
  }

  /** Nobody here reads it. */
  rest(): void {
    stopReading(this.#input);
  }

  /** A borrower has put it down: who waits for `readable` is read for again, and where nobody takes it up, nobody reads. */
  returned(): void {
    if (this.isRead) (this.#input as TerminalInput & NodeStream).read?.(0);
    else this.rest();
  }

  readonly #onPause = (): void => {
    setImmediate(() => {
      if (this.#isHeard) this.#listeners.left();
    });
  };

  /** Ink does not pause a stream at its end: it sets the line mode, and takes its listener off. */
  readonly #onRemoved = (event: unknown): void => {
    if (event === 'readable' && this.#input.isRaw === false) this.#onPause();
  };
}

/** The file descriptor behind a stream: Node's own terminals say it, a `ReadStream` of `node:tty` does not. */
export function descriptorOf(input: TerminalInput): number | undefined {
  return input.fd ?? (input as TerminalInput & NodeStream)._handle?.fd;
}
