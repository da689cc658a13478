/**
 * References to items that only the server has: what stands behind one may be a call, whose output is then none without
 * a call.
 *
 * @module
 */
import type { HeldState } from '../held-conversation.ts';
import type { ToolOutcome } from '../from-core.ts';
import type { Telling } from '../dialects/rules.ts';
import { field, textIn } from '../reading/fields.ts';
import type { AskedCall } from '../reading/partials.ts';
import { answerOutcome, type Answer } from '../words/answers.ts';
import { plainValue } from '../words/values.ts';
import { callIdOf, isCall, isOutput, isReference, type OpenAIResponsesItem } from './item.ts';
import { resultsForItems } from './speech.ts';

/** Items with what their references stand for, and the reference for each of those. */
export interface Resolved {
  readonly items: readonly OpenAIResponsesItem[];
  readonly references: ReadonlyMap<OpenAIResponsesItem, OpenAIResponsesItem>;
}

/** Puts the items that are known to be held in the place of the references to them. */
export function resolveReferences(items: readonly OpenAIResponsesItem[], held: HeldState | undefined): Resolved {
  const references = new Map<OpenAIResponsesItem, OpenAIResponsesItem>();
  if (held === undefined || !items.some(({ type }) => type === 'item_reference')) return { items, references };
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

/** What is known of the calls behind references. */
export interface CallsBehind {
  /** Those that have an output, which says no more than their ids. */
  readonly answered: readonly AskedCall[];
  /** How many more there may be. */
  readonly open: number;
}

/** Counts the calls behind references in a list where every other output has its call. */
export function callsBehind(items: readonly OpenAIResponsesItem[]): CallsBehind {
  const calls = new Set(items.filter(isCall).map(callIdOf));
  const answered = items.flatMap((item): AskedCall[] => {
    const id = isOutput(item) ? callIdOf(item) : undefined;
    return id === undefined || calls.has(id) ? [] : [{ id, name: '', input: undefined }];
  });
  return { answered, open: items.filter(isReference).length - answered.length };
}

/** The output that the row of a call behind a reference gives, and what it says. */
export function outputOfRow(
  row: ToolOutcome,
  telling: Telling,
): { readonly answer: Answer; readonly items: readonly OpenAIResponsesItem[] } {
  const answer = answerOutcome(row, telling);
  return { answer, items: resultsForItems([{ outcome: { ...row, call: plainValue(row.call) }, answer }]) };
}
