/**
 * The door `desist/transcript/gemini`: the contents of Google's Gemini API.
 *
 * @module desist/transcript/gemini
 */
import { OpenReplies } from '../../conversation/open-replies.ts';
import type { TranscriptDialect } from '../../dialect.ts';
import { createDialect } from '../create-dialect.ts';
import { checkGemini } from './check.ts';
import { askText, foreignIn, geminiTurns, joins, requireContent, type GeminiContent } from './content.ts';
import { geminiHosted } from './hosted.ts';
import { settleGemini } from './settle.ts';
import {
  callsInGemini,
  endedInGemini,
  failureInGemini,
  isHalfInGemini,
  replyInGemini,
  resultsForGemini,
  unreadInGemini,
} from './speech.ts';

export type { GeminiContent } from './content.ts';

/**
 * The Gemini API; `Content` of `@google/genai` is a message of it.
 *
 * @example The calls of a reply
 * ```ts
 * import { gemini } from 'desist/transcript/gemini'
 *
 * const content = { role: 'model', parts: [{ functionCall: { name: 'read', args: { path: 'a.txt' } } }] }
 * gemini.calls({ candidates: [{ content }] }).map(({ id, input }) => [id, input]) // => [['read#1', { path: 'a.txt' }]]
 * ```
 * @since 0.1.0
 */
export const gemini: TranscriptDialect<GeminiContent> = /* @__PURE__ */ createDialect({
  name: 'gemini',
  settle: settleGemini,
  check: checkGemini,
  turns: geminiTurns,
  requireMessage: requireContent,
  foreignIn,
  repliesIn: replyInGemini,
  ended: endedInGemini,
  failure: failureInGemini,
  unread: unreadInGemini,
  isHalf: isHalfInGemini,
  callsIn: callsInGemini,
  results: resultsForGemini,
  joins,
  user: askText,
  hosted: geminiHosted,
  OpenReplies,
  opening: /* @__PURE__ */ askText('-'),
});
