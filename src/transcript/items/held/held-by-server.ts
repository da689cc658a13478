/**
 * What a server holds of a conversation, with all that is done about it: who keeps a list of their own has none of that in
 * a bundle.
 *
 * @module
 */
import type { HeldByServer, HeldState } from '../../held-conversation.ts';
import { field, textIn } from '../../reading/fields.ts';
import { requireRecord, requireRecords } from '../../reading/require-messages.ts';
import type { OpenAIResponsesItem } from '../item.ts';
import { findHeldPart, withHeldOutput, withoutLostReasoning, type HeldPart } from './held-count.ts';

/** A transcript beside what the server has of it. */
export interface HeldTranscript extends HeldPart {
  /** With what the server has and the transcript has not. */
  readonly items: readonly OpenAIResponsesItem[];
  /** Whether one of them is no part of what comes back: it is only the server's, and nothing answers it. */
  readonly isBorrowed: (item: OpenAIResponsesItem) => boolean;
  /** What stands in the transcript for one of them. */
  readonly back: (item: OpenAIResponsesItem) => OpenAIResponsesItem;
}

/** Reads a transcript beside what is held. */
export type ReadHeld = (items: readonly OpenAIResponsesItem[], held: HeldState) => HeldTranscript;

const read: ReadHeld = (given, held) => {
  const { items: resolved, references } = resolveReferences(given, held);
  const { items, borrowed } = withHeldOutput(withoutLostReasoning(resolved, held), held);
  return {
    items,
    isBorrowed: (item) => borrowed.has(item),
    back: (item) => references.get(item) ?? item,
    ...findHeldPart(items, held),
  };
};

/**
 * Says what the server holds of a conversation (`previous_response_id`, `conversation`), for `held` of `repair` in `openai-responses`
 * and `openai-agents`.
 *
 * @param state The responses that are known, oldest first, and the conversation if they belong to one.
 * @returns The option; of no use for anything else.
 * @throws TypeError – no responses, or one whose `output` is no list of items.
 * @example A response that was cancelled before its call was answered
 * ```ts
 * import { heldByServer, repair } from 'desist/transcript'
 * import { openaiResponses } from 'desist/transcript/openai-responses'
 *
 * const output = [{ type: 'function_call', call_id: 'call_1', name: 'pay', arguments: '{}' }]
 * const held = heldByServer({ responses: [{ id: 'resp_1', status: 'completed', output }] })
 * repair(output, { dialect: openaiResponses, held }).submit?.previous_response_id // => 'resp_1'
 * ```
 * @since 0.1.0
 */
export function heldByServer(state: HeldState): HeldByServer {
  const { responses } = requireRecord('state', state);
  requireRecords('state.responses', responses).forEach(({ output }, i) => {
    if (output !== undefined) requireRecords(`state.responses[${String(i)}].output`, output);
  });
  return { ...state, read };
}

/** Items with what their references stand for, and the reference for each of those. */
export interface Resolved {
  readonly items: readonly OpenAIResponsesItem[];
  readonly references: ReadonlyMap<OpenAIResponsesItem, OpenAIResponsesItem>;
}

/**
 * Puts the items that are known to be held in the place of the references to them: what stands behind one may be a call,
 * whose output is then none without a call.
 */
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
