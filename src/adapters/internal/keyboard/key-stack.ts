/**
 * Who gets a key: handlers by priority, and the first that says "mine" ends the walk.
 *
 * Invariants:
 * - **S1** Higher priority first; within one priority the newest first.
 * - **S2** A handler that throws counts as "not mine" and is reported; it stops nobody.
 * - **S3** Keys are handled one after the other: a key that arrives while one is handled waits its turn.
 *
 * Prior art: the DOM's bubbling with `stopPropagation`, VS Code's keybinding contexts.
 *
 * @module
 */
import { type Releasable, requireFunction, show } from '../../../core/inside.ts';
import type { KeyEvent } from './decoder/key-decoder.ts';

/**
 * Sees a key and says whether it took it. Only `true` takes it, so a handler that merely watches may return nothing.
 *
 * @param event What was pressed or pasted.
 * @param arrivedAt When its bytes arrived, in epoch milliseconds of the watcher's clock.
 * @since 0.1.0
 */
export type KeyHandler = (event: KeyEvent, arrivedAt: number) => unknown;

/** Where each kind of handler stands. */
export const priorities = { dismissal: 50, cancel: 0, idle: -100 } as const;

/** Says what failed on behalf of a key. */
export function reportKeyError(error: unknown): void {
  // eslint-disable-next-line no-console -- there is no caller to tell
  console.error('desist: a key handler failed:', error);
}

interface Entry {
  readonly fn: KeyHandler;
  readonly priority: number;
}

/** One stack per keyboard. */
export class KeyStack {
  /** Sorted, highest first. Replaced, never changed: a walk goes on over the list it began with. */
  #entries: readonly Entry[] = [];
  readonly #queue: { event: KeyEvent; arrivedAt: number }[] = [];
  #walking = false;

  /** Adds a handler. */
  handle(fn: KeyHandler, priority: number): Releasable {
    requireFunction('handler', fn);
    if (typeof priority !== 'number' || Number.isNaN(priority)) {
      throw new TypeError(`priority must be a number, got ${show(priority)}`);
    }
    const entry: Entry = { fn, priority };
    const above = this.#entries.filter((other) => other.priority > priority); // S1
    this.#entries = [...above, entry, ...this.#entries.slice(above.length)];
    return {
      release: () => {
        this.#entries = this.#entries.filter((other) => other !== entry);
      },
    };
  }

  /** Offers a key to everybody in turn. */
  dispatch(event: KeyEvent, arrivedAt: number): void {
    this.#queue.push({ event, arrivedAt });
    if (this.#walking) return; // S3
    this.#walking = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        this.#walk(next.event, next.arrivedAt);
      }
    } finally {
      this.#walking = false;
    }
  }

  #walk(event: KeyEvent, arrivedAt: number): void {
    for (const entry of this.#entries) {
      if (!this.#entries.includes(entry)) continue; // released by a handler before it
      try {
        if (entry.fn(event, arrivedAt) === true) return;
      } catch (error) {
        reportKeyError(error); // S2
      }
    }
  }
}
