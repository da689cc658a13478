/**
 * What the pieces of a stream come to, kept from one value to the next: a value costs what has changed since the last
 * one, however many pieces had come before. Prior art: the memo of a parser's finished nodes.
 *
 * Invariants: lists are only added to, never changed; where a piece before the last one changes, new lists go on from
 * there, so that a value given out before keeps its own.
 *
 * @module
 */
import type { CallFragment, ModelReply } from './fold.ts';
import { InOrder } from './in-order.ts';

/** What one piece comes to as it stands. */
export interface Written<P, C> {
  readonly part?: P | undefined;
  readonly call?: C | undefined;
  readonly fragment?: CallFragment | undefined;
  readonly text?: string | undefined;
}

/** A piece of a stream, and what it came to when that was last asked. */
export interface Piece<P, C> {
  written?: Written<P, C> | undefined;
}

/** How a fold reads its pieces. */
export interface PieceReader<S, P, C> {
  write(piece: S, isLast: boolean): Written<P, C>;
  /** Whether this may not stand at the end of a reply: it goes with what should have followed it. */
  wantsMore?(part: P): boolean;
}

/** Lists longer than this are made when they are first read: to copy them at each event would cost what had come. */
export const LONG = 256;

interface Lists<P, C> {
  readonly parts: P[];
  readonly calls: C[];
  readonly fragments: CallFragment[];
  text: string;
}

function append<P, C>(lists: Lists<P, C>, { part, call, fragment, text }: Written<P, C>): void {
  if (part !== undefined) lists.parts.push(part);
  if (call !== undefined) lists.calls.push(call);
  if (fragment !== undefined) lists.fragments.push(fragment);
  if (text !== undefined) lists.text += text;
}

/** What a reply consisted of at one moment: the beginnings of lists that only grow, and what stood open behind them. */
export class Moment<P, C> {
  readonly text: string;
  readonly #lists: Lists<P, C>;
  readonly #parts: number;
  readonly #calls: number;
  readonly #fragments: number;
  readonly #open: readonly Written<P, C>[];

  constructor(lists: Lists<P, C>, open: readonly Written<P, C>[]) {
    this.#lists = lists;
    this.#parts = lists.parts.length;
    this.#calls = lists.calls.length;
    this.#fragments = lists.fragments.length;
    this.#open = open;
    let { text } = lists;
    for (const { text: own } of open) if (own !== undefined) text += own;
    this.text = text;
  }

  get isLong(): boolean {
    return this.#parts + this.#calls + this.#fragments > LONG;
  }

