/**
 * What answers calls and questions that wait for somebody, in one way for both. The dialects that have either bring this along,
 * so that nobody else has it in a bundle.
 *
 * Invariant: what answers an entry is a part of it; the provider's rules say where it stands, and which answer counts.
 *
 * @module
 */
import { wellFormedMessage } from '../../dialects/create-dialect.ts';
import { settlePart } from '../../dialects/settle-part.ts';
import { isSameList } from '../../reading/fields.ts';
import type { CallAnswer, Entry, Replied, TurnState } from '../entries.ts';
import type { OpenReply, openReply } from './open-calls.ts';
import type { OrderParts, Orders } from './orders.ts';

/** What was stored, where something waits at its end. */
export interface Stored<M> extends Pick<OpenReply, 'start' | 'before'> {
  /** Where what answers it ends. */
  readonly end: number;
  readonly entry: Replied<M>;
}

/** What it is made of. */
export interface AnswerParts<M> extends OrderParts<M> {
  readonly loops: { readonly openReply: typeof openReply } | undefined;
}

/** A message that answers calls came, or was taken out: returns it by the ids that these have here. */
export type OwnAnswer<M> = (message: M, isThere: boolean) => M;

/** Where what waits begins and ends, nothing for nothing. */
export type Range = readonly [start: number, end: number];

/** What a conversation asks of whatever keeps its answers; what is optional is of questions of the provider's. */
export interface Answering<M extends object> {
  /** An entry as messages, with what answers it. */
  write(entry: Entry<M>): readonly M[];
  /** Somebody answers an entry. */
  add(entry: Entry<M>, answer: CallAnswer<M>): void;
  /** What waits at the end of messages that were stored, and `given` before they were made legal. */
  stored(messages: readonly M[], given: readonly M[]): Stored<M> | undefined;
  /** Takes what was answered in a turn out of entries, which then wait again. */
  takeBack(entries: readonly Entry<M>[], turn: TurnState): void;
  /** What the model said last, where it asks the question that a message answers. */
  asked?(entries: readonly Entry<M>[], message: M): Entry<M> | undefined;
  /** What a framework has told its model, where it answers a question that nobody has answered. Returns whether it does. */
  told?(entries: readonly Entry<M>[], result: object, turn: TurnState): boolean;
}

/** What answers the entries of one conversation. */
export class Answers<M extends object> implements Answering<M> {
  readonly #parts: AnswerParts<M>;
  readonly #orders: Orders<M> | undefined;
  readonly #own: OwnAnswer<M>;
  /** An entry with what answers it, and what that was made of: a message that says the same is the same object. */
  readonly #written = new WeakMap<Entry<M>, { readonly of: readonly unknown[]; readonly messages: readonly M[] }>();

  constructor(parts: AnswerParts<M>, own: OwnAnswer<M>, orders: Orders<M> | undefined) {
    this.#orders = orders;
    this.#parts = parts;
    this.#own = own;
  }

  write(entry: Entry<M>): readonly M[] {
    const { rules, words, writer } = this.#parts;
    const said = writer.write(entry);
    const { answers, goesOn, told } = entry;
    if (answers === undefined || told !== undefined) return told ?? said;
    const known = this.#written.get(entry);
    const of = [said, answers, goesOn];
    if (known !== undefined && isSameList(known.of, of)) return known.messages;
    const how = { words, goesOn: true, waits: goesOn === undefined ? ('last' as const) : undefined };
    const messages = settlePart(
      rules,
      [...said, ...answers.flatMap(({ message, order }) => [message, ...(order?.notes ?? [])])],
      how,
    );
    this.#written.set(entry, { of, messages });
    return messages;
  }

  add(entry: Entry<M>, { turn, message, prompts }: CallAnswer<M>): void {
    const own = wellFormedMessage(this.#own(message, true), this.#parts.rules);
    entry.answers = [...(entry.answers ?? []), { turn, message: own, prompts }];
    entry.told = undefined;
  }

  /** @param around What of the messages waits, where that is not only the calls that are open. */
  stored(
    messages: readonly M[],
    given: readonly M[],
    around: (calls: Range) => Range = (calls) => calls,
  ): Stored<M> | undefined {
    const { rules, loops } = this.#parts;
    const open = loops?.openReply(rules, messages, given);
    const [start, end] = around([open?.start ?? Infinity, open?.end ?? 0]);
    if (end === 0) return undefined;
    const answers = messages.slice(end, messages.map(rules.turns.isPrompt).lastIndexOf(false) + 1);
    const rest = { runnable: [], notes: [], cutBy: undefined, isOpen: false, asks: false, endedInside: undefined };
    const reply = { ...rest, messages: messages.slice(start, end), calls: open?.calls ?? [] };
    const entry: Replied<M> = { turn: undefined, reply };
    if (answers.length > 0) entry.answers = answers.map((message) => ({ turn: undefined, message, prompts: [] }));
    return { start, end: end + answers.length, entry, before: open?.before ?? new Map() };
  }

  takeBack(entries: readonly Entry<M>[], turn: TurnState): void {
    for (const entry of entries) {
      const { answers = [], goesOn } = entry;
      const gone = answers.filter((one) => one.turn === turn);
      if (gone.length === 0 && goesOn !== turn) continue;
      for (const one of gone) this.#own(one.message, false);
      const rest = answers.flatMap((one) => (one.turn === turn ? (this.#orders?.leftOf(entry, one) ?? []) : one));
      Object.assign(entry, { answers: rest.length === 0 ? undefined : rest, told: undefined, goesOn: undefined });
    }
  }
}
