/**
 * The door `desist/transcript/anthropic`: transcripts of Anthropic's Messages API.
 *
 * @module desist/transcript/anthropic
 */
import { OpenReplies } from '../../conversation/open-replies.ts';
import type { TranscriptDialect } from '../../dialect.ts';
import { field } from '../../reading/fields.ts';
import { foreignBut } from '../../reading/require-messages.ts';
import { createDialect } from '../create-dialect.ts';
import { named } from './ids.ts';
import { checkAnthropic } from './check.ts';
import { anthropicHosted } from './hosted.ts';
import { anthropicTurns, askText, requireAnthropicMessage, type AnthropicMessage } from './message.ts';
import { settleAnthropic } from './settle.ts';
import { callsInAnthropic, isHalfInAnthropic, replyInAnthropic, resultsForAnthropic } from './speech.ts';

export type { AnthropicMessage } from './message.ts';

const own = ['tool_use', 'tool_result', 'text', 'image', 'document', 'stop_reason'];

/**
 * The Messages API of Anthropic; `MessageParam` of `@anthropic-ai/sdk` is a message of it.
 *
 * @example The calls of a reply
 * ```ts
 * import { anthropic } from 'desist/transcript/anthropic'
 *
 * const reply = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] }
 * anthropic.calls(reply).map(({ id, name, input }) => [id, name, input]) // => [['toolu_1', 'read', {}]]
 * ```
 * @since 0.1.0
 */
export const anthropic: TranscriptDialect<AnthropicMessage> = /* @__PURE__ */ createDialect({
  name: 'anthropic',
  settle: settleAnthropic,
  check: checkAnthropic,
  turns: anthropicTurns,
  requireMessage: requireAnthropicMessage,
  foreignIn: (message) => foreignBut(own, message),
  repliesIn: replyInAnthropic,
  ended: (reply) => field(reply, 'stop_reason'),
  callsIn: callsInAnthropic,
  isHalf: isHalfInAnthropic,
  results: resultsForAnthropic,
  user: askText,
  named,
  hosted: anthropicHosted,
  OpenReplies,
  opening: { role: 'user', content: '-' },
});
