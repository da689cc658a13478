/**
 * What servers say in a delta besides what their API names: thoughts, seals, annotations. It is wanted back, so it is put
 * together here without being understood.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';
import { textIn } from './fold.ts';
import { LONG } from './reply-pieces.ts';

type Fields = Record<string, unknown>;

/** What is said again rather than gone on with. */
const names = /^(?:id|type|role|name|format)$|_id$/;

const none: ReadonlySet<string> = new Set();

/** The objects whose own texts grow; of any other the last one counts. */
const grown = new Set(['audio', 'function_call']);

/** What deltas had said at one moment; the object is made when it is asked for. */
export interface FieldsNow {
  /** Whether making it costs more than a value may. */
  readonly isLong: boolean;
  fields(): Fields;
}

/** What a field held, from one moment on. */
interface Entry {
  readonly since: number;
  held: unknown;
}

/**
 * What deltas hold besides what a fold has fields of its own for: texts and lists grow, of anything else the last word
 * counts, and `null` is none. A moment of it costs the same however much had come before.
 */
export class OtherFields {
  readonly #except: ReadonlySet<string>;
  readonly #entries = new Map<string, Entry[]>();
  /** In the order in which they came; only added to. */
  readonly #names: string[] = [];
  #moment = 0;
  #longest = 0;

  constructor(except: ReadonlySet<string>) {
    this.#except = except;
  }

  add(delta: object): void {
    for (const name of Object.keys(delta)) {
      const piece = (delta as Fields)[name];
      if (piece === null || piece === undefined || this.#except.has(name)) continue;
      let entries = this.#entries.get(name);
      if (entries === undefined) {
        entries = [];
        this.#entries.set(name, entries);
        this.#names.push(name);
      }
      const last = entries.at(-1);
      const held = merged(name, last?.held, piece);
      if (held instanceof GrowingList) this.#longest = Math.max(this.#longest, held.length);
      if (last?.since === this.#moment) last.held = held;
      else entries.push({ since: this.#moment, held });
    }
  }

  now(): FieldsNow {
    const [moment, count] = [this.#moment, this.#names.length];
    this.#moment += 1;
    return {
      isLong: count > LONG || this.#longest > LONG,
      fields: () => Object.fromEntries(this.#names.slice(0, count).map((name) => [name, this.#heldAt(name, moment)])),
    };
  }

  #heldAt(name: string, moment: number): unknown {
    const entries = this.#entries.get(name) as readonly Entry[];
    let [low, high] = [0, entries.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((entries[middle] as Entry).since <= moment) low = middle;
      else high = middle - 1;
    }
    const { held } = entries[low] as Entry;
    return held instanceof GrowingList ? held.toList() : held;
  }
}

/** A list as it was at one moment: of all its moments only the last piece is their own. */
class GrowingList {
  readonly length: number;
  readonly #closed: unknown[];
  readonly #last: unknown;

  constructor(closed: unknown[], length: number, last: unknown) {
    this.#closed = closed;
    this.length = length;
    this.#last = last;
  }

  /** A piece goes on with the last one, or is one more. */
  with(piece: unknown): GrowingList {
    const [closed, last] = [this.#closed, this.#last];
    const count = this.length - 1;
    if (isObject(last) && isObject(piece) && goesOn(last as Fields, piece as Fields)) {
      return new GrowingList(closed, this.length, mergedObject(last, piece));
    }
    const own = closed.length === count ? closed : closed.slice(0, count);
    own.push(last);
    return new GrowingList(own, this.length + 1, piece);
  }

  toList(): unknown[] {
    return [...this.#closed.slice(0, this.length - 1), this.#last];
  }
}

function merged(name: string, held: unknown, piece: unknown): unknown {
  if (typeof held === 'string' && typeof piece === 'string' && !names.test(name)) return held + piece;
  if (Array.isArray(piece)) {
    const pieces = piece as readonly unknown[];
    if (held instanceof GrowingList) return pieces.reduce<GrowingList>((list, one) => list.with(one), held);
    return pieces.length === 0 ? pieces : new GrowingList(pieces.slice(0, -1), pieces.length, pieces.at(-1));
  }
  return grown.has(name) && isObject(held) && isObject(piece) ? mergedObject(held, piece) : piece;
}

/** An object and its texts that grow; of what else it holds, the last word counts. */
function mergedObject(held: object, piece: object): object {
  const fields = new OtherFields(none);
  fields.add(held);
  fields.add(piece);
  return fields.now().fields();
}

/** Whether it is a piece of the same thought: it has the same number, or no number and more of the same text. */
function goesOn(last: Fields, piece: Fields): boolean {
  if (last['type'] !== piece['type'] || last['index'] !== piece['index'] || textIn(last['signature']) !== '')
    return false;
  const isText = (name: string): boolean => typeof last[name] === 'string' && typeof piece[name] === 'string';
  return last['index'] !== undefined || isText('text') || isText('thinking');
}
