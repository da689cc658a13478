/**
 * A token that a flag in shared memory cancels. To the tree the flag is a foreign signal, so descendants need to know
 * nothing of it: it is looked at when somebody asks.
 *
 * It differs from a signal in one thing: it is set while this thread is in the middle of something, a registration for
 * one. The tree, which has seen it set, then waits for no event any more; so who listens is told by a walk from the
 * root, not through a listener.
 *
 * The token's own check is made for hot loops: a plain read of the flag, and an atomic one every 64th time, because
 * nothing obliges an engine to read memory again that nobody on this thread writes.
 *
 * @module
 */
import { type CancelReason, errorOf, inherit, isCancelled, tell, Token, tokenOf } from '../../core/inside.ts';
import type { CancelFlag } from './cancel-flag.ts';

const everyMask = 63;

/** The flag in the shape of an `AbortSignal`, as far as the tree looks at one. */
export class FlagSignal {
  /** Its place in the tree. */
  readonly root: Token;
  readonly #flag: CancelFlag;
  #isTold = false;

  constructor(flag: CancelFlag) {
    this.#flag = flag;
    // As much of an `AbortSignal` as the tree uses of one.
    this.root = tokenOf(this as unknown as AbortSignal);
  }

  get aborted(): boolean {
    return this.#flag.look();
  }

  get reason(): CancelReason | undefined {
    return this.#flag.reason;
  }

  /** Nothing to do: `fire` needs no list. */
  addEventListener(): void {}

  /** Nothing to undo. */
  removeEventListener(): void {}

  /** Tells everybody who listens that the flag is set, once: whoever comes later finds it set. */
  fire(): void {
    if (this.#isTold || !isCancelled(this.root)) return;
    this.#isTold = true;
    tell(this.root, false);
  }
}

/** The token itself. */
export class FlagToken extends Token {
  readonly #words: Int32Array;
  #checks = 0;

  /** @param signal Of `flag`. */
  constructor(signal: FlagSignal, flag: Pick<CancelFlag, 'words'>) {
    super(signal.root);
    inherit(this, signal.root);
    this.#words = flag.words;
  }

  override get isCancelled(): boolean {
    if (this.#words[0] === 0 && (++this.#checks & everyMask) !== 0) return this.stamp < 0;
    return super.isCancelled;
  }

  override throwIfCancelled(): void {
    if (this.isCancelled) throw errorOf(this);
  }
}
