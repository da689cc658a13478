/**
 * Who has the keyboard next: prompts and lines come one after the other, so that one answer is for one question.
 *
 * Invariants:
 * - **O1** Of those that were opened side by side one has the keyboard; the others follow in the order they came.
 * - **O2** What is opened inside one that is open does not wait for it, which would be for ever.
 * - **O3** Where nobody has the keyboard, it is given within the same tick.
 *
 * Prior art: the modal dialogs of window systems.
 *
 * @module
 */
import type { AsyncLocalStorage } from 'node:async_hooks';

import { nodeModule } from '../node-module.ts';

/** One that has the keyboard, and those inside it. */
class Place {
  readonly outer: Place | undefined;
  isOpen = true;
  isTaken = false;
  readonly waiting: (() => void)[] = [];

  constructor(outer?: Place) {
    this.outer = outer;
  }

  /** Hands on what was taken here. */
  next(): void {
    const first = this.waiting.shift();
    if (first === undefined) this.isTaken = false;
    else first();
  }
}

/** One per keyboard. */
export class KeyboardTurns {
  readonly #root = new Place();
  #inside: AsyncLocalStorage<Place> | undefined;

  /** Runs `fn` when the keyboard is free, and keeps it taken until `fn` has ended. */
  async run<T>(fn: () => T | PromiseLike<T>): Promise<T> {
    this.#inside ??= new (nodeModule('node:async_hooks').AsyncLocalStorage)<Place>();
    const outer = this.#outer();
    if (outer.isTaken) await new Promise<void>((resolve) => outer.waiting.push(resolve));
    outer.isTaken = true;
    const own = new Place(outer);
    try {
      return await this.#inside.run(own, fn);
    } finally {
      own.isOpen = false;
      outer.next();
    }
  }

  /** O2: whoever has opened us and is still open; work that outlives its prompt is inside no longer. */
  #outer(): Place {
    let place = this.#inside?.getStore();
    while (place?.isOpen === false) place = place.outer;
    return place ?? this.#root;
  }
}
