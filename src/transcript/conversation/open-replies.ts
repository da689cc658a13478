/**
 * Replies in which the provider still runs something itself: it goes on once they are sent back, and its result stands in
 * a later reply. Until that is known they are legal only together. The dialect of such a provider brings this along, so that
 * nobody else has it in a bundle.
 *
 * @module
 */
import type { DialectRules } from '../dialects/rules.ts';
import { settlePart } from '../dialects/settle-part.ts';
import type { Words } from '../words/wording.ts';
import { promptsOf, type Entry } from './entries.ts';

/** The open replies of one conversation: at most one run of them, at its end. */
export class OpenReplies<M> {
  readonly #rules: DialectRules<M>;
  readonly #words: Words;
  readonly #write: (entry: Entry<M>) => readonly M[];
  /** The first reply that was open when it came, of those that may be so still. */
  #first: Entry<M> | undefined;

  constructor(rules: DialectRules<M>, words: Words, write: (entry: Entry<M>) => readonly M[]) {
    this.#rules = rules;
    this.#words = words;
    this.#write = write;
  }

  /** What the provider goes on with, once it is sent back: the replies that are open, and what follows them. */
  openIn(entries: readonly Entry<M>[]): readonly M[] | undefined {
    const run = this.#runIn(entries);
    const messages = run.flatMap(this.#write);
    return goesOn(run) && this.#rules.hosted?.read(messages, false).isOpen === true ? messages : undefined;
  }

  /** All entries as messages. */
  legal(entries: readonly Entry<M>[]): M[] {
    const run = this.#runIn(entries);
    const before = entries.slice(0, entries.length - run.length).flatMap(this.#write);
    return run.length === 0 ? before : [...before, ...this.#settle(run, goesOn(run))];
  }

  /** A reply comes at this place. One that was cut before it went on with nothing; returns what is closed by that. */
  takes(entries: Entry<M>[], place: number, entry: Entry<M>): Entry<M> | undefined {
    const before = entries.slice(0, place);
    const closed = goesOn(this.#runIn(before)) ? undefined : this.close(entries, place);
    if (entry.reply?.isOpen === true && this.startIn(before) === -1) this.#first = entry;
    return closed;
  }

  /** Nobody goes on with what is open before this place, as at the end of the turn, and the model is told that it is lost. */
  close(entries: Entry<M>[], place: number = entries.length): Entry<M> | undefined {
    const run = this.#runIn(entries.slice(0, place));
    this.#first = undefined;
    if (run.length === 0) return undefined;
    const messages = this.#settle(run, false);
    const prompts = run.flatMap(promptsOf);
    const closed = { turn: run[0]?.turn, messages, prompts };
    entries.splice(place - run.length, run.length, closed);
    return closed;
  }

  /** The index of the first reply that is open; -1 if there is none. Asked anew each time: what ended it may be taken out. */
  startIn(entries: readonly Entry<M>[]): number {
    const start = this.#first === undefined ? -1 : entries.lastIndexOf(this.#first);
    const run = start === -1 ? [] : entries.slice(start).flatMap(this.#write);
    return this.#rules.hosted?.read(run, true).notes.length === 0 ? -1 : start;
  }

  #runIn(entries: readonly Entry<M>[]): readonly Entry<M>[] {
    const start = this.startIn(entries);
    return start === -1 ? [] : entries.slice(start);
  }

  #settle(run: readonly Entry<M>[], isGoingOn: boolean): readonly M[] {
    const known = { words: this.#words, goesOn: isGoingOn, waits: isGoingOn ? ('last' as const) : undefined };
    return settlePart(this.#rules, run.flatMap(this.#write), known);
  }
}

/** Whether nothing of it was cut: a provider goes on with a whole reply. */
function goesOn<M>(run: readonly Entry<M>[]): boolean {
  return run.every(({ reply }) => reply?.cutBy === undefined);
}
