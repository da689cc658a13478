/**
 * Questions of the provider's side that a person answers. Each has a no until then, so that the conversation can be sent;
 * the person's answer stands in the place of that as long as it is there. The dialect of such a provider brings this along,
 * so that nobody else has it in a bundle.
 *
 * @module
 */
import { show } from '../../core/foundation/check.ts';
import { wellFormedMessage } from '../dialects/create-dialect.ts';
import type { DialectRules } from '../dialects/rules.ts';
import type { Entry, TurnState } from './entries.ts';

type QuestionRules<M> = Required<Pick<DialectRules<M>, 'questions'>> & Pick<DialectRules<M>, 'rewrite' | 'adopt'>;

/** The questions of one conversation, each with its answer. */
export class Questions<M> {
  readonly #rules: QuestionRules<M>;
  /** Where each question has its answer, once one was given again. */
  #answers: ReadonlyMap<unknown, Entry<M>> = new Map();

  constructor(rules: QuestionRules<M>) {
    this.#rules = rules;
  }

  /**
   * Those of these messages that answer a question which is not among them.
   *
   * @throws TypeError – as {@link entryOf}.
   */
  answersIn(entries: readonly Entry<M>[], messages: readonly M[], sent: number): readonly M[] {
    const { answerTo, idsOf } = this.#rules.questions;
    const asked = new Set(messages.flatMap(idsOf));
    const answers = messages.filter((one) => answerTo(one) !== undefined && !asked.has(answerTo(one)));
    if (answers.length > 0) this.#find(entries, answers, sent);
    return answers;
  }

  /**
   * Answers as what is said in a turn, each of the question with its id; nothing for none.
   *
   * @param how `sent`: how many of the entries the request carries that is under way.
   * @throws TypeError – nobody asks that; or the model goes on, or has, with the answer that was there; or two questions came
   *   with one id.
   */
  entryOf(
    entries: readonly Entry<M>[],
    answers: readonly M[],
    { turn, sent }: { readonly turn: TurnState | undefined; readonly sent: number },
  ): Entry<M> | undefined {
    if (answers.length === 0) return undefined;
    const messages = this.#find(entries, answers, sent).map((one) => wellFormedMessage(one, this.#rules));
    return { turn, messages, prompts: messages };
  }

  /** What a framework has told its model, where that answers a question that waits. */
  told(entries: readonly Entry<M>[], result: object, turn: TurnState, replace: (entries: Entry<M>[]) => void): void {
    const { message: given } = result as { readonly message?: M & object };
    const waiting = this.#waiting(entries);
    if (given === undefined || waiting.length === 0) return;
    const message = (this.#rules.adopt?.(given, []) ?? given) as M;
    const id = this.#rules.questions.answerTo(message);
    if (this.#answers.has(id) || !waiting.some(([own]) => own === id)) return;
    replace([...entries, { turn, messages: [wellFormedMessage(message, this.#rules)], prompts: [] }]);
  }

  /** The last answer of each question. */
  #find(entries: readonly Entry<M>[], answers: readonly M[], sent: number): readonly M[] {
    const { answerTo } = this.#rules.questions;
    const waiting = this.#waiting(entries, sent);
    const all = this.#idsIn(entries);
    for (const id of answers.map(answerTo)) {
      const [found, other] = all.filter((ids) => ids.includes(id));
      if (found === undefined)
        throw new TypeError(`an answer must be of a question that is asked here, got one of ${show(id)}`);
      // Nobody knows which of them the person has seen.
      if (other !== undefined || found[0] !== id)
        throw new TypeError(`two questions came with one id, answer by those in messages: ${show(id)}`);
      if (!waiting.some(([own]) => own === id))
        throw new TypeError(`a question is answered before the model goes on, which it has: ${show(id)}`);
    }
    return [...new Map(answers.map((message) => [answerTo(message), message])).values()];
  }

  /** The last answer of each question in these entries is the one that counts. */
  index(entries: readonly Entry<M>[]): void {
    const { answerTo } = this.#rules.questions;
    const ids = (entry: Entry<M>): readonly unknown[] => messagesOf(entry).map(answerTo);
    this.#answers = new Map(entries.flatMap((entry) => ids(entry).map((id) => [id, entry] as const)));
  }

  /** Messages of an entry without the answers that another has given anew. */
  left(entry: Entry<M>, messages: readonly M[]): readonly M[] {
    const { answerTo } = this.#rules.questions;
    const stays = (message: M): boolean => {
      const id = answerTo(message);
      return id === undefined || (this.#answers.get(id) ?? entry) === entry;
    };
    return messages.every(stays) ? messages : messages.filter(stays);
  }

  /** Entries that stay where others are taken out: without the answers to what those asked. */
  without(gone: readonly Entry<M>[], kept: readonly Entry<M>[]): Entry<M>[] {
    const { answerTo } = this.#rules.questions;
    const asked = new Set(this.#idsIn(gone).map(([id]) => id));
    const stays = (message: M): boolean => answerTo(message) === undefined || !asked.has(answerTo(message));
    return kept.map((entry) => {
      if (entry.reply !== undefined || entry.messages.every(stays)) return entry;
      return { ...entry, messages: entry.messages.filter(stays), prompts: entry.prompts.filter(stays) };
    });
  }

  /** The ids of what the model asked last, behind what a request carries. */
  #waiting(entries: readonly Entry<M>[], sent = 0): readonly (readonly unknown[])[] {
    return this.#idsIn(entries.slice(Math.max(this.#start(entries), sent)));
  }

  #idsIn(entries: readonly Entry<M>[]): readonly (readonly unknown[])[] {
    return entries.flatMap(messagesOf).flatMap((message) => {
      const ids = this.#rules.questions.idsOf(message);
      return ids.length === 0 ? [] : [ids];
    });
  }

  /** Where what the model said last begins: what was stored is one entry for each message. */
  #start(entries: readonly Entry<M>[]): number {
    const { isOfModel } = this.#rules.questions;
    const isSaid = (entry: Entry<M> | undefined): boolean =>
      entry !== undefined && (entry.reply !== undefined || entry.messages.some(isOfModel));
    let first = entries.length - 1;
    while (first > 0 && !isSaid(entries[first])) first -= 1;
    while (entries[first]?.reply === undefined && first > 0 && isSaid(entries[first - 1])) first -= 1;
    return Math.max(first, 0);
  }
}

function messagesOf<M>({ reply, messages = [] }: Entry<M> & { readonly messages?: readonly M[] }): readonly M[] {
  return reply?.messages ?? messages;
}
