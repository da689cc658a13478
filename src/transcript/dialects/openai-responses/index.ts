/**
 * The door `desist/transcript/openai-responses`: the items of OpenAI's Responses API, kept here or on its server.
 *
 * @module desist/transcript/openai-responses
 */
import { Questions } from '../../conversation/waiting/questions.ts';
import type { TranscriptDialect } from '../../dialect.ts';
import { answerTo, asks, itemOrders } from '../../items/approvals.ts';
import { itemsHosted } from '../../items/hosted.ts';
import { askText, isProduced, requireItem, type OpenAIResponsesItem } from '../../items/item.ts';
import { responsesTurns } from '../../items/replies.ts';
import { settleOpenAIResponses } from '../../items/settle.ts';
import { callsInItems, isHalfItem, repliesInItems, resultsForItems } from '../../items/speech.ts';
import { named } from '../../items/unique-calls.ts';
import { responseEnd } from '../../reading/ends/carried-end.ts';
import { foreignBut } from '../../reading/require-messages.ts';
import { createDialect } from '../create-dialect.ts';
import { checkOpenAIResponses } from './check.ts';

export type { OpenAIResponsesItem } from '../../items/item.ts';

const own = ['call_id', 'input_text', 'output_text'];

/**
 * The Responses API of OpenAI; `ResponseInputItem` of `openai` is an item of it.
 *
 * A `computer_call` is answered by the picture that its tool returns, as `{ type: 'computer_screenshot', image_url }` or as a
 * `data:` address; without one by a picture of nothing, and words behind it.
 *
 * An `mcp_approval_request` asks a person whether a tool may run: push an `mcp_approval_response` before the model goes on.
 * Until then it has a no.
 *
 * @example The calls of a reply
 * ```ts
 * import { openaiResponses } from 'desist/transcript/openai-responses'
 *
 * const item = { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{}' }
 * const calls = openaiResponses.calls({ id: 'resp_1', status: 'completed', output: [item] })
 * calls.map(({ id, name, input }) => [id, name, input]) // => [['call_1', 'read', {}]]
 * ```
 * @since 0.1.0
 */
export const openaiResponses: TranscriptDialect<OpenAIResponsesItem> = /* @__PURE__ */ createDialect({
  name: 'openai-responses',
  settle: settleOpenAIResponses,
  check: checkOpenAIResponses,
  turns: responsesTurns,
  requireMessage: requireItem,
  foreignIn: (message) => foreignBut(own, message),
  isHeld: true,
  repliesIn: repliesInItems,
  ended: responseEnd,
  callsIn: callsInItems,
  isHalf: isHalfItem,
  results: resultsForItems,
  user: askText,
  hosted: itemsHosted,
  questions: { answerTo, asks, isOfModel: isProduced, Questions },
  orders: itemOrders,
  named,
  opening: /* @__PURE__ */ askText('-'),
});
