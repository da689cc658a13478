/**
 * Questions of the provider's side that a person answers: each has a no until then, and can be answered until the model goes
 * on. The dialect of such a provider brings this along, so that nobody else has it in a bundle.
 *
 * @module
 */
import type { DialectRules } from '../../dialects/rules.ts';
import type { CallAnswer, Entry, TurnState } from '../entries.ts';
import { Answers, type Answering, type AnswerParts, type OwnAnswer, type Range, type Stored } from './answers.ts';
import type { Orders } from './orders.ts';

const saidIn = <M>(entry: Entry<M>): readonly M[] => (entry.reply ?? entry).messages;

/** What answers the entries of a conversation in which the provider asks. */
export class Questions<M extends object> implements Answering<M> {
  readonly #parts: AnswerParts<M>;
  readonly #rules: NonNullable<DialectRules<M>['questions']>;
  readonly #answers: Answers<M>;

  constructor(parts: AnswerParts<M>, own: OwnAnswer<M>, orders: Orders<M> | undefined) {
    this.#parts = parts;
    this.#rules = parts.rules.questions as NonNullable<DialectRules<M>['questions']>;
    this.#answers = new Answers(parts, own, orders);
  }

  readonly write = (entry: Entry<M>): readonly M[] => this.#answers.write(entry);
  readonly add = (entry: Entry<M>, answer: CallAnswer<M>): void => this.#answers.add(entry, answer);
  readonly takeBack = (entries: readonly Entry<M>[], turn: TurnState): void => this.#answers.takeBack(entries, turn);

  asked(entries: readonly Entry<M>[], message: M): Entry<M> | undefined {
    const { answerTo, asks } = this.#rules;
    const of = answerTo(message);
    const last = this.#lastSaid(entries);
    return of !== undefined && last !== undefined && saidIn(last).some((one) => asks(one) === of) ? last : undefined;
  }

  #lastSaid(entries: readonly Entry<M>[]): Entry<M> | undefined {
    return entries.filter((entry) => saidIn(entry).some(this.#rules.isOfModel)).at(-1);
  }

  told(entries: readonly Entry<M>[], result: object, turn: TurnState): boolean {
    const { message: given } = result as { readonly message?: M & object };
    if (given === undefined) return false;
    const { answerTo } = this.#rules;
    const message = this.#parts.rules.adopt?.(given, []) ?? given;
    const asked = this.asked(entries, message);
    const isAnswered = asked?.answers?.some((one) => answerTo(one.message) === answerTo(message)) === true;
    if (asked === undefined || isAnswered) return false;
    this.add(asked, { turn, message, prompts: [] });
    return true;
  }

  /** With what the model said last, if it asks anything: what was stored is one entry for each message. */
  stored(messages: readonly M[], given: readonly M[]): Stored<M> | undefined {
    const { asks, isOfModel } = this.#rules;
    const isSaid = messages.map(isOfModel);
    const end = isSaid.lastIndexOf(true) + 1;
    const start = end === 0 ? 0 : isSaid.lastIndexOf(false, end - 1) + 1;
    const isAsking = messages.slice(start, end).some((one) => asks(one) !== undefined);
    const around = ([from, to]: Range): Range => (isAsking ? [Math.min(from, start), Math.max(to, end)] : [from, to]);
    return this.#answers.stored(messages, given, around);
  }
}
