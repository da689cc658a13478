/**
 * Bytes of something that is not finished yet, up to a cap.
 *
 * @module
 */

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true });

/** Grows by doubling; what does not fit under the cap is counted out, not stored. */
export class ByteBuffer {
  readonly #cap: number;
  #bytes = new Uint8Array(64);
  #length = 0;
  #overflowed = false;

  constructor(cap: number) {
    this.#cap = cap;
  }

  get length(): number {
    return this.#length;
  }

  /** Whether a byte was refused since the last `clear()`. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  push(byte: number): void {
    if (this.#length >= this.#cap) {
      this.#overflowed = true;
      return;
    }
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(Math.min(this.#bytes.length * 2, this.#cap));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  }

  /** What is stored, read as UTF-8; broken characters become U+FFFD. */
  text(): string {
    return decoder.decode(this.#bytes.subarray(0, this.#length));
  }

  /** What is stored, one character per byte. */
  latin1(): string {
    let text = '';
    for (let index = 0; index < this.#length; index++) text += String.fromCharCode(this.#bytes[index] ?? 0);
    return text;
  }

  /** Forgets everything, the memory of a large paste included. */
  clear(): void {
    if (this.#bytes.length > 4096) this.#bytes = new Uint8Array(64);
    this.#length = 0;
    this.#overflowed = false;
  }
}