  parts(): P[] {
    const list = this.#lists.parts.slice(0, this.#parts);
    for (const { part } of this.#open) if (part !== undefined) list.push(part);
    return list;
  }

  calls(): C[] {
    const list = this.#lists.calls.slice(0, this.#calls);
    for (const { call } of this.#open) if (call !== undefined) list.push(call);
    return list;
  }

  fragments(): CallFragment[] {
    const list = this.#lists.fragments.slice(0, this.#fragments);
    for (const { fragment } of this.#open) if (fragment !== undefined) list.push(fragment);
    return list;
  }
}

/** The pieces of a reply. */
export class ReplyPieces<S extends Piece<P, C>, P, C> {
  readonly #order = new InOrder<S>();
  readonly #reader: PieceReader<S, P, C>;
  /** What all pieces but the last came to. */
  #lists: Lists<P, C> = { parts: [], calls: [], fragments: [], text: '' };
  /** Before each of those, how long the lists were. */
  readonly #marks: { readonly parts: number; readonly calls: number; readonly fragments: number; text: string }[] = [];

  constructor(reader: PieceReader<S, P, C>) {
    this.#reader = reader;
  }

  /** The highest place; -1 before the first piece. */
  get last(): number {
    return this.#order.last;
  }

  get(place: number): S | undefined {
    return this.#order.get(place);
  }

  values(): readonly S[] {
    return this.#order.values();
  }

  /** Puts a piece in its place, or takes in that the one in this place has changed. */
  set(place: number, piece: S): void {
    // Whether it is the last one is part of what a piece comes to.
    const before = this.#order.values().at(-1);
    if (place > this.last && before !== undefined) before.written = undefined;
    piece.written = undefined;
    this.#order.set(place, piece);
    if (this.#marks.length > 0) this.#goBack(this.#order.indexOf(place));
  }

  /** Reads all pieces again. */
  reset(): void {
    for (const piece of this.#order.values()) piece.written = undefined;
    this.#goBack(0);
  }

  #goBack(from: number): void {
    let count = Math.min(from, this.#marks.length);
    // What is kept ends with a piece that a reply may end with: nobody looks at it again.
    if (this.#reader.wantsMore !== undefined) {
      while (count > 0 && !this.#mayEnd(this.#written(count - 1))) count -= 1;
    }
    const mark = this.#marks[count];
    if (mark === undefined) return;
    const { parts, calls, fragments } = this.#lists;
    this.#lists = {
      parts: parts.slice(0, mark.parts),
      calls: calls.slice(0, mark.calls),
      fragments: fragments.slice(0, mark.fragments),
      text: mark.text,
    };
    this.#marks.length = count;
  }

  now(): Moment<P, C> {
    const all = this.#order.values();
    let end = Math.max(0, all.length - 1);
    if (this.#reader.wantsMore !== undefined) {
      while (end > this.#marks.length && !this.#mayEnd(this.#written(end - 1))) end -= 1;
    }
    for (let at = this.#marks.length; at < end; at += 1) {
      const { parts, calls, fragments, text } = this.#lists;
      this.#marks.push({ parts: parts.length, calls: calls.length, fragments: fragments.length, text });
      append(this.#lists, this.#written(at));
    }
    const open: Written<P, C>[] = [];
    for (let at = end; at < all.length; at += 1) open.push(this.#written(at));
    if (this.#reader.wantsMore === undefined) return new Moment(this.#lists, open);
    let last = open.length;
    while (last > 0 && !this.#mayEnd(open[last - 1] as Written<P, C>)) last -= 1;
    const ending = open.map((written, at) => (at < last ? written : { ...written, part: undefined }));
    return new Moment(this.#lists, ending);
  }

  /** Whether a reply may end with this. */
  #mayEnd({ part }: Written<P, C>): boolean {
    return part !== undefined && this.#reader.wantsMore?.(part) !== true;
  }

  #written(at: number): Written<P, C> {
    const all = this.#order.values();
    const piece = all[at] as S;
    return (piece.written ??= this.#reader.write(piece, at === all.length - 1));
  }
}

/** Gives a value one of its fields; that of a long reply is made when it is first read. */
export function setField<V extends object, K extends keyof V>(
  value: V,
  name: K,
  isLong: boolean,
  make: () => V[K],
): void {
  if (!isLong) {
    value[name] = make();
    return;
  }
  let made: { readonly field: V[K] } | undefined;
  Object.defineProperty(value, name, { get: () => (made ??= { field: make() }).field, enumerable: true });
}

/** The value of a fold: plain data, but for lists of hundreds, and where the rest of a message is as long. */
export function replyOf<P, C, M>(
  moment: Moment<P, C>,
  message: (calls: C[]) => M,
  said: Omit<ModelReply<M, C>, 'message' | 'calls' | 'fragments'>,
  isLong = false,
): ModelReply<M, C> {
  if (!moment.isLong && !isLong) {
    const calls = moment.calls();
    return { message: message(calls), calls, fragments: moment.fragments(), ...said };
  }
  const value = { ...said } as ModelReply<M, C> & { calls: C[] };
  setField(value, 'calls', true, () => moment.calls());
  setField(value, 'fragments', true, () => moment.fragments());
  setField(value, 'message', true, () => message(value.calls));
  return value;
}
