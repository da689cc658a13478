/**
 * References to items that only the server has: what stands behind one may be a call, whose output is then none without
 * a call.
 *
 * @module
 */
import type { HeldState } from '../held-conversation.ts';
import { field, textIn } from '../reading/fields.ts';
import type { OpenAIResponsesItem } from './item.ts';

/** Items with what their references stand for, and the reference for each of those. */
export interface Resolved {
  readonly items: readonly OpenAIResponsesItem[];
  readonly references: ReadonlyMap<OpenAIResponsesItem, OpenAIResponsesItem>;
}

/** Puts the items that are known to be held in the place of the references to them. */
export function resolveReferences(items: readonly OpenAIResponsesItem[], held: HeldState): Resolved {
  const references = new Map<OpenAIResponsesItem, OpenAIResponsesItem>();
  if (!items.some(({ type }) => type === 'item_reference')) return { items, references };
  const known = new Map<unknown, OpenAIResponsesItem>();
  for (const { output = [] } of held.responses) for (const item of output) known.set(textIn(field(item, 'id')), item);
  const resolved = items.map((item) => {
    const own = item.type === 'item_reference' ? known.get(textIn(field(item, 'id')) ?? '') : undefined;
    if (own === undefined) return item;
    references.set(own, item);
    return own;
  });
  return { items: resolved, references };
}
