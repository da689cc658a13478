/**
 * Who gets a key: handlers by priority, and the first that says "mine" ends the walk.
 *
 * Invariants:
 * - **S1** Higher priority first; within one priority the newest first.
 * - **S2** A handler that throws counts as "not mine" and is reported; it stops nobody.
 * - **S3** Keys are handled one after the other: a key that arrives while one is handled waits its turn.
 * - **S4** A key that time has to decide belongs to what was on the screen when its first byte came: what came up since does
 *   not take it, what has gone since does.
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
  readonly isLayer: boolean;
}

/** What was on the screen when the first byte of a key came. */
export interface Arrival {
  readonly layers: readonly Entry[];
  /** A prompt was open: ESC is its key. */
  readonly isWaitingInput: boolean;
  readonly at: number;
}

/** Highest first; of two that are `Infinity` neither. */
function byPriority(one: Entry, other: Entry): number {
  return one.priority === other.priority ? 0 : one.priority > other.priority ? -1 : 1;
}

/** One stack per keyboard. */
export class KeyStack {
  /** Sorted, highest first. Replaced, never changed: a walk goes on over the list it began with. */
  #entries: readonly Entry[] = [];
  readonly #queue: { event: KeyEvent; arrivedAt: number; arrival: Arrival | undefined }[] = [];
  #walking = false;
  #arrival: Arrival | undefined;

  /** Of the key that is being handled, if it was decided later than it came. */
  get arrival(): Arrival | undefined {
    return this.#arrival;
  }

  /** S4: what is on the screen now. */
  noteArrival(isWaitingInput: boolean, at: number): Arrival {
    const layers = this.#entries.filter(({ isLayer, priority }) => isLayer && priority > priorities.cancel);
    return { layers, isWaitingInput, at };
  }

  /**
   * Adds a handler.
   *
   * @param isLayer It stands for something on the screen, and not for the keyboard as a whole.
   */
  handle(fn: KeyHandler, priority: number, isLayer = false): Releasable {
    requireFunction('handler', fn);
    if (typeof priority !== 'number' || Number.isNaN(priority)) {
      throw new TypeError(`priority must be a number, got ${show(priority)}`);
    }
    const entry: Entry = { fn, priority, isLayer };
    const above = this.#entries.filter((other) => other.priority > priority); // S1
    this.#entries = [...above, entry, ...this.#entries.slice(above.length)];
    return {
      release: () => {
        this.#entries = this.#entries.filter((other) => other !== entry);
      },
    };
  }

  /** Offers a key to everybody in turn. */
  dispatch(event: KeyEvent, arrivedAt: number, arrival?: Arrival): void {
    this.#queue.push({ event, arrivedAt, arrival });
    if (this.#walking) return; // S3
    this.#walking = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        this.#arrival = next.arrival;
        this.#walk(next.event, next.arrivedAt, next.arrival?.layers);
      }
    } finally {
      this.#walking = false;
      this.#arrival = undefined;
    }
  }

  #walk(event: KeyEvent, arrivedAt: number, layers: readonly Entry[] | undefined): void {
    const gone = layers?.filter((layer) => !this.#entries.includes(layer)) ?? [];
    for (const entry of this.#concerned(gone, layers)) {
      if (!this.#entries.includes(entry) && !gone.includes(entry)) continue; // released by a handler before it
      try {
        if (entry.fn(event, arrivedAt) === true) return;
      } catch (error) {
        reportKeyError(error); // S2
      }
    }
  }

  /** S4: those who are there, without the layers that came since, and with those that have gone since. */
  #concerned(gone: readonly Entry[], layers: readonly Entry[] | undefined): readonly Entry[] {
    if (layers === undefined) return this.#entries;
    const isLater = (entry: Entry): boolean =>
      entry.isLayer && entry.priority > priorities.cancel && !layers.includes(entry);
    return [...this.#entries.filter((entry) => !isLater(entry)), ...gone].sort(byPriority);
  }
}
