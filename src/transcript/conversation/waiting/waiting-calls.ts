/**
 * Calls at the end of a conversation that a framework left to somebody else: to a person who allows them, to a page that
 * runs them. They stay open for the answer, and no longer than that.
 *
 * Invariant: a reply whose calls wait is the last entry.
 *
 * @module
 */
import { settlePart } from '../../dialects/settle-part.ts';
import { promptsOf, type Entry, type Replied, type TurnState } from '../entries.ts';
import type { LogParts, LoopCalls } from '../loops/loop-calls.ts';
import type { Answering } from './answers.ts';

/** The waiting calls of one conversation. */
export class WaitingCalls<M extends object> {
  readonly #parts: LogParts<M>;
  readonly #answers: Answering<M>;
  readonly #loop: LoopCalls;

  constructor(parts: LogParts<M>, answers: Answering<M>, loop: LoopCalls) {
    this.#parts = parts;
    this.#answers = answers;
    this.#loop = loop;
  }

  /** The reply whose calls wait. */
  in(entries: readonly Entry<M>[]): Replied<M> | undefined {
    const last = entries.at(-1);
    return last?.reply !== undefined && this.#parts.writer.waits(last) ? last : undefined;
  }

  /** The messages whose calls ask for an answer, with what answers them: none once a turn goes on with that. */
  asking(entries: readonly Entry<M>[]): readonly M[] | undefined {
    const waiting = this.in(entries);
    return waiting === undefined || waiting.goesOn !== undefined ? undefined : this.#answers.write(waiting);
  }

  /** A turn is over: what it was to carry on, whoever keeps the answers, nobody carries on after a stop. */
  close(entries: readonly Entry<M>[], turn: TurnState): void {
    const waiting = this.in(entries);
    if (waiting !== undefined && waiting.turn !== turn && turn.reason() !== undefined) waiting.goesOn = turn;
  }

  /** A turn begins: with what is answered by then it goes on. */
  begin(entries: readonly Entry<M>[], turn: TurnState): void {
    const waiting = this.in(entries);
    if (waiting?.answers !== undefined) waiting.goesOn = turn;
  }

  /** A framework has begun a call. One that waited has its order: nobody gives that again, also if the process dies. */
  began(entries: readonly Entry<M>[], id: string): boolean {
    const call = this.#loop.get(id);
    if (call === undefined || this.in(entries)?.reply.calls.includes(call) !== true) return false;
    Object.assign(this.#parts.writer.stateOf(call) ?? {}, { mayRun: true, isPassedOver: true });
    return true;
  }

  /** A reply may begin with results: a framework has run what a person allowed before it asked its model. */
  answerBy(entries: readonly Entry<M>[], value: unknown, turn: TurnState): void {
    const { repliesIn, turns } = this.#parts.rules;
    const waiting = this.in(entries);
    for (const message of waiting === undefined ? [] : (repliesIn(value) ?? [])) {
      if (waiting === undefined || turns.isReply(message) || !this.#loop.knows(this.#parts, message)) return;
      this.#answers.add(waiting, { turn, message, prompts: [] });
    }
  }

  /** The conversation goes on: calls that are open by then are closed by the provider's rules. Returns whether any were. */
  goOn(entries: Entry<M>[]): boolean {
    const last = this.in(entries);
    if (last === undefined) return false;
    const { rules, words } = this.#parts;
    const all = [...this.#answers.write(last), rules.opening];
    const messages = settlePart(rules, all, { words, goesOn: true }).slice(0, -1);
    entries.splice(-1, 1, { turn: last.turn, messages, prompts: promptsOf(last) });
    return true;
  }
}
