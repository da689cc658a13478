/**
 * Whether a token is cancelled, why, and by which side, in memory that two threads can share. Over memory of its own
 * it serves two processes, whose copies are kept alike by messages.
 *
 * Invariants:
 * - **C1** First wins, across threads: of two claims exactly one succeeds, and both sides then read its reason.
 * - **C2** Whoever reads that it is set can read the reason: it is written before the claim, into the claimer's own part.
 *
 * Prior art: `Atomics.compareExchange`; the abort flag of Emscripten's pthreads.
 *
 * @module
 */
import { type CancelReason, createReason, reasonFromJSON, reasonToJSON } from '../../core/inside.ts';

/** Who shared the token, and who received it. */
export type FlagSide = 'owner' | 'receiver';

const sides = ['owner', 'receiver'] as const satisfies readonly FlagSide[];

/** Words: who won, and how many bytes each side's reason has. */
const headWords = 4;
/** For a reason without its detail. */
const textBytes = 2048;
/** For the detail besides, with its name: the core lets it have 2 kB. */
const detailBytes = 2048 + 16;
const slotBytes: number = textBytes + detailBytes;
const flagBytes: number = headWords * 4 + sides.length * slotBytes;

/** Fields a reason cannot do without; the longer ones give way where it does not fit. */
const shortText = 200;

/** One flag. */
export class CancelFlag {
  /** For the other thread; an `ArrayBuffer` where memory cannot be shared. */
  readonly memory: ArrayBufferLike;
  /** Read it plainly in hot loops: soon right, and never wrong about a cancel. `look()` is right at once. */
  readonly words: Int32Array;
  readonly #bytes: Uint8Array;
  #reason: CancelReason | undefined;

  /** @param memory That of the other side; by default its own, shared if it can be. */
  constructor(memory: ArrayBufferLike = newMemory()) {
    this.memory = memory;
    this.words = new Int32Array(memory, 0, headWords);
    this.#bytes = new Uint8Array(memory, headWords * 4);
  }

  /** Memory of this side alone, for a copy. */
  static ownMemory(): ArrayBufferLike {
    return new ArrayBuffer(flagBytes);
  }

  /** Whether the other thread sees what this one writes. */
  get isShared(): boolean {
    return !(this.memory instanceof ArrayBuffer);
  }

  /** Whether it is set, seen without luck. */
  look(): boolean {
    return Atomics.load(this.words, 0) !== 0;
  }

  /** Sets it, unless the other side was first (C1). Once for each side. */
  claim(side: FlagSide, reason: CancelReason): boolean {
    if (this.look()) return false;
    const number = sides.indexOf(side);
    const json = encode(reason);
    this.#bytes.set(json, number * slotBytes); // C2
    Atomics.store(this.words, number + 1, json.length);
    if (Atomics.compareExchange(this.words, 0, 0, number + 1) !== 0) return false;
    this.#reason = reason; // the same object on this side, its cause included
    return true;
  }

  /** Why it is set; `undefined` while it is not. */
  get reason(): CancelReason | undefined {
    return (this.#reason ??= this.#read());
  }

  #read(): CancelReason | undefined {
    const winner = Atomics.load(this.words, 0);
    if (winner === 0) return undefined;
    const start = (winner - 1) * slotBytes;
    // A copy: a decoder takes no shared memory.
    const json = this.#bytes.slice(start, start + Atomics.load(this.words, winner));
    return reasonFromJSON(JSON.parse(new TextDecoder().decode(json)));
  }
}

/** Browsers share memory only with pages that are isolated from other origins. */
function newMemory(): ArrayBufferLike {
  return typeof SharedArrayBuffer === 'function' ? new SharedArrayBuffer(flagBytes) : new ArrayBuffer(flagBytes);
}

function encode(reason: CancelReason): Uint8Array {
  const { kind, at, detail } = reason;
  const most = textBytes + (detail === undefined ? 0 : new TextEncoder().encode(JSON.stringify({ detail })).length);
  let bytes = toBytes(reason);
  // A character takes up to six bytes, as control characters do.
  for (let length = shortText; bytes.length > most; length /= 2) {
    const [message, source, by] = [reason.message, reason.source, reason.by].map((text) => cut(text, length));
    bytes = toBytes(createReason({ kind, at, message, source, by, detail }));
  }
  return bytes;
}

/** Whole characters only. */
function cut(text: string | undefined, length: number): string | undefined {
  return text?.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

function toBytes(reason: CancelReason): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(reasonToJSON(reason)));
}
