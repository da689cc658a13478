/**
 * What a conversation consists of, and what each piece of it comes to as messages.
 *
 * @module
 */
import type { ReplyEnd } from '../../core/foundation/reply-end.ts';
import type { TranscriptCall } from '../dialect.ts';
import { resultsOf, wellFormedMessage } from '../dialects/create-dialect.ts';
import { isAsked } from '../dialects/legal-reply.ts';
import type { AnsweredCall, DialectRules } from '../dialects/rules.ts';
import type { CancelReason, ToolOutcome } from '../from-core.ts';
import { isSameList } from '../reading/fields.ts';
import { answerOutcome } from '../words/answers.ts';
import type { Answer } from '../words/values.ts';
import type { Render } from '../words/values.ts';
import { halfBy, type Words } from '../words/wording.ts';
import type { TakenReply } from './take-reply.ts';
import type { OrderState } from './waiting/orders.ts';

/** What is known of one turn. */
export interface TurnState {
  /** Why it was stopped, as soon as that is known. */
  readonly reason: () => CancelReason | undefined;
  isOver: boolean;
  /** What a person had said in it where a summary stands now. */
  readonly replaced: unknown[];
  /** It ended by itself. */
  isCompleted?: boolean;
  /** How many model calls in a row have not read a message that waited. */
  passedOver?: number;
  /** How the last reply ended, where that was inside a call. */
  endedInside?: ReplyEnd | undefined;
}

/** Messages as they are: a prompt, or what was there before. */
export interface Said<M> {
  readonly turn: TurnState | undefined;
  readonly messages: readonly M[];
  /** Those of them that a person said in this turn. */
  readonly prompts: readonly M[];
  readonly reply?: undefined;
  answers?: readonly CallAnswer<M>[] | undefined;
  readonly goesOn?: undefined;
  told?: readonly M[] | undefined;
}

/** A message that answers what waits: results of calls, the word whether they may run, or the answer to a question. */
export interface CallAnswer<M> {
  readonly turn: TurnState | undefined;
  readonly message: M;
  /** What a person said for it: with the ids that the calls have elsewhere. */
  readonly prompts: readonly M[];
  /** Once it was sent, if it lets the provider run something: as it was given, and what the model is told besides. */
  readonly order?: { readonly yes: M; readonly state: OrderState; readonly notes: readonly M[] };
}

/** A reply with what became of its calls. */
export interface Replied<M> {
  readonly turn: TurnState | undefined;
  reply: TakenReply<M>;
  /** What answers calls and questions of it that wait, in order. */
  answers?: readonly CallAnswer<M>[] | undefined;
  /** The turn that goes on with those answers: calls that have none are not waited for, and once it was stopped, none is. */
  goesOn?: TurnState | undefined;
  /** What it comes to, once the model was told of it and nothing of it can change any more. */
  told?: readonly M[] | undefined;
}

/** One piece of a conversation. */
export type Entry<M> = Said<M> | Replied<M>;

/** What a person had said in a piece, turn by turn. */
export function saidIn<M>(entry: Entry<M>): readonly Pick<CallAnswer<M>, 'turn' | 'prompts'>[] {
  return [...(entry.reply === undefined ? [entry] : []), ...(entry.answers ?? [])];
}

/** The same of all turns. */
export function promptsOf<M>(entry: Entry<M>): readonly M[] {
  return saidIn(entry).flatMap(({ prompts }) => prompts);
}

/** What became of one call, as far as it is known. */
export interface CallState {
  outcome?: ToolOutcome;
  /** It is whole. */
  mayRun?: boolean;
  /** Who has it may have run it in a way of their own: whoever made the request has the reply. */
  isHanded?: boolean;
  /** A framework runs it, also where its reply was cut behind it. */
  isOfLoop?: boolean;
  /** What it came to is what the framework told its model of it. */
  isTold?: boolean;
  /** The message that it was told in, where that is one of its own. */
  told?: unknown;
  /** A request went out without a word of what became of it. */
  isPassedOver?: boolean;
  /** A message that follows is its result. */
  isAnswered?: boolean;
}

/** Writes the pieces of one conversation. */
export class EntryWriter<M> {
  readonly #rules: DialectRules<M>;
  readonly #words: Words;
  readonly #render: Render | undefined;
  /** By the call objects that were handed out: no id is ever compared. */
  readonly #calls = new WeakMap<object, CallState>();
  /** A reply with what follows it, and what it was made of: a message that says the same is the same object. */
  readonly #answered = new WeakMap<
    TakenReply<M>,
    { readonly of: readonly unknown[]; readonly messages: readonly M[] }
  >();

  constructor(rules: DialectRules<M>, words: Words, render: Render | undefined) {
    this.#rules = rules;
    this.#words = words;
    this.#render = render;
  }

  /** From here on the calls are of this conversation. */
  add({ calls, runnable }: Pick<TakenReply<M>, 'calls' | 'runnable'>): void {
    for (const call of calls) this.#calls.set(call, isAsked(call) ? { mayRun: false } : {});
    for (const call of runnable) this.#calls.set(call, { mayRun: true, isHanded: true });
  }

  /** What is known of a call; `undefined` for one of somebody else. */
  stateOf(call: unknown): CallState | undefined {
    return typeof call === 'object' && call !== null ? this.#calls.get(call) : undefined;
  }

