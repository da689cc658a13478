/**
 * The beginning of a conversation that was told and can never change, as messages: no model call writes it anew.
 *
 * @module
 */
import type { DialectRules } from '../dialects/rules.ts';
import { addAll } from '../reading/join-messages.ts';
import type { Entry, EntryWriter } from './entries.ts';

/** What it is made of. */
interface ToldParts<M> {
  readonly rules: DialectRules<M>;
  readonly writer: EntryWriter<M>;
  readonly write: (entry: Entry<M>) => readonly M[];
}

/** What of a conversation may change, although it was told. */
export interface StillOpen<M> {
  /** The index of the first entry with which the provider may still go on: it is written together with what follows. */
  readonly from: () => number | undefined;
  readonly isOpen: (entry: Entry<M>) => boolean;
}

/** How much of one conversation was told. */
export class ToldEntries<M> {
  readonly #parts: ToldParts<M>;
  #count = 0;
  #messages: M[] = [];

  constructor(parts: ToldParts<M>) {
    this.#parts = parts;
  }

  /** With the messages of the rest. */
  with(entries: readonly Entry<M>[], legal: (rest: readonly Entry<M>[]) => readonly M[]): M[] {
    return addAll(this.#parts.rules, [...this.#messages], legal(entries.slice(this.#count)));
  }

  /** Something of it was replaced. */
  reset(): void {
    [this.#count, this.#messages] = [0, []];
  }

  /** A request carries these. */
  tell(entries: readonly Entry<M>[], { from, isOpen }: StillOpen<M>): void {
    const { rules, writer, write } = this.#parts;
    for (const entry of entries.slice(this.#count)) writer.pass(entry);
    const open = from();
    for (let at = this.#count; at < entries.length; at += 1) {
      const entry = entries[at] as Entry<M>;
      if (!writer.isFinal(entry) || isOpen(entry)) continue;
      if (entry.reply !== undefined || entry.answers !== undefined) entry.told ??= write(entry);
      if (at !== this.#count || at === open) continue;
      this.#count += 1;
      addAll(rules, this.#messages, write(entry));
    }
  }
}
