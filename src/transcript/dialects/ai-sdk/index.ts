/**
 * The door `desist/transcript/ai-sdk`: the messages of the AI SDK, those for a model and those of a page.
 *
 * @module desist/transcript/ai-sdk
 */
import { frameworkLoops } from '../../conversation/loops/framework-loops.ts';
import { OpenReplies } from '../../conversation/open-replies.ts';
import type { MessageFormat, TranscriptDialect } from '../../dialect.ts';
import { field, isRecord } from '../../reading/fields.ts';
import { foreignBut } from '../../reading/require-messages.ts';
import { createDialect, createFormat } from '../create-dialect.ts';
import { aiSDKTurns, askText, requireAISDKMessage, requireAISDKUIMessage } from './message.ts';
import type { AISDKMessage, AISDKUIMessage } from './message.ts';
import { aiSDKOrders, callsInModelMessages } from './model/model-calls.ts';
import { checkModelMessages } from './model/model-check.ts';
import { aiSDKHosted } from './model/model-hosted.ts';
import { named } from './model/model-ids.ts';
import { settleModelMessages } from './model/model-settle.ts';
import { repliesInAISDK, resultsForAISDK, unreadIn } from './speech.ts';
import { checkUIMessages } from './ui/ui-check.ts';
import { settleUIMessages } from './ui/ui-settle.ts';

export type { AISDKMessage, AISDKUIMessage } from './message.ts';

/**
 * The AI SDK's messages for a model; `ModelMessage` of `ai` is one.
 *
 * @example The calls of a reply
 * ```ts
 * import { aiSDK } from 'desist/transcript/ai-sdk'
 *
 * const content = [{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }]
 * const calls = aiSDK.calls({ role: 'assistant', content })
 * calls.map(({ id, name, input }) => [id, name, input]) // => [['a', 'read', {}]]
 * ```
 * @since 0.1.0
 */
export const aiSDK: TranscriptDialect<AISDKMessage> = /* @__PURE__ */ createDialect({
  name: 'ai-sdk',
  settle: settleModelMessages,
  check: checkModelMessages,
  turns: aiSDKTurns,
  requireMessage: requireAISDKMessage,
  // What the SDK puts around messages has names of its own.
  foreignIn: (message) =>
    isRecord(message['response'])
      ? undefined
      : foreignBut(['tool-call', 'tool-result', 'toolCalls', 'text', 'image'], message),
  repliesIn: repliesInAISDK,
  ended: (reply) => field(reply, 'finishReason'),
  unread: unreadIn,
  callsIn: callsInModelMessages,
  results: resultsForAISDK,
  user: askText,
  named: (message, ids) => named(message, ids),
  hosted: aiSDKHosted,
  orders: aiSDKOrders,
  OpenReplies,
  loops: frameworkLoops,
  opening: { role: 'user', content: '-' },
});

/**
 * The AI SDK's messages of a page, for `repair` and `checkTranscript`; `UIMessage` of `ai` is one. A conversation is held in
 * messages for a model: `convertToModelMessages` makes those.
 *
 * @example A page that was closed while a tool ran
 * ```ts
 * import { repair } from 'desist/transcript'
 * import { aiSDKUI } from 'desist/transcript/ai-sdk'
 *
 * const part = { type: 'tool-read', toolCallId: 'a', state: 'input-available', input: {} }
 * const { messages } = repair([{ id: '1', role: 'assistant', parts: [part] }], { dialect: aiSDKUI })
 * messages[0]?.parts.map(({ state }) => state) // => ['output-error']
 * ```
 * @since 0.1.0
 */
export const aiSDKUI: MessageFormat<AISDKUIMessage> = /* @__PURE__ */ createFormat({
  name: 'ai-sdk-ui',
  settle: settleUIMessages,
  check: checkUIMessages,
  requireMessage: requireAISDKUIMessage,
});