  /** A piece as messages, without what answers it. What the model has been told stays as it was told. */
  write(entry: Entry<M>): readonly M[] {
    if (entry.reply === undefined) return entry.messages;
    if (entry.told !== undefined) return entry.told;
    const { reply, turn, goesOn } = entry;
    const states = reply.calls.flatMap((call): unknown[] => Object.values({ ...this.#calls.get(call) }));
    const of = [turn?.isOver, turn?.isCompleted, turn?.reason(), goesOn?.isOver, goesOn?.reason(), ...states];
    let known = this.#answered.get(reply);
    if (known === undefined || !isSameList(known.of, of)) {
      known = { of, messages: [...reply.messages, ...this.#after(entry)] };
      this.#answered.set(reply, known);
    }
    return known.messages;
  }

  #after(entry: Replied<M>): readonly M[] {
    const { calls, notes } = entry.reply;
    const answered = calls.filter((call) => !this.#isLeftOpen(entry, call));
    return [...this.#results(entry, answered), ...notes.map((text) => this.#rules.user(text))];
  }

  /** A request carries a piece: of what it does not know by then it has said all that is true. What is answered goes on in it. */
  pass(entry: Entry<M>): void {
    const isAnswered = entry.answers !== undefined && this.waits(entry);
    for (const call of entry.reply?.calls ?? []) {
      const state = this.#calls.get(call) ?? {};
      if (isAnswered) {
        // The provider has the answer from here on, and may run the call.
        if (call.isHosted === true) state.isAnswered = true;
        continue;
      }
      const { outcome, mayRun, isOfLoop } = state;
      if (outcome === undefined && state.isAnswered !== true && (mayRun === true || isOfLoop === true))
        state.isPassedOver = true;
    }
  }

  /** Whether nothing that comes later changes a piece. */
  isFinal(entry: Entry<M>): boolean {
    const { reply, turn } = entry;
    if (reply === undefined) return true;
    if (turn?.isOver !== false) return !this.waits(entry);
    return reply.calls.every((call) => this.#calls.get(call)?.outcome !== undefined);
  }

  /** Whether a framework's loop ended with calls that somebody else is to run, or to allow: they stay open. */
  waits(entry: Entry<M>): boolean {
    return entry.reply?.calls.some((call) => this.#waits(entry, call)) === true;
  }

  #waits({ reply, turn, goesOn }: Replied<M>, call: TranscriptCall): boolean {
    const { outcome, isOfLoop, isAnswered, isPassedOver } = this.#calls.get(call) ?? {};
    if (isPassedOver === true || (goesOn?.isOver === true && goesOn.reason() !== undefined)) return false;
    const hasEnded = reply.cutBy === undefined && (turn === undefined || (turn.isOver && turn.isCompleted === true));
    return hasEnded && isOfLoop === true && isAnswered !== true && outcome === undefined;
  }

  #isLeftOpen(entry: Replied<M>, call: TranscriptCall): boolean {
    return this.#calls.get(call)?.isAnswered === true || this.#waits(entry, call);
  }

  /** The results of calls, in their order: as they were told where that was in messages of their own. */
  #results(entry: Replied<M>, calls: readonly TranscriptCall[]): readonly M[] {
    const results: M[] = [];
    let ours: TranscriptCall[] = [];
    const write = (): void => {
      if (ours.length > 0) results.push(...resultsOf(this.#rules, this.#answers(entry, ours)));
      ours = [];
    };
    for (const call of calls) {
      const told = this.#calls.get(call)?.told;
      if (told === undefined) ours.push(call);
      else {
        write();
        results.push(wellFormedMessage(told as M, this.#rules));
      }
    }
    write();
    return results;
  }

  #answers(entry: Replied<M>, calls: readonly TranscriptCall[]): readonly AnsweredCall[] {
    return calls.map((call) => {
      const { id, name } = call;
      const outcome = this.#calls.get(call)?.outcome;
      const row = { ms: 0, status: 'failed', error: undefined, ...outcome, id, name, call } as ToolOutcome;
      return { outcome: row, answer: this.#answer(entry, call) };
    });
  }

  #answer({ reply: { cutBy, endedInside }, turn, goesOn: next }: Replied<M>, call: TranscriptCall): Answer {
    const { outcome, mayRun, isHanded, isOfLoop, isPassedOver } = this.#calls.get(call) ?? {};
    const reason = next?.reason() ?? turn?.reason();
    if (outcome !== undefined) {
      const goesOn = turn !== undefined && reason === undefined;
      return answerOutcome(outcome, { reason, goesOn, words: this.#words, render: this.#render }, call.name);
    }
    // Who never got it cannot have run it. While the turn goes on, only who opens what a dead process left reads this.
    const isGiven = mayRun === true || isOfLoop === true;
    const isLate = isHanded === true || turn?.isOver === false;
    const mayHaveRun = mayRun !== false && (isPassedOver === true || (isGiven && isLate));
    const status = mayHaveRun ? 'unrecorded' : 'not-started';
    const isHalf = mayRun !== true && endedInside !== undefined && isOfLoop !== true;
    const cause = isHalf || isPassedOver === true ? undefined : (cutBy ?? reason)?.kind;
    return { status, text: this.#words(cause ?? 'unknown', isHalf ? halfBy(endedInside) : status, call.name) };
  }
}
