/**
 * What persons and programs say, as messages that can be sent.
 *
 * @module
 */
import { messageText } from '../../core/interrupt/messages/model-notes.ts';
import type { DialectRules } from '../dialects/rules.ts';
import type { Interjection } from '../from-core.ts';
import { isRecord } from '../reading/fields.ts';
import { requireMessages } from '../reading/require-messages.ts';
import { legalList } from '../repair.ts';
import { wellFormed } from '../words/well-formed.ts';
import type { Words } from '../words/wording.ts';
import type { openCallsIn } from './loops/waiting-calls.ts';

/** Makes the messages of one conversation. */
export class SpokenMessages<M extends object> {
  readonly #rules: DialectRules<M>;
  readonly #words: Words;

  constructor(rules: DialectRules<M>, words: Words) {
    this.#rules = rules;
    this.#words = words;
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
