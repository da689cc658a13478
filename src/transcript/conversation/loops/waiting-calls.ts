/**
 * Calls at the end of a conversation that a framework left to somebody else: to a person who allows them, to a page that
 * runs them. They stay open for the answer, and no longer than that.
 *
 * Invariant: a reply whose calls wait is the last entry; what answers them is a part of it.
 *
 * @module
 */
import type { TranscriptCall } from '../../dialect.ts';
import { wellFormedMessage } from '../../dialects/create-dialect.ts';
import type { DialectRules } from '../../dialects/rules.ts';
import { settlePart } from '../../dialects/settle-part.ts';
import { promptsOf, type CallAnswer, type Entry, type Replied, type TurnState } from '../entries.ts';
import { noAnswer } from '../spoken-messages.ts';
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
    return waiting === undefined || waiting.goesOn === true ? undefined : this.#parts.writer.write(waiting);
  }

  /** A turn begins: with what is answered by then it goes on. */
  begin(entries: readonly Entry<M>[]): void {
    const waiting = this.in(entries);
    if (waiting?.answers !== undefined) waiting.goesOn = true;
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
      if (entry.answers === undefined || own.length === 0) return [];
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

/** A call, the index of its message, and that of its result if it has one. */
interface Place {
  readonly at: number;
  readonly call: TranscriptCall;
  answeredAt?: number;
}

/** The calls behind the last words of a person. An id may come again: each is known by its place. */
function callsAtEnd<M>({ callsIn, named, turns }: DialectRules<M>, messages: readonly M[]): readonly Place[] {
  const places: Place[] = [];
  const open = new Map<string, Place>();
  let at = messages.length;
  while (at > 0 && !turns.isPrompt(messages[at - 1] as M)) at -= 1;
  const result = (id = ''): string => {
    Object.assign(open.get(id) ?? {}, { answeredAt: at });
    open.delete(id);
    return id;
  };
  for (; at < messages.length; at += 1) {
    const message = messages[at] as M;
    named?.(message, { call: (id = '') => id, result });
    for (const call of callsIn([message])) {
      const place = { at, call };
      places.push(place);
      open.set(call.id, place);
    }
  }
  return places;
}

/** Those of them that have no result. */
export function openCallsIn<M>(rules: DialectRules<M>, messages: readonly M[]): readonly TranscriptCall[] {
  return callsAtEnd(rules, messages).flatMap(({ call, answeredAt }) => (answeredAt === undefined ? call : []));
}

/** A reply whose calls are open. */
export interface OpenReply<M> {
  /** Where its messages, which may be several, begin. */
  readonly start: number;
  /** With the answers that stand behind it. */
  readonly entry: Replied<M>;
  /** The ids that its calls had before they were made legal: who runs them knows them by those. */
  readonly before: ReadonlyMap<string, TranscriptCall>;
}

/**
 * The reply at the end of these messages whose calls are open.
 *
 * @param given The same messages before they were made legal.
 */
export function openReply<M>(
  rules: DialectRules<M>,
  messages: readonly M[],
  given: readonly M[],
): OpenReply<M> | undefined {
  const places = callsAtEnd(rules, messages);
  const open = places.filter(({ answeredAt }) => answeredAt === undefined);
  const last = open.at(-1);
  if (last === undefined) return undefined;
  // With all calls whose results stand behind one that is open: it goes on with those, or without any.
  let start = last.at;
  for (const { at, answeredAt = Infinity } of [...places].reverse())
    if (answeredAt >= start) start = Math.min(at, start);
  let end = last.at + 1;
  while (end < messages.length && rules.callsIn(messages.slice(end, end + 1)).length > 0) end += 1;
  const calls = open.map(({ call }) => call);
  const rest = [...openCallsIn(rules, given)];
  const before = new Map<string, TranscriptCall>();
  for (const call of calls) {
    // Those that could not stay are passed over.
    while (rest.length > 0 && JSON.stringify(rest[0]?.input) !== JSON.stringify(call.input)) rest.shift();
    before.set(rest.shift()?.id ?? call.id, call);
  }
  const reply = {
    messages: messages.slice(start, end),
    calls,
    runnable: [],
    notes: [],
    cutBy: undefined,
    isOpen: false,
    endedInside: undefined,
  };
  const answers = messages.slice(end).map((message) => ({ turn: undefined, message, prompts: [] }));
  return { start, entry: { turn: undefined, reply, ...(answers.length > 0 && { answers }) }, before };
}
