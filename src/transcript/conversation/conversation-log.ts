/**
 * The pieces of one conversation in their order, and all that changes them.
 *
 * Invariants: what is written is legal at any moment; what was told is written as it was told; an outcome belongs to the
 * call object that it names; no two calls share an id.
 *
 * @module
 */
import { createReason } from '../../core/foundation/reason.ts';
import type { TranscriptCall } from '../dialect.ts';
import type { DialectRules } from '../dialects/rules.ts';
import type { CancelReason, Interjection, ToolOutcome } from '../from-core.ts';
import { copier } from '../reading/ids.ts';
import { wellFormed } from '../words/well-formed.ts';
import type { Words } from '../words/wording.ts';
import { ChangeListeners } from './change-listeners.ts';
import type { Entry, EntryWriter, TurnState } from './entries.ts';
import type { ModelCallHost } from './model-call.ts';
import { OpenReplies } from './open-replies.ts';
import type { SpokenMessages } from './spoken-messages.ts';
import { takeReply, type TakenReply } from './take-reply.ts';

/** Nobody said why. */
const UNKNOWN: CancelReason = /* @__PURE__ */ createReason({ kind: 'unknown', at: 0 });

/** Ids that every provider takes. */
const LONGEST_ID = 40;

/** What a log is made of. */
export interface LogParts<M extends object> {
  readonly rules: DialectRules<M>;
  readonly words: Words;
  readonly spoken: SpokenMessages<M>;
  readonly writer: EntryWriter<M>;
}

/** One conversation as it is kept. */
export class ConversationLog<M extends object> implements ModelCallHost<M> {
  readonly listeners: ChangeListeners<M> = new ChangeListeners();
  readonly #parts: LogParts<M>;
  readonly #open: OpenReplies<M>;
  #entries: Entry<M>[] = [];
  /** Before this place everything is told. */
  #told = 0;
  readonly #ids = new Set<string>();
  readonly #copyOf = copier(this.#ids, LONGEST_ID);
  /** The last model call failed behind these words; the next one says whether anybody goes on without them. */
  #tentative: Entry<M> | undefined;
  #isAsking = false;

  constructor(parts: LogParts<M>) {
    this.#parts = parts;
    this.#open = new OpenReplies(parts.rules, parts.words);
  }

  /** What was there before, which is legal. */
  restore(messages: readonly M[]): void {
    for (const message of messages) {
      this.#parts.rules.named?.(message, {
        call: (id = '') => {
          this.#ids.add(id);
          return id;
        },
        result: (id) => id,
      });
      this.#entries.push({ turn: undefined, messages: [message], prompts: [] });
    }
  }

  get messages(): M[] {
    const written = this.#open.legal(this.#entries, this.#write);
    const { join } = this.#parts.rules;
    return join === undefined ? written : [...join(written)];
  }

  /** The last turn that anything was said in, if it is the last thing there is. */
  get lastTurn(): TurnState | undefined {
    return this.#entries.at(-1)?.turn;
  }

  /** Messages as they are; those of a person come back when their turn is dropped. */
  add(messages: readonly M[], turn: TurnState | undefined, isPersons: boolean): void {
    if (messages.length > 0) this.#push({ turn, messages, prompts: isPersons ? messages : [] });
  }

  note(text: string, turn: TurnState | undefined): void {
    this.add([this.#parts.spoken.note(text)], turn, false);
  }

  messageOf(interjection: Interjection): M {
    return this.#parts.spoken.of(interjection);
  }

  read(messages: readonly Interjection[], turn: TurnState): void {
    const { spoken } = this.#parts;
    for (const one of messages) this.#push({ turn, messages: [spoken.of(one)], prompts: [spoken.saidIn(one)] });
  }

  begin(): void {
    if (this.#isAsking) {
      throw new TypeError('a model call of this conversation is running: fork() gives one to what runs beside it');
    }
    this.#isAsking = true;
    if (this.#tentative !== undefined && this.#tentative === this.#entries.at(-1)) this.#entries.pop();
    this.#tentative = undefined;
  }

  end(): void {
    this.#isAsking = false;
  }

  tell(): M[] {
    for (let at = this.#told; at < this.#entries.length; at += 1) {
      const entry = this.#entries[at] as Entry<M>;
      const isFinal = this.#parts.writer.isFinal(entry);
      if (isFinal && entry.reply !== undefined) entry.told ??= this.#write(entry);
      if (isFinal && at === this.#told) this.#told += 1;
    }
    return this.messages;
  }

  take(value: unknown, cutBy: CancelReason | undefined, turn: TurnState): TakenReply<M> {
    const { rules, words, writer } = this.#parts;
    const goesOn = this.#open.isOpen;
    const reply = takeReply(rules, wellFormed(value), { cutBy, words, goesOn, idOf: (given) => this.#newId(given) });
    writer.add(reply.calls);
    const entry: Entry<M> = { turn, reply, cutBy: cutBy ?? (reply.isWhole ? undefined : UNKNOWN) };
    if (reply.messages.length > 0 || reply.lost.length > 0) this.#push(entry);
    this.#open.took(this.#entries, entry, this.#write);
    return reply;
  }

  takeCut(value: unknown, cutBy: CancelReason | undefined, turn: TurnState, mayBeSaidAgain = false): void {
    const { length } = this.#entries;
    try {
      this.take(value, cutBy ?? UNKNOWN, turn);
    } catch {
      return; // what was kept is no reply: nobody can tell what the model had said
    }
    if (mayBeSaidAgain) this.#tentative = this.#entries[length];
  }

  hand(calls: readonly TranscriptCall[]): void {
    for (const call of calls) {
      const state = this.#parts.writer.stateOf(call);
      if (state !== undefined) state.isHanded = true;
    }
  }

  /** What became of a call; one of somebody else's is not told. */
  ended(outcome: ToolOutcome): void {
    const state = this.#parts.writer.stateOf(outcome.call);
    if (state === undefined || state.outcome === outcome) return;
    state.outcome = outcome;
    this.#changed();
  }

  /** A turn is over. */
  close(turn: TurnState): void {
    turn.isOver = true;
    this.#tentative = undefined;
    this.#open.close(this.#entries, this.#write);
    this.#changed();
  }

  /** Takes a turn out; returns what a person had said in it. */
  drop(turn: TurnState): M[] {
    const own = this.#entries.filter((entry) => entry.turn === turn);
    this.#replace(this.#entries.filter((entry) => entry.turn !== turn));
    return own.flatMap((entry) => (entry.reply === undefined ? entry.prompts : []));
  }

  /** Puts messages in the place of those before an index; what would be torn apart there stays. */
  replaceBefore(end: number, messages: readonly M[]): void {
    let length = 0;
    const at = this.#entries.findIndex((entry) => (length += this.#write(entry).length) > end);
    const rest = at === -1 ? [] : this.#entries.slice(at);
    this.#replace([{ turn: undefined, messages, prompts: [] }, ...rest]);
  }

  readonly #write = (entry: Entry<M>): readonly M[] => this.#parts.writer.write(entry);

  #push(entry: Entry<M>): void {
    this.#entries.push(entry);
    this.#changed();
  }

  #replace(entries: Entry<M>[]): void {
    this.#entries = entries;
    this.#told = 0;
    this.#changed();
  }

  #changed(): void {
    this.listeners.changed(() => this.messages);
  }

  #newId(given: string): string {
    const id = this.#ids.has(given) ? this.#copyOf(given) : given;
    this.#ids.add(id);
    return id;
  }
}
