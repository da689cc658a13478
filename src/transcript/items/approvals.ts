/**
 * Questions of the provider's side whether it may run a tool of an MCP server: each wants an answer, as a call does.
 *
 * @module
 */
import { Orders } from '../conversation/waiting/orders.ts';
import type { DialectRules, Telling } from '../dialects/rules.ts';
import { field, textIn } from '../reading/fields.ts';
import { isProduced, type OpenAIResponsesItem } from './item.ts';

/** Tells which of these items are questions that nothing after them answers. */
export function openQuestionsIn(
  items: readonly (OpenAIResponsesItem | undefined)[],
): (item: OpenAIResponsesItem | undefined) => boolean {
  const open = new Map<unknown, OpenAIResponsesItem>();
  for (const item of items) {
    if (item?.type === 'mcp_approval_request') open.set(field(item, 'id'), item);
    if (item !== undefined) open.delete(answerTo(item));
  }
  const questions = new Set<OpenAIResponsesItem | undefined>(open.values());
  return (item) => questions.has(item);
}

/** The question that an item answers, by its id. */
export function answerTo(item: OpenAIResponsesItem): unknown {
  return item.type === 'mcp_approval_response' ? field(item, 'approval_request_id') : undefined;
}

/** The question that an item asks, by its id. */
export function asks(item: OpenAIResponsesItem): string | undefined {
  return item.type === 'mcp_approval_request' ? textIn(field(item, 'id')) : undefined;
}

/** Answers by which a person lets the provider run a tool. */
export const itemOrders: NonNullable<DialectRules<OpenAIResponsesItem>['orders']> = {
  openIn(items, reply) {
    const ran = new Set(
      reply.map((item) => (item.type === 'mcp_call' ? field(item, 'approval_request_id') : undefined)),
    );
    return new Set(items.map(asks).filter((id) => id !== undefined && !ran.has(id)));
  },
  refused(item, open, reason) {
    const own: OpenAIResponsesItem & Readonly<Record<string, unknown>> = { ...item, approve: false, reason };
    return open.has(answerTo(item)) && field(item, 'approve') === true ? own : item;
  },
  Orders,
};

/** The answer to another question. */
export function answering(answer: OpenAIResponsesItem, question: unknown): OpenAIResponsesItem {
  const own: OpenAIResponsesItem & Readonly<Record<string, unknown>> = { ...answer, approval_request_id: question };
  return question === answerTo(answer) ? answer : own;
}

/**
 * Leaves each question one answer, what the server has or the model went on with, else the last; and no answer without a
 * question.
 *
 * @param isWhole Whether no question may be there that only the server has.
 */
export function dropOtherAnswers(
  slots: readonly { item: OpenAIResponsesItem | undefined; readonly isHeld: boolean }[],
  isWhole: boolean,
): void {
  const asked = new Set<unknown>();
  const known = new Map<unknown, { readonly slot: (typeof slots)[number]; readonly run: number }>();
  /** How often the model has spoken. */
  let run = 0;
  for (const slot of slots) {
    if (slot.item !== undefined && isProduced(slot.item)) run += 1;
    // What stands before its question answers nothing.
    const own = slot.item && asks(slot.item);
    const early = known.get(own)?.slot;
    if (early?.isHeld === false) early.item = undefined;
    known.delete(own);
    asked.add(slot.item?.type === 'item_reference' ? field(slot.item, 'id') : own);
    const question = slot.item && answerTo(slot.item);
    if (question === undefined) continue;
    if (isWhole && !asked.has(question)) {
      slot.item = undefined;
      continue;
    }
    const before = known.get(question);
    const isRead = before !== undefined && (before.slot.isHeld || before.run !== run);
    const gone = isRead ? slot : before?.slot;
    if (gone?.isHeld === false) gone.item = undefined;
    if (gone !== slot) known.set(question, { slot, run });
  }
}

/** A no to a question that nobody answered: nothing has run. */
export function denial(question: OpenAIResponsesItem, telling: Telling): OpenAIResponsesItem {
  const reason = telling.words(telling.reason?.kind ?? 'unknown', 'not-started', textIn(field(question, 'name')));
  const id = field(question, 'id');
  const item = { type: 'mcp_approval_response', approval_request_id: id, approve: false, reason } as const;
  return item;
}
