/**
 * The door `desist/transcript/ai-sdk`: the messages of the AI SDK, those for a model and those of a user interface.
 *
 * @module desist/transcript/ai-sdk
 */
import { frameworkLoops } from '../../conversation/loops/framework-loops.ts';
import type { TranscriptDialect } from '../../dialect.ts';
import { createDialect } from '../create-dialect.ts';
import { checkAISDK } from './check.ts';
import { requireAISDKMessage, type AISDKMessage } from './message.ts';
import { named } from './model/model-ids.ts';
import { settleAISDK } from './settle.ts';
import { callsInAISDK, repliesInAISDK, resultsForAISDK } from './speech.ts';
import { aiSDKTurns } from './turns.ts';

export type { AISDKMessage } from './message.ts';

/**
 * What `reply` gives: messages of the model, and below a cut one the results of its calls. The SDK's content may hold
 * more kinds of part than these; they come out as they went in.
 *
 * @since 0.1.0
 */
export type AISDKReplyMessage =
  | {
      role: 'assistant';
      content: (
        | { type: 'text'; text: string }
        | { type: 'reasoning'; text: string }
        | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown }
      )[];
    }
  | AISDKResultMessage;

/**
 * What `toolResults` gives: one message with all results. An output may be of any type that the SDK knows.
 *
 * @since 0.1.0
 */
export interface AISDKResultMessage {
  role: 'tool';
  content: {
    type: 'tool-result';
    toolCallId: string;
    toolName: string;
    output: { type: 'text'; value: string } | { type: 'error-text'; value: string };
  }[];
}

/**
 * The AI SDK; `ModelMessage` and `UIMessage` of `ai` are messages of it, and a transcript holds one kind or the other.
 *
 * @example The calls of a step, and what the model is told about them
 * ```ts
 * import { aiSDK } from 'desist/transcript/ai-sdk'
 *
 * const content = [{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }]
 * const [call] = aiSDK.calls({ role: 'assistant', content })
 * const outcome = { id: 'a', name: 'read', call, ms: 4, status: 'completed', value: 'hello' } as const
 * aiSDK.toolResults([outcome])[0]?.content[0]?.output // => { type: 'text', value: 'hello' }
 * ```
 * @since 0.1.0
 */
export const aiSDK: TranscriptDialect<AISDKMessage, never, AISDKReplyMessage, AISDKResultMessage> =
  /* @__PURE__ */ createDialect({
    name: 'ai-sdk',
    settle: settleAISDK,
    check: checkAISDK,
    turns: aiSDKTurns,
    requireMessage: requireAISDKMessage,
    repliesIn: repliesInAISDK,
    callsIn: callsInAISDK,
    results: resultsForAISDK,
    user: (text) => ({ role: 'user', content: text }),
    named: (message, ids) => ('content' in message ? named(message, ids) : message),
    loops: frameworkLoops,
    opening: { role: 'user', content: '-' },
  });
