/**
 * The door `desist/transcript/anthropic`: transcripts of Anthropic's Messages API.
 *
 * @module desist/transcript/anthropic
 */
import { hostedCalls } from '../../conversation/open-replies.ts';
import type { TranscriptDialect } from '../../dialect.ts';
import { foreignBut } from '../../reading/require-messages.ts';
import { createDialect } from '../create-dialect.ts';
import { named } from './ids.ts';
import { checkAnthropic } from './check.ts';
import { anthropicTurns, begunIn, requireAnthropicMessage, type AnthropicMessage } from './message.ts';
import { settleAnthropic } from './settle.ts';
import { callsInAnthropic, isCutCallInAnthropic, replyInAnthropic, resultsForAnthropic } from './speech.ts';

export type { AnthropicMessage } from './message.ts';

/**
 * What `reply` gives: a message of the model, and below a cut one the results of its calls. The content of the SDK's
 * message may hold more kinds of block than these; they come out as they went in.
 *
 * @since 0.1.0
 */
export type AnthropicReplyMessage =
  | {
      role: 'assistant';
      content: (
        | { type: 'text'; text: string }
        | { type: 'tool_use'; id: string; name: string; input: unknown }
        | { type: 'thinking'; thinking: string; signature: string }
        | { type: 'redacted_thinking'; data: string }
      )[];
    }
  | AnthropicResultMessage;

/**
 * What `toolResults` gives: one message of the user with all results. The content of a result may hold pictures too.
 *
 * @since 0.1.0
 */
export interface AnthropicResultMessage {
  role: 'user';
  content: {
    type: 'tool_result';
    tool_use_id: string;
    content: string | { type: 'text'; text: string }[];
    is_error?: boolean;
  }[];
}

/**
 * The Messages API of Anthropic; `MessageParam` of `@anthropic-ai/sdk` is a message of it.
 *
 * @example The calls of a reply, and what the model is told about them
 * ```ts
 * import { anthropic } from 'desist/transcript/anthropic'
 *
 * const reply = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] }
 * const [call] = anthropic.calls(reply)
 * const reason = { kind: 'user', message: 'User cancelled', at: 0 } as const
 * const outcome = { id: 'toolu_1', name: 'read', call, ms: 0, status: 'not-started', reason } as const
 * const [message] = anthropic.toolResults([outcome], { reason })
 * message?.content[0]?.is_error // => true
 * ```
 * @since 0.1.0
 */
export const anthropic: TranscriptDialect<AnthropicMessage, never, AnthropicReplyMessage, AnthropicResultMessage> =
  /* @__PURE__ */ createDialect({
    name: 'anthropic',
    settle: settleAnthropic,
    check: checkAnthropic,
    turns: anthropicTurns,
    requireMessage: requireAnthropicMessage,
    foreignIn: (message) => foreignBut(['tool_use', 'tool_result'], message),
    repliesIn: replyInAnthropic,
    callsIn: callsInAnthropic,
    isCutCall: isCutCallInAnthropic,
    results: resultsForAnthropic,
    user: (text) => ({ role: 'user', content: text }),
    named,
    hosted: /* @__PURE__ */ hostedCalls(begunIn),
    opening: { role: 'user', content: '-' },
  });
