/**
 * The door `desist/transcript`: what a conversation looks like after an interruption, so that it can go on.
 *
 * @module
 */
export { settleTranscript } from './settle-transcript.ts';
export type { SettledTranscript, SettleTranscriptOptions, TranscriptChange } from './settle-transcript.ts';
export { settleTurn } from './settle-turn.ts';
export type { InterruptedTurn, SettledTurn, SettleTurnOptions, TurnPolicy } from './settle-turn.ts';
export type { HeldResponse, HeldState, Submission } from './held.ts';
export { checkTranscript } from './check-transcript.ts';
export type { CheckTranscriptOptions, TranscriptViolation } from './check-transcript.ts';
export { wordingTable } from './wording.ts';
export type { Wording, WordingCell, WordingOutcome } from './wording.ts';
export type { SettledMessage, TranscriptDialect, TranscriptMessages } from './dialects/table.ts';
export type { AISDKMessage, AISDKModelMessage, AISDKPart, AISDKUIMessage } from './dialects/ai-sdk/message.ts';
export type { AnthropicBlock, AnthropicMessage } from './dialects/anthropic/message.ts';
export type { GeminiContent } from './dialects/gemini/content.ts';
export type { LangChainAddition, LangChainMessage } from './dialects/langchain/message.ts';
export type { OpenAIChatMessage } from './dialects/openai-chat/message.ts';
export type { OpenAIResponsesItem } from './dialects/openai-responses/item.ts';
