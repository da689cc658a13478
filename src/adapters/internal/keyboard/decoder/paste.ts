/**
 * The inside of a bracketed paste: everything is text until the end marker, ESC and Ctrl+C included.
 *
 * @module
 */
import { ByteBuffer } from './byte-buffer.ts';
import type { Paste } from './key-event.ts';

const endMarker = [0x1b, 0x5b, 0x32, 0x30, 0x31, 0x7e]; // ESC [ 2 0 1 ~

/** Collects one paste after the other. */
export class PasteCollector {
  readonly #text: ByteBuffer;
  #matched = 0;

  /** @param cap How many bytes of a paste are kept. */
  constructor(cap: number) {
    this.#text = new ByteBuffer(cap);
  }

  /** Takes a byte; the event once the end marker is complete. */
  push(byte: number): Paste | undefined {
    if (byte === endMarker[this.#matched]) {
      this.#matched++;
      return this.#matched === endMarker.length ? this.#end(false) : undefined;
    }
    this.#release();
    // No byte but the first of the marker is an ESC, so a failed match can only begin anew with this byte.
    if (byte === endMarker[0]) this.#matched = 1;
    else this.#text.push(byte);
    return undefined;
  }

  /** Ends a paste whose end marker was lost. */
  heal(): Paste {
    this.#release();
    return this.#end(true);
  }

  /** What looked like the marker was text. */
  #release(): void {
    for (const byte of endMarker.slice(0, this.#matched)) this.#text.push(byte);
    this.#matched = 0;
  }

  #end(healed: boolean): Paste {
    const event: Paste = { type: 'paste', text: this.#text.text(), truncated: healed || this.#text.overflowed };
    this.#text.clear();
    this.#matched = 0;
    return event;
  }
}
