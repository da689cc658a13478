/**
 * The door `desist/transcript/openai-chat`: transcripts of Chat Completions, of OpenAI and of the servers that speak it.
 *
 * @module desist/transcript/openai-chat
 */
import { named } from '../../chat/ids.ts';
import { isSaid, openAIChatTurns, requireChatMessage, type OpenAIChatMessage } from '../../chat/message.ts';
import { settleOpenAIChat } from '../../chat/settle.ts';
import { callsInChat, replyInChat, resultsForChat } from '../../chat/speech.ts';
import type { TranscriptDialect } from '../../dialect.ts';
import { field, recordsIn } from '../../reading/fields.ts';
import { foreignArguments, foreignBut } from '../../reading/require-messages.ts';
import { createDialect } from '../create-dialect.ts';
import { checkOpenAIChat } from './check.ts';

export type { OpenAIChatMessage } from '../../chat/message.ts';

const own = ['tool_calls', 'tool_call_id', 'text', 'image_url'];
/** What was said by the old form stays in a list; a reply of it would end the turn, for nobody here runs such a call. */
const all = [...own, 'function_call'];

const choiceOf = (reply: object): object => recordsIn(field(reply, 'choices'))[0] ?? reply;

/**
 * The Chat Completions API; `ChatCompletionMessageParam` of `openai` is a message of it.
 *
 * @example The calls of a reply
 * ```ts
 * import { openaiChat } from 'desist/transcript/openai-chat'
 *
 * const raw = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } }
 * const [call] = openaiChat.calls({ choices: [{ message: { role: 'assistant', content: null, tool_calls: [raw] } }] })
 * call?.input // => { path: 'a.txt' }
 * ```
 * @since 0.1.0
 */
export const openaiChat: TranscriptDialect<OpenAIChatMessage> = /* @__PURE__ */ createDialect({
  name: 'openai-chat',
  settle: (messages, options) => settleOpenAIChat(messages.filter(isSaid), options),
  check: checkOpenAIChat,
  turns: openAIChatTurns,
  requireMessage: requireChatMessage,
  foreignIn: (message, isReply) =>
    foreignBut(isReply === true ? own : all, message) ?? foreignArguments('args', message),
  repliesIn: replyInChat,
  ended: (reply) => field(choiceOf(reply), 'finish_reason'),
  failure: (reply) => field(choiceOf(reply), 'error'),
  callsIn: callsInChat,
  results: resultsForChat,
  user: (text) => ({ role: 'user', content: text }),
  named,
  opening: { role: 'user', content: '-' },
});
