/**
 * The door `desist/llm`: model streams that stop when told to and never take a cut for completion.
 *
 * @module
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
export { foldAISDK, type AISDKReply } from './fold-ai-sdk.ts';
export type { AISDKStepMessage, AISDKToolCall } from './fold-ai-sdk-step.ts';
export {
  foldAnthropic,
  type AnthropicBlock,
  type AnthropicMessage,
  type AnthropicReply,
  type AnthropicToolUse,
} from './fold-anthropic.ts';
export {
  foldOllama,
  type OllamaChunk,
  type OllamaMessage,
  type OllamaReply,
  type OllamaToolCall,
} from './fold-ollama.ts';
export {
  foldGemini,
  type GeminiCall,
  type GeminiChunk,
  type GeminiMessage,
  type GeminiPart,
  type GeminiReply,
} from './fold-gemini.ts';
export {
  foldOpenAIResponses,
  type OpenAIResponsesCall,
  type OpenAIResponsesOutput,
  type OpenAIResponsesReply,
} from './fold-openai-responses.ts';
export {
  foldOpenAIChat,
  type OpenAIChatChunk,
  type OpenAIChatReply,
  type OpenAIMessage,
  type OpenAIToolCall,
} from './fold-openai-chat.ts';
export type { CallFragment, ModelReply, StreamFold } from './fold.ts';
export { readStream, type ReadStreamOptions } from './read-stream.ts';
export { describeUsage, type StreamUsage } from './usage.ts';
