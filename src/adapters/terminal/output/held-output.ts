/**
 * Output on its way to the screen: passed on at once, or held up to a limit, in the order it came, whatever stream it is
 * of.
 *
 * Invariants:
 * - **H1** Nothing passes what waits.
 * - **H2** More than the limit is never held: from there on its writers wait.
 * - **H3** What was dropped is answered as written, so no writer waits for ever.
 * - **H4** Nothing large is passed on in one go: the event loop turns in between.
 * - **H5** What only waits for its turn of the loop is passed on also if the process ends before.
 *
 * Prior art: Node's `Writable` with `cork`.
 *
 * @module
 */
import type { Releasable } from '../../../core/inside.ts';

/** Text of one stream. */
export interface HeldText {
  readonly source: object;
  readonly text: string;
  /** The writer may go on. */
  readonly done: () => void;
}

interface Entry {
  readonly source: object;
  text: string;
  done: (() => void) | undefined;
}

/** As much is passed on before the event loop turns. */
const SLICE = 8192;

/** One per screen. */
export class HeldOutput {
  readonly #limit: number;
  readonly #pass: (source: object, text: string) => boolean;
  #queue: Entry[] = [];
  /** Where the queue begins: taking from the front of a long array would move all of it (H4). */
  #head = 0;
  #size = 0;
  #stops = 0;
  readonly #atEnd: (fn: () => void) => Releasable;
  #turn: NodeJS.Immediate | undefined;
  #end: Releasable | undefined;

  /**
   * @param limit Characters.
   * @param pass Writes a text; `false` if the screen is to be waited for, until `resume()`.
   * @param atEnd Has a function called when the process ends.
   */
  constructor(limit: number, pass: (source: object, text: string) => boolean, atEnd: (fn: () => void) => Releasable) {
    this.#limit = limit;
    this.#pass = pass;
    this.#atEnd = atEnd;
  }

  get size(): number {
    return this.#size;
  }

  /** Waits for one `resume()` more. */
  stop(): void {
    this.#stops++;
  }

  resume(): void {
    this.#stops--;
    this.#drain();
  }

  add({ source, text, done }: HeldText): void {
    for (let at = 0; at === 0 || at < text.length; at += SLICE) this.#push(source, text.slice(at, at + SLICE));
    this.#size += text.length;
    const last = this.#queue.at(-1);
    const waits = this.#size > this.#limit && last !== undefined; // H2
    if (waits) last.done = done;
    if (this.#turn === undefined) this.#drain();
    if (!waits) done();
  }

  /** Forgets what this stream wrote and nobody has seen. */
  drop(source: object): void {
    const waiting = this.#queue.slice(this.#head);
    const dropped = waiting.filter((entry) => entry.source === source);
    this.#queue = waiting.filter((entry) => entry.source !== source);
    this.#head = 0;
    for (const { text, done } of dropped) {
      this.#size -= text.length;
      done?.(); // H3
    }
  }

  #push(source: object, text: string): void {
    const last = this.#queue.at(-1);
    const fits = last?.source === source && last.done === undefined && last.text !== '' && text !== '';
    if (fits && last.text.length + text.length <= SLICE) last.text += text;
    else this.#queue.push({ source, text, done: undefined });
  }

  #shift(): Entry | undefined {
    const next = this.#queue[this.#head++];
    if (this.#head >= this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    }
    return next;
  }

  #drain(): void {
    let passed = 0;
    while (this.#stops === 0 && this.#turn === undefined) {
      if (passed >= SLICE && this.#queue.length > 0) {
        this.#turn = setImmediate(() => {
          this.#endTurn();
          this.#drain();
        });
        this.#end = this.#atEnd(() => {
          this.#endTurn();
          while (this.#stops === 0 && this.#passNext() !== undefined); // H5
        });
        return;
      }
      const length = this.#passNext();
      if (length === undefined) return;
      passed += length;
    }
  }

  #endTurn(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    this.#end?.release();
    this.#end = undefined;
  }

  /** Its length; `undefined` if nothing waits. */
  #passNext(): number | undefined {
    const next = this.#shift();
    if (next === undefined) return undefined;
    const { source, text, done } = next;
    this.#size -= text.length;
    if (!this.#pass(source, text)) this.#stops++;
    done?.();
    return text.length;
  }
}
