/**
 * The door `desist/transcript/openai-responses`: the items of OpenAI's Responses API, kept here or on its server.
 *
 * @module desist/transcript/openai-responses
 */
import type { TranscriptDialect } from '../../dialect.ts';
import { askText, requireItem, type OpenAIResponsesItem } from '../../items/item.ts';
import { responsesTurns } from '../../items/replies.ts';
import { settleOpenAIResponses } from '../../items/settle.ts';
import { callsInItems, isCutCallInItems, repliesInItems, resultsForItems } from '../../items/speech.ts';
import { isUnfinished } from '../../items/held/held-count.ts';
import { named } from '../../items/unique-calls.ts';
import { foreignBut } from '../../reading/require-messages.ts';
import { createDialect } from '../create-dialect.ts';
import { checkOpenAIResponses } from './check.ts';

export type { OpenAIResponsesItem } from '../../items/item.ts';

/**
 * What `reply` gives: the items of a response as they go back, and below a cut one the outputs of its calls. A response
 * may hold more kinds of item than these; they come out as they went in.
 *
 * @since 0.1.0
 */
export type OpenAIResponsesReplyItem =
  | { type: 'message'; role: 'assistant'; content: string }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'reasoning'; id: string; summary: { type: 'summary_text'; text: string }[] }
  | OpenAIResponsesResultItem;

/**
 * What `toolResults` gives: one output for each call. Calls of the built-in tools get outputs of their own kind.
 *
 * @since 0.1.0
 */
export interface OpenAIResponsesResultItem {
  type: 'function_call_output';
  call_id: string;
  output: string;
}

const own = ['call_id', 'input_text', 'output_text'];

/**
 * The Responses API of OpenAI; `ResponseInputItem` of `openai` is an item of it.
 *
 * @example The calls of a response, and what the model is told about them
 * ```ts
 * import { openaiResponses } from 'desist/transcript/openai-responses'
 *
 * const item = { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{}' }
 * const [call] = openaiResponses.calls({ id: 'resp_1', status: 'completed', output: [item] })
 * const outcome = { id: 'call_1', name: 'read', call, ms: 4, status: 'completed', value: 'hello' } as const
 * openaiResponses.toolResults([outcome])[0]?.output // => 'hello'
 * ```
 * @since 0.1.0
 */
export const openaiResponses: TranscriptDialect<
  OpenAIResponsesItem,
  never,
  OpenAIResponsesReplyItem,
  OpenAIResponsesResultItem
> = /* @__PURE__ */ createDialect({
  name: 'openai-responses',
  settle: settleOpenAIResponses,
  check: checkOpenAIResponses,
  turns: responsesTurns,
  requireMessage: requireItem,
  foreignIn: (message) => foreignBut(own, message),
  isHeld: true,
  isUnfinished,
  repliesIn: repliesInItems,
  callsIn: callsInItems,
  isCutCall: isCutCallInItems,
  results: resultsForItems,
  user: askText,
  named,
  opening: /* @__PURE__ */ askText('-'),
});
