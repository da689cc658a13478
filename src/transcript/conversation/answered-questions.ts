/**
 * Questions of the provider's side that a person answers. Each has a no until then, so that the conversation can be sent;
 * the person's answer takes the place of that. The dialect of such a provider brings this along, so that nobody else has
 * it in a bundle.
 *
 * @module
 */
import { show } from '../../core/foundation/check.ts';
import type { DialectRules } from '../dialects/rules.ts';
import type { Entry } from './entries.ts';

/** A conversation with answers to what it asks. */
export interface Answered<M> {
  /** Without the answers that are given anew; the same list where there are none. */
  readonly entries: Entry<M>[];
  /** Each with the id that its question has here. */
  readonly messages: readonly M[];
}

/**
 * Finds the questions that these messages answer: of those with one id the one that was asked last.
 *
 * @throws TypeError – the model has gone on since, with the answer that was there; or two that wait came with one id.
 */
export function answered<M>(
  { questions: asked, turns }: Pick<DialectRules<M>, 'questions' | 'turns'>,
  entries: Entry<M>[],
  messages: readonly M[],
): Answered<M> {
  if (asked === undefined || messages.every((message) => asked.answerTo(message) === undefined))
    return { entries, messages };
  const { answerTo, answering, idsOf } = asked;
  let last = entries.length - 1;
  while (last >= 0 && !isSaid(entries[last] as Entry<M>)) last -= 1;
  // What was stored is one entry for each message.
  let first = Math.max(last, 0);
  while (entries[first]?.reply === undefined && first > 0 && isSaid(entries[first - 1] as Entry<M>)) first -= 1;
  const waiting = entries
    .slice(first)
    .flatMap(messagesOf)
    .flatMap((message) => [idsOf(message)]);
  const own = messages.map((message) => {
    const id = answerTo(message);
    const [found, other] = id === undefined ? [] : waiting.filter((ids) => ids.includes(id));
    if (other !== undefined)
      throw new TypeError(`two questions came with one id, answer by those in messages: ${show(id)}`);
    return found === undefined ? message : answering(message, found[0]);
  });
  const ids = new Set(own.map(answerTo));
  ids.delete(undefined);
  const isOld = (message: M): boolean => ids.has(answerTo(message));
  const kept = entries.map((entry, at) => {
    const old = messagesOf(entry).find(isOld);
    if (old === undefined) return entry;
    if (at < last) {
      throw new TypeError(`a question is answered before the model goes on, which it has: ${show(answerTo(old))}`);
    }
    const rest = messagesOf(entry).filter((message) => !isOld(message));
    return entry.reply === undefined
      ? { ...entry, messages: rest, prompts: entry.prompts.filter((message) => !isOld(message)) }
      : { turn: entry.turn, reply: { ...entry.reply, messages: rest } };
  });
  return { entries: kept, messages: own };

  function isSaid(entry: Entry<M>): boolean {
    const isOfModel = (message: M): boolean => turns.isReply(message) || asked?.idsOf(message).length !== 0;
    return entry.reply !== undefined || entry.messages.some(isOfModel);
  }
}

function messagesOf<M>({ reply, messages = [] }: Entry<M> & { readonly messages?: readonly M[] }): readonly M[] {
  return reply?.messages ?? messages;
}
