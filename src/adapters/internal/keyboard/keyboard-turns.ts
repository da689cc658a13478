/**
 * Who has the keyboard next: prompts and lines come one after the other, so that one answer is for one question.
 *
 * Invariants:
 * - **O1** Of those that were opened side by side one has the keyboard; the others follow in the order they came.
 * - **O2** What is opened inside one that is open does not wait for it, which would be for ever; and nobody else has the
 *   keyboard before that has ended, too.
 * - **O3** Where nobody has the keyboard, it is given within the same tick.
 * - **O4** Who is cancelled while it waits leaves the queue; the others do not wait for it.
 * - **O5** A program that the terminal is lent to waits for nobody, and has it as others have: who comes meanwhile waits.
 *
 * Prior art: the modal dialogs of window systems.
 *
 * @module
 */
import type { AsyncLocalStorage } from 'node:async_hooks';

import { CancellationToken, type Registration, type Releasable } from '../../../core/inside.ts';
import { nodeModule } from '../node-module.ts';

/** One that has the keyboard, and those inside it. */
class Place {
  readonly outer: Place | undefined;
  isOpen = true;
  isTaken = false;
  whenFree: (() => void) | undefined;
  readonly waiting: Set<() => void> = new Set();

  constructor(outer?: Place) {
    this.outer = outer;
  }

  /** Waits until it is handed on to us. */
  async wait(token: CancellationToken): Promise<void> {
    let registration: Registration | undefined;
    const isOurs = await new Promise<boolean>((resolve) => {
      const take = (): void => {
        resolve(true);
      };
      this.waiting.add(take);
      registration = token.onCancelled(() => {
        if (this.waiting.delete(take)) resolve(false); // O4; else it was handed to us, and we hand it on
      });
    });
    registration?.unregister();
    if (!isOurs) token.throwIfCancelled();
  }

  /** Hands on what was taken here. */
  next(): void {
    const [first] = this.waiting;
    if (first !== undefined) {
      this.waiting.delete(first);
      first();
      return;
    }
    this.isTaken = false;
    const { whenFree } = this;
    this.whenFree = undefined;
    whenFree?.();
  }

  /** Ends it, and calls back when what was opened inside has ended too: that has the keyboard still. */
  close(whenFree: () => void): void {
    this.isOpen = false;
    if (this.isTaken) this.whenFree = whenFree;
    else whenFree();
  }
}

/** Somebody's time with the keyboard. */
export interface Turn extends Releasable {
  /** Runs what belongs to it: whatever that opens does not wait for its end. */
  within<T>(fn: () => T): T;
}

/** One per keyboard. */
export class KeyboardTurns {
  readonly #root = new Place();
  #inside: AsyncLocalStorage<Place> | undefined;

  /**
   * Runs `fn` when the keyboard is free, and keeps it taken until `fn` has ended.
   *
   * @param token Ends the waiting; whoever runs sees to its own end.
   */
  async run<T>(fn: () => T | PromiseLike<T>, token: CancellationToken = CancellationToken.none): Promise<T> {
    const outer = this.#outer();
    if (outer.isTaken) await outer.wait(token);
    outer.isTaken = true;
    const turn = this.#open(outer, () => outer.next());
    try {
      return await turn.within(fn);
    } finally {
      turn.release();
    }
  }

  /** O5: takes the keyboard now, whoever has it, until it is released. */
  occupy(): Turn {
    const outer = this.#outer();
    const wasTaken = outer.isTaken;
    outer.isTaken = true;
    return this.#open(outer, () => {
      if (!wasTaken) outer.next();
    });
  }

  #open(outer: Place, whenFree: () => void): Turn {
    const inside = (this.#inside ??= new (nodeModule('node:async_hooks').AsyncLocalStorage)<Place>());
    const own = new Place(outer);
    return {
      within: (fn) => inside.run(own, fn),
      release: () => {
        own.close(whenFree);
      },
    };
  }

  /** O2: whoever has opened us and is still open; work that outlives its prompt is inside no longer. */
  #outer(): Place {
    let place = this.#inside?.getStore();
    while (place?.isOpen === false) place = place.outer;
    return place ?? this.#root;
  }
}
