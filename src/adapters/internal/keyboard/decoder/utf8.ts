/**
 * One UTF-8 character, put together from bytes that may come in different chunks.
 *
 * @module
 */

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true });

/** What stands for bytes that are no character. */
export const replacement = '\ufffd';

/** Collects the bytes of one character after the other. */
export class Utf8Collector {
  readonly #bytes = new Uint8Array(4);
  #length = 0;
  #wanted = 0;

  /** Begins a character; whether this byte can begin one of several bytes. */
  start(lead: number): boolean {
    this.#wanted = lead < 0xc2 || lead > 0xf4 ? 0 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    this.#bytes[0] = lead;
    this.#length = 1;
    return this.#wanted > 0;
  }

  /** Goes on with it: the text when it is complete, `broken` if this byte does not belong to it. */
  push(byte: number): { readonly text: string } | 'broken' | undefined {
    if ((byte & 0xc0) !== 0x80) return 'broken';
    this.#bytes[this.#length++] = byte;
    if (this.#length < this.#wanted) return undefined;
    return { text: decoder.decode(this.#bytes.subarray(0, this.#length)) };
  }
}
