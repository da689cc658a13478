/**
 * The door `desist/ai-sdk`: a loop that the AI SDK owns, under a turn.
 * Among the adapters because it knows the SDK's manners; the SDK itself is never loaded, everything is typed by structure.
 * Prior art: AI SDK middlewares and settings.
 *
 * @module desist/ai-sdk
 */
export { InterjectedError } from '../internal/framework/interjected-error.ts';
export { readResult } from './read-result.ts';
export { underTurn, type UnderTurnOptions } from './under-turn.ts';
