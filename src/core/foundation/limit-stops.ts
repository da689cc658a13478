/**
 * The words by which providers say that a limit ended a reply: what was being written is not whole.
 *
 * @module
 */

/** Of the Messages API, of Chat Completions and Ollama, of Gemini, and of the AI SDK. */
export const limitStops: ReadonlySet<unknown> = new Set([
  'max_tokens',
  'model_context_window_exceeded',
  'length',
  'content_filter',
  'MAX_TOKENS',
  'content-filter',
]);
