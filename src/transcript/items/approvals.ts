/**
 * Questions of the provider's side whether it may run a tool of an MCP server: each wants an answer, as a call does.
 *
 * @module
 */
import type { Telling } from '../dialects/rules.ts';
import { field, textIn } from '../reading/fields.ts';
import type { OpenAIResponsesItem } from './item.ts';

/** Tells which of these items are questions that nothing after them answers. */
export function openQuestionsIn(
  items: readonly (OpenAIResponsesItem | undefined)[],
): (item: OpenAIResponsesItem | undefined) => boolean {
  const open = new Map<unknown, OpenAIResponsesItem>();
  for (const item of items) {
    if (item?.type === 'mcp_approval_request') open.set(field(item, 'id'), item);
    if (item?.type === 'mcp_approval_response') open.delete(field(item, 'approval_request_id'));
  }
  const questions = new Set<OpenAIResponsesItem | undefined>(open.values());
  return (item) => questions.has(item);
}

/** A no to a question that nobody answered: nothing has run. */
export function denial(question: OpenAIResponsesItem, telling: Telling): OpenAIResponsesItem {
  const reason = telling.words(telling.reason?.kind ?? 'unknown', 'not-started', textIn(field(question, 'name')));
  const id = field(question, 'id');
  const item = { type: 'mcp_approval_response', approval_request_id: id, approve: false, reason } as const;
  return item;
}
