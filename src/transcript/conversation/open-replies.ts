/**
 * Replies in which the provider still runs something itself: it goes on once they are sent back, and its result stands in
 * a later reply. Until that is known they are legal only together.
 *
 * @module
 */
import type { DialectRules } from '../dialects/rules.ts';
import { settlePart } from '../dialects/settle-part.ts';
import type { Words } from '../words/wording.ts';
import type { Entry } from './entries.ts';

/** What a conversation needs of a provider that runs calls itself. The dialect brings it along, so that nobody else has it in a bundle. */
export interface HostedCalls<M> {
  readonly begunIn: (message: M) => readonly string[];
  readonly OpenReplies: typeof OpenReplies;
  readonly lostNote: typeof lostNote;
}

/** For the rules of such a provider's dialect. */
export function hostedCalls<M>(begunIn: HostedCalls<M>['begunIn']): HostedCalls<M> {
  return { begunIn, OpenReplies, lostNote };
}

type Write<M> = (entry: Entry<M>) => readonly M[];

/** The open replies of one conversation: at most one run of them, at its end. */
export class OpenReplies<M> {
  readonly #rules: DialectRules<M>;
  readonly #words: Words;
  /** The first reply that is open. */
  #first: Entry<M> | undefined;

  constructor(rules: DialectRules<M>, words: Words) {
    this.#rules = rules;
    this.#words = words;
  }

  get isOpen(): boolean {
    return this.#first !== undefined;
  }

  /** All entries as messages. */
  legal(entries: readonly Entry<M>[], write: Write<M>): M[] {
    const start = this.startIn(entries);
    if (start === -1) return entries.flatMap(write);
    return [...entries.slice(0, start).flatMap(write), ...this.#settle(entries.slice(start).flatMap(write), true)];
  }

  /** A reply was taken. */
  took(entries: readonly Entry<M>[], entry: Entry<M>, write: Write<M>): void {
    if (this.#first === undefined && entry.reply?.isOpen === true) this.#first = entry;
    const start = this.startIn(entries);
    if (start === -1) {
      this.#first = undefined;
      return;
    }
    const run = entries.slice(start).flatMap(write);
    const closed = this.#settle(run, false);
    if (closed.length === run.length && closed.every((message, at) => message === run[at])) this.#first = undefined;
  }

  /** The turn is over: nobody goes on with what is open, and the model is told that it is lost. */
  close(entries: Entry<M>[], write: Write<M>): void {
    const start = this.startIn(entries);
    this.#first = undefined;
    if (start === -1) return;
    const run = entries.slice(start);
    const before = run.flatMap(write);
    const lost = before.flatMap((message) => this.#rules.hosted?.begunIn(message) ?? []);
    const messages = [...this.#settle(before, false)];
    if (lost.length > 0) messages.push(this.#rules.user(lostNote(lost)));
    const prompts = run.flatMap((entry) => (entry.reply === undefined ? entry.prompts : []));
    entries.splice(start, Infinity, { turn: run[0]?.turn, messages, prompts });
  }

  /** The index of the first reply that is open; -1 if there is none. */
  startIn(entries: readonly Entry<M>[]): number {
    return this.#first === undefined ? -1 : entries.lastIndexOf(this.#first);
  }

  #settle(messages: readonly M[], goesOn: boolean): readonly M[] {
    return settlePart(this.#rules, messages, { words: this.#words, goesOn });
  }
}

/** For the model: what was lost with its reply. */
export function lostNote(names: readonly string[]): string {
  const what = names.join(', ');
  return `[Your reply was cut while the provider ran: ${what}. It may have run to its end; its result is lost.]`;
}
