/**
 * The door `desist/transcript/gemini`: the contents of Google's Gemini API.
 *
 * @module desist/transcript/gemini
 */
import type { TranscriptDialect } from '../../dialect.ts';
import { createDialect } from '../create-dialect.ts';
import { checkGemini } from './check.ts';
import { foreignIn, geminiTurns, requireContent, type GeminiContent } from './content.ts';
import { joins } from './join-replies.ts';
import { settleGemini } from './settle.ts';
import { callsInGemini, replyInGemini, resultsForGemini } from './speech.ts';

export type { GeminiContent } from './content.ts';

/**
 * What `reply` gives: a content of the model, and below a cut one the responses to its calls. The SDK's parts may hold
 * more than these; they come out as they went in.
 *
 * @since 0.1.0
 */
export type GeminiReplyContent =
  | {
      role: 'model';
      parts: {
        text?: string;
        functionCall?: { id?: string; name: string; args?: Record<string, unknown> };
        thoughtSignature?: string;
      }[];
    }
  | GeminiResultContent;

/**
 * What `toolResults` gives: one content of the user with all responses.
 *
 * @since 0.1.0
 */
export interface GeminiResultContent {
  role: 'user';
  parts: { functionResponse: { id?: string; name: string; response: Record<string, unknown> } }[];
}

/**
 * The Gemini API; `Content` of `@google/genai` is a message of it.
 *
 * @example The calls of a reply, and what the model is told about them
 * ```ts
 * import { gemini } from 'desist/transcript/gemini'
 *
 * const content = { role: 'model', parts: [{ functionCall: { name: 'read', args: { path: 'a.txt' } } }] }
 * const [call] = gemini.calls({ candidates: [{ content }] })
 * const outcome = { id: call!.id, name: 'read', call, ms: 4, status: 'completed', value: { lines: 2 } } as const
 * gemini.toolResults([outcome])[0]?.parts[0]?.functionResponse.response // => { lines: 2 }
 * ```
 * @since 0.1.0
 */
export const gemini: TranscriptDialect<GeminiContent, never, GeminiReplyContent, GeminiResultContent> =
  /* @__PURE__ */ createDialect({
    name: 'gemini',
    settle: settleGemini,
    check: checkGemini,
    turns: geminiTurns,
    requireMessage: requireContent,
    foreignIn,
    repliesIn: replyInGemini,
    callsIn: callsInGemini,
    results: resultsForGemini,
    joins,
    user: (text) => ({ role: 'user', parts: [{ text }] }),
    opening: { role: 'user', parts: [{ text: '-' }] },
  });
