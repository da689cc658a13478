/**
 * The events of an emitter as a source to read from: kept until they are read, and held back where the emitter can
 * be. Prior art: Node's `events.on`, `readline`'s async iterator.
 *
 * @module
 */
import { show } from '../../core/inside.ts';
import { listenTo, requireEvent, type EmitterLike } from '../internal/stream/event-target.ts';
import { Queue } from '../internal/stream/queue.ts';
import type { SourceIterator } from '../internal/stream/source-end.ts';

/**
 * Which events of an emitter are items, and which end it.
 *
 * @since 0.1.0
 */
export interface EventIterableOptions {
  /** The event that brings an item: its argument, or the array of them if there are several. */
  readonly event: string | symbol;
  /** Events that end the iteration, after the items that came before; `['end', 'close']` by default. */
  readonly endOn?: readonly (string | symbol)[] | undefined;
  /** Events that fail the iteration with their argument; `['error']` by default. */
  readonly failOn?: readonly (string | symbol)[] | undefined;
}

/** So many unread items pause an emitter that has `pause()` and `resume()`; others cannot be held back. */
const PAUSE_AT = 16;

/** A text is refused: to a loop it is a list of its letters, and none of them would ever come. */
function requireEvents(what: string, events: readonly (string | symbol)[]): void {
  if (!Array.isArray(events)) throw new TypeError(`${what} must be a list of events, got ${show(events)}`);
  for (const event of events) requireEvent('endOn and failOn', event);
}

interface Read {
  readonly resolve: (result: IteratorResult<unknown, unknown>) => void;
  readonly reject: (error: unknown) => void;
}

const finished = { done: true, value: undefined } as const;

/** Listens at once: what is emitted before the first read is an item too. */
export class EventReader implements SourceIterator<unknown> {
  readonly #emitter: { pause?: unknown; resume?: unknown };
  readonly #items = new Queue<unknown>();
  readonly #reads = new Queue<Read>();
  readonly #unlisten: (() => void)[] = [];
  #isPaused = false;
  #end: { readonly error?: unknown; readonly failed: boolean } | undefined;

  constructor(emitter: EmitterLike, options: EventIterableOptions) {
    const { event, endOn = ['end', 'close'], failOn = ['error'] } = options;
    this.#emitter = emitter as object;
    requireEvent('event', event);
    requireEvents('endOn', endOn);
    requireEvents('failOn', failOn);
    const listen = (name: string | symbol, listener: (...args: unknown[]) => void): void => {
      this.#unlisten.push(listenTo('source', emitter, name, listener));
    };
    listen(event, (...args) => {
      this.#take(args.length > 1 ? args : args[0]);
    });
    for (const name of endOn) {
      listen(name, () => {
        this.#finish({ failed: false });
      });
    }
    for (const name of failOn) {
      listen(name, (error) => {
        this.#finish({ failed: true, error });
      });
    }
  }

  next(): Promise<IteratorResult<unknown, unknown>> {
    if (this.#items.length > 0) {
      const value = this.#items.shift();
      if (this.#isPaused && this.#items.length === 0) this.#pause(false);
      return Promise.resolve({ done: false, value });
    }
    const end = this.#end;
    if (end === undefined) {
      return new Promise((resolve, reject) => {
        this.#reads.push({ resolve, reject });
      });
    }
    this.#end = { failed: false };
    // An emitter fails with whatever it emits; it is handed on as it came.
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    return end.failed ? Promise.reject(end.error) : Promise.resolve(finished);
  }

  return(): Promise<IteratorResult<unknown, unknown>> {
    this.#items.clear();
    this.#finish({ failed: false });
    return Promise.resolve(finished);
  }

  #take(value: unknown): void {
    const read = this.#reads.shift();
    if (read !== undefined) read.resolve({ done: false, value });
    else if (this.#items.push(value) >= PAUSE_AT) this.#pause(true);
  }

  #finish(end: { readonly error?: unknown; readonly failed: boolean }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const unlisten of this.#unlisten) unlisten();
    if (this.#isPaused) this.#pause(false);
    const first = this.#reads.shift();
    if (first !== undefined && end.failed) {
      this.#end = { failed: false };
      first.reject(end.error);
    } else first?.resolve(finished);
    for (let read = this.#reads.shift(); read !== undefined; read = this.#reads.shift()) read.resolve(finished);
  }

  #pause(isPaused: boolean): void {
    const { pause, resume } = this.#emitter;
    if (typeof pause !== 'function' || typeof resume !== 'function') return;
    this.#isPaused = isPaused;
    Reflect.apply(isPaused ? pause : resume, this.#emitter, []);
  }
}
