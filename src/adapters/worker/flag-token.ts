/**
 * A token that a flag in shared memory cancels.
 * In this door because only it has such flags. To the tree the flag is a foreign signal: it is looked at when somebody
 * asks, and listened to while somebody listens, so descendants need to know nothing of it.
 *
 * The token's own check is made for hot loops: a plain read of the flag, and an atomic one every 64th time, because
 * nothing obliges an engine to read memory again that nobody on this thread writes.
 *
 * @module
 */
import type { CancelReason } from '../../core/foundation/reason.ts';
import { tokenOf } from '../../core/token/link.ts';
import { errorOf, inherit, isCancelled } from '../../core/token/pull.ts';
import { Token } from '../../core/token/source.ts';
import type { CancelFlag } from './cancel-flag.ts';

const everyMask = 63;

/** The flag in the shape of an `AbortSignal`, as far as the tree looks at one. */
export class FlagSignal {
  readonly #flag: CancelFlag;
  readonly #listeners = new Set<() => void>();

  constructor(flag: CancelFlag) {
    this.#flag = flag;
  }

  get aborted(): boolean {
    return this.#flag.look();
  }

  get reason(): CancelReason | undefined {
    return this.#flag.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Tells everybody who listens that the flag is set. */
  fire(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** The token itself. */
export class FlagToken extends Token {
  // Plain fields: the check is made millions of times a second.
  declare readonly words: Int32Array;
  declare checks: number;

  /** @param signal Of `flag`. */
  constructor(signal: FlagSignal, flag: CancelFlag) {
    // As much of an `AbortSignal` as the tree uses of one.
    const parent = tokenOf(signal as unknown as AbortSignal);
    super(parent);
    inherit(this, parent);
    this.words = flag.words;
    this.checks = 0;
  }

  override get isCancelled(): boolean {
    if (this.words[0] === 0 && (++this.checks & everyMask) !== 0) return this.stamp < 0;
    return isCancelled(this);
  }

  override throwIfCancelled(): void {
    if (this.isCancelled) throw errorOf(this);
  }
}
