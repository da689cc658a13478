/**
 * The door `desist/transcript/openai-chat`: transcripts of Chat Completions, of OpenAI and of the servers that speak it.
 *
 * @module desist/transcript/openai-chat
 */
import { named } from '../../chat/ids.ts';
import { isSaid, openAIChatTurns, requireChatMessage, type OpenAIChatMessage } from '../../chat/message.ts';
import { settleOpenAIChat } from '../../chat/settle.ts';
import { callsInChat, isCutCallInChat, replyInChat, resultsForChat } from '../../chat/speech.ts';
import type { TranscriptDialect } from '../../dialect.ts';
import { foreignArguments, foreignBut } from '../../reading/require-messages.ts';
import { createDialect } from '../create-dialect.ts';
import { checkOpenAIChat } from './check.ts';

export type { OpenAIChatMessage } from '../../chat/message.ts';

/**
 * What `reply` gives: a message of the model, and below a cut one the results of its calls. The SDK's message may hold
 * more than this; it comes out as it went in.
 *
 * @since 0.1.0
 */
export type OpenAIChatReplyMessage =
  | {
      role: 'assistant';
      content: string | null;
      tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
    }
  | OpenAIChatResultMessage;

/**
 * What `toolResults` gives: one message for each call.
 *
 * @since 0.1.0
 */
export interface OpenAIChatResultMessage {
  role: 'tool';
  tool_call_id: string;
  content: string | { type: 'text'; text: string }[];
}

/**
 * The Chat Completions API; `ChatCompletionMessageParam` of `openai` is a message of it.
 *
 * @example The calls of a reply, and what the model is told about them
 * ```ts
 * import { openaiChat } from 'desist/transcript/openai-chat'
 *
 * const raw = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } }
 * const [call] = openaiChat.calls({ choices: [{ message: { role: 'assistant', content: null, tool_calls: [raw] } }] })
 * const outcome = { id: 'call_1', name: 'read', call, ms: 4, status: 'completed', value: 'hello' } as const
 * openaiChat.toolResults([outcome])[0]?.content // => 'hello'
 * ```
 * @since 0.1.0
 */
export const openaiChat: TranscriptDialect<OpenAIChatMessage, never, OpenAIChatReplyMessage, OpenAIChatResultMessage> =
  /* @__PURE__ */ createDialect({
    name: 'openai-chat',
    settle: (messages, options) => settleOpenAIChat(messages.filter(isSaid), options),
    check: checkOpenAIChat,
    turns: openAIChatTurns,
    requireMessage: requireChatMessage,
    foreignIn: (message) => foreignBut(['tool_calls', 'tool_call_id'], message) ?? foreignArguments('args', message),
    repliesIn: replyInChat,
    callsIn: callsInChat,
    isCutCall: isCutCallInChat,
    results: resultsForChat,
    user: (text) => ({ role: 'user', content: text }),
    named,
    opening: { role: 'user', content: '-' },
  });
