/**
 * An id for every call that no call before it has: for who tells the items of a whole transcript apart by them.
 * After settling, when each call has its output: the ledger and the cut replies name a call as the server did.
 *
 * @module
 */
import type { TurnRecord } from '../dialects/rules.ts';
import { copier } from '../reading/ids.ts';
import type { Settled } from '../reading/partials.ts';
import { anyItemId } from './ids.ts';
import { callIdOf, isCall, isOutput, type OpenAIResponsesItem } from './item.ts';

/** The same items; a call whose id comes again has one that is derived from it, and so has its output. */
export function withUniqueCalls(
  settled: readonly Settled<OpenAIResponsesItem>[],
  { note, ids: policy }: Pick<TurnRecord, 'note' | 'ids'>,
): readonly Settled<OpenAIResponsesItem>[] {
  const taken = new Set(settled.flatMap(({ message }) => (isCall(message) ? (callIdOf(message) ?? []) : [])));
  const latest = new Map<string, string>();
  const copyOf = copier(taken, policy === 'keep' ? undefined : anyItemId.longest);
  const next = (id: string): string => {
    const copy = copyOf(id);
    taken.add(copy);
    return copy;
  };
  return settled.map((one) => {
    const { message, from } = one;
    const id = isCall(message) || isOutput(message) ? callIdOf(message) : undefined;
    if (id === undefined) return one;
    if (isCall(message)) latest.set(id, latest.has(id) ? next(id) : id);
    const own = latest.get(id);
    if (own === undefined || own === id) return one;
    if (isCall(message)) note(from, 'call-id', `gave a call an id that no call before it has: ${own}`);
    const named: OpenAIResponsesItem & { readonly call_id: string } = { ...message, call_id: own };
    return { message: named, from };
  });
}
