/**
 * Every provider's refusals, for the server and its tests.
 *
 * @module
 */
export { refuseAnthropic } from './anthropic.ts';
export { refuseGemini } from './gemini.ts';
export { refuseOpenAIChat } from './openai-chat.ts';
export { refuseResponsesItems } from './openai-responses.ts';
