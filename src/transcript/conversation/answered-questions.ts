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

/**
 * A conversation without the answers that these messages give anew; the same list where there are none.
 *
 * @throws TypeError – the model has gone on since, with the answer that was there.
 */
export function withoutAnswersOf<M>(
  { questions: asked, turns }: Pick<DialectRules<M>, 'questions' | 'turns'>,
  entries: Entry<M>[],
  messages: readonly M[],
): Entry<M>[] {
  const answerTo = asked?.answerTo;
  const questions = new Set(messages.map((message) => answerTo?.(message)));
  questions.delete(undefined);
  if (questions.size === 0) return entries;
  const isOld = (message: M): boolean => questions.has(answerTo?.(message));
  const messagesOf = ({ reply, messages: own }: Entry<M> & { readonly messages?: readonly M[] }): readonly M[] =>
    reply?.messages ?? own ?? [];
  let last = entries.length - 1;
  while (last >= 0 && !isSaid(entries[last] as Entry<M>)) last -= 1;
  return entries.map((entry, at) => {
    const old = messagesOf(entry).find(isOld);
    if (old === undefined) return entry;
    if (at < last) {
      throw new TypeError(`a question is answered before the model goes on, which it has: ${show(answerTo?.(old))}`);
    }
    const kept = messagesOf(entry).filter((message) => !isOld(message));
    return entry.reply === undefined
      ? { ...entry, messages: kept, prompts: entry.prompts.filter((message) => !isOld(message)) }
      : { turn: entry.turn, reply: { ...entry.reply, messages: kept } };
  });

  function isSaid(entry: Entry<M>): boolean {
    return entry.reply !== undefined || entry.messages.some((message) => turns.isReply(message));
  }
}
