/**
 * An id for every call that no call before it has: for who tells the items of a whole transcript apart by them.
 * After settling, when each call has its output: the ledger and the cut replies name a call as the server did.
 *
 * @module
 */
import type { TurnRecord } from '../dialects/rules.ts';
import { copierBeside } from '../reading/ids.ts';
import type { Settled } from '../reading/partials.ts';
import { anyItemId } from './ids.ts';
import { callIdOf, isCall, isOutput, type OpenAIResponsesItem } from './item.ts';

/** The same items; a call whose id comes again has one that is derived from it, and so has its output. */
export function withUniqueCalls(
  settled: readonly Settled<OpenAIResponsesItem>[],
  { note, ids: policy, outcomes }: Pick<TurnRecord, 'note' | 'ids' | 'outcomes'>,
): readonly Settled<OpenAIResponsesItem>[] {
  const calls = settled.flatMap(({ message }) => (isCall(message) ? (callIdOf(message) ?? []) : []));
  const copyOf = copierBeside(calls, outcomes, policy === 'keep' ? undefined : anyItemId.longest);
  const latest = new Map<string, string>();
  return settled.map((one) => {
    const { message, from } = one;
    const id = isCall(message) || isOutput(message) ? callIdOf(message) : undefined;
    if (id === undefined) return one;
    if (isCall(message)) latest.set(id, latest.has(id) ? copyOf(id) : id);
    const own = latest.get(id);
    if (own === undefined || own === id) return one;
    if (isCall(message)) note(from, 'call-id', `gave a call an id that no call before it has: ${own}`);
    const named: OpenAIResponsesItem & { readonly call_id: string } = { ...message, call_id: own };
    return { message: named, from };
  });
}
