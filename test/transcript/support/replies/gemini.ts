/**
 * Replies of Gemini.
 *
 * @module
 */
import type { Sample } from './sample.ts';

const candidate = (content: object | undefined, more: object = {}): object => ({
  candidates: [{ content, finishReason: 'STOP', index: 0, groundingMetadata: {}, avgLogprobs: -0.1, ...more }],
  usageMetadata: { totalTokenCount: 1 },
  modelVersion: 'm',
});
const model = (...parts: readonly object[]): object => candidate({ role: 'model', parts });

export const geminiReplies: readonly Sample[] = [
  [
    'a text with a thought',
    model({ text: 'thought<1>', thought: true }, { text: 'said<1>', thoughtSignature: 'seal<1>' }),
  ],
  [
    'a call without an id',
    model({ functionCall: { name: 'pay', args: { to: 'call<1>' } }, thoughtSignature: 'seal<1>' }),
    1,
  ],
  [
    'code that ran',
    model(
      { executableCode: { language: 'PYTHON', code: 'asked<1>' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'found<1>' } },
      { text: 'said<1>' },
    ),
  ],
  ['a picture alone', model({ inlineData: { mimeType: 'image/png', data: 'said<1>' } })],
  ['a file', model({ fileData: { mimeType: 'video/mp4', fileUri: 'said<1>' } })],
  [
    'a tool of the server',
    model(
      { toolCall: { id: 't', toolType: 'GOOGLE_SEARCH_WEB', args: { q: 'asked<1>' } } },
      { toolResponse: { id: 't', response: { r: 'found<1>' } } },
      { text: 'said<1>' },
    ),
  ],
  ['a part of a kind that nobody knows yet', model({ future: { data: 'said<1>' } })],
  ['nothing, for a limit', candidate({ role: 'model' }, { finishReason: 'MAX_TOKENS' })],
  ['nothing, for a call that was no call', candidate({}, { finishReason: 'MALFORMED_FUNCTION_CALL' })],
  ['nothing, for a filter', candidate(undefined, { finishReason: 'SAFETY', safetyRatings: [] })],
  ['a text of nobody', candidate({ parts: [{ text: 'said<1>' }] })],
  ['a call of nobody', candidate({ parts: [{ functionCall: { name: 'pay', args: { to: 'call<1>' } } }] }), 1],
];
