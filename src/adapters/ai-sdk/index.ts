/**
 * The door `desist/ai-sdk`: a loop that the AI SDK owns, under a turn.
 * Among the adapters because it knows the SDK's manners; the SDK itself is never loaded, everything is typed by structure.
 * Prior art: AI SDK middlewares and settings.
 *
 * @module desist/ai-sdk
 */
export { InterjectedError } from '../internal/framework/interjected-error.ts';
export { turnMiddleware, type AIModelCall, type TurnMiddleware, type TurnMiddlewareOptions } from './middleware.ts';
export { readResult, type AIObjectResult, type AIStreamResult } from './read-result.ts';
export type { AIStream, AIStreamPart } from './streamed-text.ts';
export { underTurn, type AIModel, type UnderTurnOptions } from './under-turn.ts';
