/**
 * The door `desist/llm`: model streams that stop when told to and never take a cut for completion.
 *
 * @module desist/llm
 */
export type { CallContext } from './call-context.ts';
export { cancellableCall, type CancellableCallOptions } from './cancellable-call.ts';
export {
  cancellableStream,
  type CancellableStream,
  type CancellableStreamOptions,
  type OpenStream,
  type SourceEnd,
} from './cancellable-stream.ts';
export { foldAISDK, type AISDKReply } from './folds/fold-ai-sdk.ts';
export type { AISDKStepMessage, AISDKToolCall } from './folds/fold-ai-sdk-step.ts';
export {
  foldAnthropic,
  type AnthropicBlock,
  type AnthropicMessage,
  type AnthropicReply,
  type AnthropicToolUse,
} from './folds/fold-anthropic.ts';
export {
  foldOllama,
  type OllamaChunk,
  type OllamaMessage,
  type OllamaReply,
  type OllamaToolCall,
} from './folds/fold-ollama.ts';
export {
  foldGemini,
  type GeminiCall,
  type GeminiChunk,
  type GeminiMessage,
  type GeminiPart,
  type GeminiReply,
} from './folds/fold-gemini.ts';
export {
  foldOpenAIResponses,
  type OpenAIResponsesCall,
  type OpenAIResponsesOutput,
  type OpenAIResponsesReply,
} from './folds/fold-openai-responses.ts';
export {
  foldOpenAIChat,
  type OpenAIChatChunk,
  type OpenAIChatReply,
  type OpenAIMessage,
  type OpenAIToolCall,
} from './folds/fold-openai-chat.ts';
export type { CallFragment, ModelReply, StreamFold } from './folds/fold.ts';
export { IncompleteReplyError } from './incomplete-reply-error.ts';
export { readStream, type ReadStreamOptions } from './read-stream.ts';
export { describeUsage, type StreamUsage } from './usage.ts';
