/**
 * What persons and programs say, as messages that can be sent.
 *
 * @module
 */
import { messageText } from '../../core/interrupt/messages/model-notes.ts';
import type { DialectRules } from '../dialects/rules.ts';
import type { Interjection } from '../from-core.ts';
import { field, isRecord, isThere } from '../reading/fields.ts';
import { noAnswer, requireMessages } from '../reading/require-messages.ts';
import { legalList } from '../repair.ts';
import { wellFormed } from '../words/well-formed.ts';
import type { Words } from '../words/wording.ts';
import type { openCallsIn } from './waiting/open-calls.ts';

/** Makes the messages of one conversation. */
export class SpokenMessages<M extends object> {
  readonly #rules: DialectRules<M>;
  readonly #words: Words;

  constructor(rules: DialectRules<M>, words: Words) {
    this.#rules = rules;
    this.#words = words;
  }

  /** What somebody says, made legal. @throws TypeError – neither texts nor messages, or an answer to nothing that is there. */
  said(given: readonly (string | M)[]): readonly M[] {
    const messages = given.map((one) => (typeof one === 'string' ? this.#rules.user(one) : one));
    const legal = this.legal(messages);
    this.requireAnswers(messages, messages);
    return legal;
  }

  /** @throws TypeError – one of these, which stand in this list, answers nothing in it: whoever said it takes it for heard. */
  requireAnswers(list: readonly M[], answers: readonly M[]): void {
    const { isPrompt, isReply } = this.#rules.turns;
    const known = { words: this.#words, ids: 'normalise', waits: 'last', isOver: false } as const;
    const legal = (some: readonly M[]): readonly M[] => legalList(some, this.#rules, known).messages;
    for (const one of answers) {
      const isEmpty = !isThere(field(one, 'content') ?? field(one, 'parts') ?? '-');
      if (isEmpty || isPrompt(one) || isReply(one)) continue;
      const without = legal(list.filter((other) => other !== one));
      if (JSON.stringify(legal(list)) === JSON.stringify(without) || this.#isPartLost(list, one)) throw noAnswer(one);
    }
  }

  /** Whether a message answers other things besides, which are not there. */
  #isPartLost(list: readonly M[], answer: M): boolean {
    const { check, opening } = this.#rules;
    let isLost = false;
    const note = (at: number, rule: string): void => {
      isLost ||= list[at - 1] === answer && rule.endsWith('-has-call');
    };
    check([opening, ...list], note, 'keep');
    return isLost;
  }

  /** Texts of the user and messages of the provider, made legal. @throws TypeError – neither. */
  legal(given: readonly (string | M)[]): readonly M[] {
    const messages = Array.from(given, (one) => (typeof one === 'string' ? this.#rules.user(one) : one));
    requireMessages(messages, this.#rules);
    return legalList(messages, this.#rules, { words: this.#words, ids: 'normalise' }).messages;
  }

  /**
   * What was stored, made legal; but for calls at its end that wait: all of them where somebody says so, or those that a
   * person has allowed.
   */
  stored(messages: readonly M[], waits: boolean): readonly M[] {
    requireMessages(messages, this.#rules);
    const isOpen = (some: readonly M[]): boolean =>
      loops !== undefined && loops.openCallsIn(this.#rules, some).length > 0;
    const loops = this.#rules.loops as { readonly openCallsIn: typeof openCallsIn } | undefined;
    const known = { words: this.#words, ids: 'normalise', waits: waits ? 'last' : undefined } as const;
    const open = isOpen(messages) ? legalList(messages, this.#rules, { ...known, isOver: false }).messages : [];
    return isOpen(open) ? open : this.legal(messages);
  }

  /** A text of the program for the model. */
  note(text: string): M {
    return wellFormed(this.#rules.user(text));
  }

  /** A message for the working agent: one of the provider as it is, a text or any data marked as what a person said meanwhile. */
  of({ message }: Interjection): M {
    return this.#own(message) ?? this.note(messageText(message));
  }

  /** The same as the person said it, for who gets it back. */
  saidIn({ message }: Interjection): M {
    return this.#own(message) ?? this.note(typeof message === 'string' ? message : JSON.stringify(message));
  }

  #own(message: unknown): M | undefined {
    return isRecord(message) ? this.#prompt(message as M)[0] : undefined;
  }

  #prompt(message: M): readonly M[] {
    try {
      return this.#rules.turns.isPrompt(message) ? this.legal([message]) : [];
    } catch {
      return []; // no message of the provider
    }
  }
}
