/**
 * The words by which providers say that a limit ended a reply: what was being written is not whole.
 *
 * @module
 */

/** `stop_reason` of the Messages API. */
export const anthropicLimits: ReadonlySet<unknown> = new Set(['max_tokens', 'model_context_window_exceeded']);

/** `finish_reason` of Chat Completions. */
export const chatLimits: ReadonlySet<unknown> = new Set(['length', 'content_filter']);
