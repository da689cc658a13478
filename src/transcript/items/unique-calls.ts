/**
 * An id for every call that no call before it has: for who tells the items of a whole transcript apart by them.
 *
 * @module
 */
import type { IdPolicy } from '../dialect.ts';
import { createIdBook, type CallIds } from '../reading/id-book.ts';
import { anyItemId } from './ids.ts';
import { callIdOf, isCall, isOutput, nameOf, type OpenAIResponsesItem } from './item.ts';

/** The item with the id that a book says. */
export function named(item: OpenAIResponsesItem, ids: CallIds): OpenAIResponsesItem {
  const given = isCall(item) || isOutput(item) ? callIdOf(item) : undefined;
  if (given === undefined) return item;
  const id = isCall(item) ? ids.call(given, nameOf(item) ?? '', () => '') : ids.result(given);
  const made: OpenAIResponsesItem & { readonly call_id: string | undefined } = { ...item, call_id: id };
  return id === given ? item : made;
}

/** The same items; a call whose id comes again has one that is derived from it, and so has its output. */
export function withUniqueCalls(
  settled: readonly OpenAIResponsesItem[],
  policy: IdPolicy,
): readonly OpenAIResponsesItem[] {
  const book = createIdBook(anyItemId, policy, new Set());
  return settled.map((item) => named(item, book));
}
