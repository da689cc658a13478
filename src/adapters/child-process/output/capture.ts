/**
 * Keeps what a stream says, up to a bound, and never loses its end silently. Over the bound the first and the last
 * half are kept – the command line echoed at the top, the error at the bottom – and the hole in between is counted
 * and marked.
 *
 * It listens where the bytes enter the stream, not where they leave it: a reader that is slow, or has paused the stream,
 * takes nothing away from the result.
 *
 * Prior art: Node's `maxBuffer`, which kills the process and loses the end; execa's `result.stdout` on
 * `maxBuffer`.
 *
 * @module
 */
import type { Readable } from 'node:stream';

/** What was kept, and how many bytes were not. */
export interface CapturedOutput {
  readonly text: string;
  readonly droppedBytes: number;
}

/** Who is told what comes. */
export interface CaptureListener {
  /** Something came. */
  onOutput(): void;
  /** Nothing more will come. */
  onEnd(): void;
}

/** One stream's output. */
export class OutputCapture {
  /** Whether all that was ever written has been read. */
  hasEnded: boolean;
  /** How many bytes have come. */
  bytes = 0;
  readonly #stream: Readable | null;
  readonly #listener: CaptureListener;
  readonly #headMax: number;
  readonly #tailMax: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  /** Written round and round; made when the first half is full. */
  #ring: Buffer | undefined;
  /** How many bytes came after the first half was full. */
  #after = 0;
  /** Whether bytes are seen as they enter: a runtime may hand them to its streams in another way than Node. */
  #isTapped = false;
  #isDraining = false;

  /**
   * Starts to listen.
   *
   * @param stream `null` for output that goes elsewhere.
   * @param maxBytes The bound, `Infinity` for none.
   * @param listener Told what comes.
   */
  constructor(stream: Readable | null, maxBytes: number, listener: CaptureListener) {
    this.#stream = stream;
    this.#listener = listener;
    this.#headMax = maxBytes === Infinity ? Infinity : Math.ceil(maxBytes / 2);
    this.#tailMax = maxBytes === Infinity ? 0 : maxBytes - this.#headMax;
    this.hasEnded = stream === null;
    if (stream === null) return;
    stream.push = this.#push;
    stream.on('data', this.#onData); // without a reader the stream would stand still
    stream.on('end', this.#onEnd);
  }

  /**
   * Reads what is still in the pipe although the reader of the stream is not there yet: it waits in the stream then. To be
   * called when the writer has ended, or there would be no bound to it.
   */
  drain(): void {
    const stream = this.#stream;
    if (stream === null) return;
    process.nextTick(() => keepPaused(stream));
    if (this.hasEnded || this.#isDraining) return;
    this.#isDraining = true;
    // A stream that is full has stopped reading; this is how it starts again.
    if (!stream.destroyed) stream._read(0);
  }

  /** Stops listening; what was kept stays. */
  release(): void {
    const stream = this.#stream;
    if (stream === null) return;
    if (stream.push === this.#push) delete (stream as Partial<Readable>).push;
    stream.off('data', this.#onData);
    stream.off('end', this.#onEnd);
  }

  /** What was kept, with a line in place of the hole. */
  read(encoding: BufferEncoding): CapturedOutput {
    const head = Buffer.concat(this.#head);
    const tail = this.#tail();
    const lost = this.#after - tail.length;
    if (lost === 0) return { text: Buffer.concat([head, tail]).toString(encoding), droppedBytes: 0 };
    // A cut through a character would show as a replacement character on either side of the hole.
    const [headEnd, tailStart] = isUtf8(encoding) ? [wholeEnd(head), wholeStart(tail)] : [head.length, 0];
    const droppedBytes = lost + (head.length - headEnd) + tailStart;
    const hole = `\n[... ${String(droppedBytes)} bytes left out ...]\n`;
    const text = head.toString(encoding, 0, headEnd) + hole + tail.toString(encoding, tailStart);
    return { text, droppedBytes };
  }

  readonly #push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    const stream = this.#stream;
    if (stream === null) return false;
    this.#isTapped = true;
    if (chunk instanceof Uint8Array || typeof chunk === 'string') this.#keep(chunk, encoding);
    const wantsMore = (Object.getPrototypeOf(stream) as Readable).push.call(stream, chunk, encoding);
    if (chunk === null) this.#onEnd();
    return wantsMore || (this.#isDraining && chunk !== null);
  };

  // The stream gives strings once somebody has called its `setEncoding`.
  readonly #onData = (chunk: Buffer | string): void => {
    if (!this.#isTapped) this.#keep(chunk);
  };

  readonly #onEnd = (): void => {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#listener.onEnd();
  };

  #keep(chunk: Uint8Array | string, encoding?: BufferEncoding): void {
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, encoding)
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.bytes += bytes.length;
    const first = bytes.subarray(0, this.#headMax - this.#headBytes);
    if (first.length > 0) this.#head.push(first);
    this.#headBytes += first.length;
    if (first.length < bytes.length) this.#keepEnd(bytes.subarray(first.length));
    this.#listener.onOutput();
  }

  #keepEnd(bytes: Buffer): void {
    const kept = this.#tailMax === 0 ? bytes.subarray(bytes.length) : bytes.subarray(-this.#tailMax);
    if (kept.length > 0) {
      const ring = (this.#ring ??= Buffer.allocUnsafe(this.#tailMax));
      const at = (this.#after + bytes.length - kept.length) % this.#tailMax;
      const toEnd = kept.subarray(0, this.#tailMax - at);
      ring.set(toEnd, at);
      ring.set(kept.subarray(toEnd.length), 0);
    }
    this.#after += bytes.length;
  }

  #tail(): Buffer {
    const ring = this.#ring;
    if (ring === undefined) return Buffer.alloc(0);
    if (this.#after <= this.#tailMax) return ring.subarray(0, this.#after);
    const start = this.#after % this.#tailMax;
    return Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
  }
}

/**
 * Node resumes every stream of a child once in the tick after its `exit` event, in order that it ends, and would throw away
 * what a reader has paused. To be called in the same tick.
 */
function keepPaused(stream: Readable): void {
  // Who reads by `readable` is given nothing by a resume.
  if (!stream.isPaused() || stream.listenerCount('readable') > 0) return;
  let calls = 0;
  stream.resume = () => {
    calls += 1;
    return stream;
  };
  process.nextTick(() => {
    delete (stream as Partial<Readable>).resume;
    if (calls > 1) stream.resume(); // one of them was its reader's
  });
}

function isUtf8(encoding: BufferEncoding): boolean {
  return encoding === 'utf8' || encoding === 'utf-8';
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}

/** Where the last whole character ends. */
function wholeEnd(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start >= 0 && bytes.length - start < 4 && isContinuation(bytes[start])) start -= 1;
  const lead = bytes[start] ?? 0;
  const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? Math.max(0, start) : bytes.length;
}

/** Where the first whole character starts. */
function wholeStart(bytes: Buffer): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return start;
}
