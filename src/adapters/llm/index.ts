/**
 * The door `desist/llm`: model streams that stop when told to and never take a cut for completion.
 *
 * @module desist/llm
 */

export { cancellableCall, type CancellableCallOptions } from './cancellable-call.ts';
export { cancellableStream, type CancellableStream, type CancellableStreamOptions } from './cancellable-stream.ts';
export { foldAISDK, type AISDKReply } from './folds/fold-ai-sdk.ts';
export { foldAnthropic, type AnthropicMessage, type AnthropicReply } from './folds/fold-anthropic.ts';
export { foldOllama, type OllamaChunk, type OllamaReply } from './folds/fold-ollama.ts';
export { foldGemini, type GeminiChunk, type GeminiReply } from './folds/fold-gemini.ts';
export { foldOpenAIResponses, type OpenAIResponsesReply } from './folds/fold-openai-responses.ts';
export { foldOpenAIChat, type OpenAIChatChunk, type OpenAIChatReply } from './folds/fold-openai-chat.ts';
export type { ModelReply, StreamFold } from './folds/fold.ts';
export { IncompleteReplyError } from './incomplete-reply-error.ts';
export { readStream, type ReadStreamOptions } from './read-stream.ts';
export { describeUsage, type StreamUsage } from './usage.ts';
