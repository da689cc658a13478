/**
 * Calls at the end of a conversation that a framework left to somebody else: to a person who allows them, to a page that
 * runs them. They stay open for the answer, and no longer than that.
 *
 * Invariant: a reply whose calls wait is the last entry; what answers them is a part of it.
 *
 * @module
 */
import { wellFormedMessage } from '../../dialects/create-dialect.ts';
import { settlePart } from '../../dialects/settle-part.ts';
import { promptsOf, type CallAnswer, type Entry, type Replied, type TurnState } from '../entries.ts';
import { noAnswer } from '../../reading/require-messages.ts';
import type { LogParts, LoopCalls } from './loop-calls.ts';

/** The waiting calls of one conversation. */
export class WaitingCalls<M extends object> {
  readonly #parts: LogParts<M>;
  readonly #loop: LoopCalls | undefined;

  constructor(parts: LogParts<M>, loop?: LoopCalls) {
    this.#parts = parts;
    this.#loop = loop;
  }

  /** The reply whose calls wait. */
  in(entries: readonly Entry<M>[]): Replied<M> | undefined {
    const last = entries.at(-1);
    return last?.reply !== undefined && this.#parts.writer.waits(last) ? last : undefined;
  }

  /** The messages that ask for an answer, with what answers them: none once a turn goes on with that. */
  asking(entries: readonly Entry<M>[]): readonly M[] | undefined {
    const waiting = this.in(entries);
    return waiting === undefined || waiting.goesOn !== undefined ? undefined : this.#parts.writer.write(waiting);
  }

  /** A turn begins: with what is answered by then it goes on. */
  begin(entries: readonly Entry<M>[], turn: TurnState): void {
    const waiting = this.in(entries);
    if (waiting?.answers !== undefined) waiting.goesOn = turn;
  }

  /** The results of calls that wait, or the word whether they may run. @throws TypeError – nothing waits any more. */
  answer(entries: readonly Entry<M>[], { turn, message, prompts }: CallAnswer<M>): void {
    const waiting = this.in(entries);
    if (waiting === undefined) throw noAnswer(message);
    const own = this.#loop?.answer(this.#parts, message, true) ?? message;
    waiting.answers = [...(waiting.answers ?? []), { turn, message: own, prompts }];
  }

  /** A reply may begin with results: a framework has run what a person allowed before it asked its model. */
  answerBy(entries: readonly Entry<M>[], value: unknown, turn: TurnState): void {
    const { repliesIn, turns } = this.#parts.rules;
    for (const message of this.in(entries) === undefined ? [] : (repliesIn(value) ?? [])) {
      if (turns.isReply(message) || this.#loop?.knows(this.#parts, message) !== true) return;
      this.answer(entries, { turn, message: wellFormedMessage(message, this.#parts.rules), prompts: [] });
    }
  }

  /** Takes what was answered in a turn out of replies, which then wait again; returns what a person had said for it. */
  takeBack(entries: readonly Entry<M>[], turn: TurnState): readonly M[] {
    return entries.flatMap((entry) => {
      const own = entry.answers?.filter((one) => one.turn === turn) ?? [];
      if (entry.answers === undefined || (own.length === 0 && entry.goesOn !== turn)) return [];
      for (const { message } of own) this.#loop?.answer(this.#parts, message, false);
      const rest = entry.answers.filter((one) => one.turn !== turn);
      Object.assign(entry, { answers: rest.length === 0 ? undefined : rest, told: undefined, goesOn: undefined });
      return own.flatMap(({ prompts }) => prompts);
    });
  }

  /** The conversation goes on: what is open by then is closed by the provider's rules. Returns whether anything was. */
  goOn(entries: Entry<M>[]): boolean {
    const last = this.in(entries);
    if (last === undefined) return false;
    const { rules, words, writer } = this.#parts;
    const all = [...writer.write(last), rules.opening];
    const messages = settlePart(rules, all, { words, goesOn: true }).slice(0, -1);
    entries.splice(-1, 1, { turn: last.turn, messages, prompts: promptsOf(last) });
    return true;
  }
}
