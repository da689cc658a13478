/**
 * Calls at the end of a conversation that a framework left to somebody else: to a person who allows them, to a page that
 * runs them. They stay open for the answer, and no longer than that.
 *
 * Invariant: behind a reply whose calls wait stands nothing but answers.
 *
 * @module
 */
import type { TranscriptCall } from '../../dialect.ts';
import type { DialectRules } from '../../dialects/rules.ts';
import { settlePart } from '../../dialects/settle-part.ts';
import type { Words } from '../../words/wording.ts';
import type { Entry, EntryWriter } from '../entries.ts';

/** The waiting calls of one conversation. */
export class WaitingCalls<M> {
  readonly #rules: DialectRules<M>;
  readonly #words: Words;
  readonly #writer: EntryWriter<M>;

  constructor({ rules, words, writer }: { rules: DialectRules<M>; words: Words; writer: EntryWriter<M> }) {
    this.#rules = rules;
    this.#words = words;
    this.#writer = writer;
  }

  /** The index of the reply whose calls wait; -1 if there is none. */
  at(entries: readonly Entry<M>[]): number {
    let at = entries.length - 1;
    while (isAnswer(entries[at])) at -= 1;
    const last = entries[at];
    return last !== undefined && this.#writer.waits(last) ? at : -1;
  }

  /** The conversation goes on with this: what is open by then is closed by the provider's rules. Returns whether anything was. */
  goOn(entries: Entry<M>[], next: Entry<M>): boolean {
    const at = isAnswer(next) ? -1 : this.at(entries);
    if (at === -1) return false;
    const run = entries.slice(at);
    const written = run.flatMap((entry) => this.#writer.write(entry));
    const known = { words: this.#words, goesOn: true };
    const messages = settlePart(this.#rules, [...written, this.#rules.opening], known).slice(0, -1);
    const prompts = run.flatMap((entry) => (entry.reply === undefined ? entry.prompts : []));
    entries.splice(at, Infinity, { turn: run[0]?.turn, messages, prompts });
    return true;
  }

  /** The loop goes on behind its last answer: whoever ran the calls that nobody knows of, they do not wait. */
  passOver(entries: readonly Entry<M>[], next: Entry<M>): void {
    if (next.reply === undefined) return;
    let at = entries.length - 1;
    while (at >= 0 && entries[at]?.reply === undefined) at -= 1;
    for (const call of entries[at]?.reply?.calls ?? []) {
      const state = this.#writer.stateOf(call);
      if (state?.isOfLoop === true && state.outcome === undefined) state.isPassedOver = true;
    }
  }
}

/** The ids of calls that have no result among these messages. */
function openCallsIn<M>({ callsIn, named }: DialectRules<M>, messages: readonly M[]): ReadonlySet<string> {
  const open = new Set(named === undefined ? [] : callsIn(messages).map(({ id }) => id));
  if (open.size === 0) return open;
  const result = (id = ''): string => {
    open.delete(id);
    return id;
  };
  for (const message of messages) named?.(message, { call: (id = '') => id, result });
  return open;
}

/**
 * What was stored, made legal but for calls at its end that stay open: where somebody says so, or where a decision is the last
 * word about one.
 *
 * @param legal Makes messages legal.
 */
export function stored<M>(
  rules: DialectRules<M>,
  messages: readonly M[],
  waits: boolean,
  legal: (messages: readonly M[]) => readonly M[],
): readonly M[] {
  const { isSent = () => true } = rules;
  let start = messages.length;
  // Behind the last words of a person: the replies at the end, and what was said of their calls.
  while (start > 0 && !rules.turns.isPrompt(messages[start - 1] as M)) start -= 1;
  const rest = messages.slice(start);
  if (!waits && !isDecision(rules, rest.filter(isSent).at(-1))) return legal(messages);
  const open = openCallsIn(rules, rest);
  const at = rest.findIndex((message) => rules.callsIn([message]).some(({ id }) => open.has(id)));
  return at === -1 ? legal(messages) : [...legal(messages.slice(0, start + at)), ...rest.slice(at)];
}

/** Whether a message is the word of a person about a call, and not its result. */
function isDecision<M>({ named, turns }: DialectRules<M>, message: M | undefined): boolean {
  if (message === undefined || named === undefined || turns.isReply(message)) return false;
  let isOne = true;
  const keep = (id = ''): string => {
    isOne = false;
    return id;
  };
  named(message, { call: keep, result: keep });
  return isOne;
}

/** The reply whose calls are open at the end of these messages, which may be several; without one everything is before it. */
export function openReply<M>(
  rules: DialectRules<M>,
  messages: readonly M[],
): { readonly start: number; readonly end: number; readonly calls: readonly TranscriptCall[] } {
  const open = openCallsIn(rules, messages);
  const callsAt = messages.map((message) => (open.size === 0 ? [] : rules.callsIn([message])));
  const start = callsAt.findIndex((calls) => calls.some(({ id }) => open.has(id)));
  if (start === -1) return { start: messages.length, end: messages.length, calls: [] };
  let end = start;
  while ((callsAt[end]?.length ?? 0) > 0) end += 1;
  const calls = callsAt.slice(start, end).flat();
  return { start, end, calls: calls.filter(({ id }) => open.has(id)) };
}

function isAnswer(entry: Entry<unknown> | undefined): boolean {
  return entry !== undefined && entry.reply === undefined && entry.isAnswer === true;
}
