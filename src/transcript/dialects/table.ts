/**
 * The dialects there are: one row each. A new one is a folder beside these, and a row here.
 *
 * @module
 */
import { turnsOf } from '../turns.ts';
import { checkAISDK } from './ai-sdk/check.ts';
import { requireAISDKMessage, type AISDKMessage } from './ai-sdk/message.ts';
import { settleAISDK } from './ai-sdk/settle.ts';
import { aiSDKTurns } from './ai-sdk/turns.ts';
import { checkAnthropic } from './anthropic/check.ts';
import { anthropicReplies, splitAnthropic, type AnthropicMessage } from './anthropic/message.ts';
import { settleAnthropic } from './anthropic/settle.ts';
import type { Dialect } from './dialect.ts';
import { checkGemini } from './gemini/check.ts';
import { geminiReplies, requireContent, splitGemini, type GeminiContent } from './gemini/content.ts';
import { settleGemini } from './gemini/settle.ts';
import { checkLangChain } from './langchain/check.ts';
import { requireLangChainMessage, type LangChainAddition, type LangChainMessage } from './langchain/message.ts';
import { settleLangChain } from './langchain/settle.ts';
import { langChainTurns } from './langchain/turns.ts';
import { checkOpenAIChat } from './openai-chat/check.ts';
import { openAIChatReplies, type OpenAIChatMessage } from './openai-chat/message.ts';
import { settleOpenAIChat } from './openai-chat/settle.ts';
import { checkOpenAIResponses } from './openai-responses/check.ts';
import { requireItem, type OpenAIResponsesItem } from './openai-responses/item.ts';
import { responsesTurns } from './openai-responses/replies.ts';
import { settleOpenAIResponses } from './openai-responses/settle.ts';

/**
 * What a message is in each dialect.
 *
 * @since 0.1.0
 */
export interface TranscriptMessages {
  readonly anthropic: AnthropicMessage;
  readonly 'openai-chat': OpenAIChatMessage;
  readonly 'openai-responses': OpenAIResponsesItem;
  readonly gemini: GeminiContent;
  readonly 'ai-sdk': AISDKMessage;
  readonly langchain: LangChainMessage;
}

/**
 * What a message is after settling: in most dialects what it was before. LangChain's classes cannot be had without
 * LangChain, so what is added to such a transcript has none.
 *
 * @since 0.1.0
 */
export type SettledMessage<D extends TranscriptDialect, M> = D extends 'langchain' ? M | LangChainAddition : M;

/**
 * The provider formats whose rules this package knows.
 *
 * `anthropic` the Messages API · `openai-chat` Chat Completions, of OpenAI and of the many servers that speak it ·
 * `openai-responses` the items of the Responses API · `gemini` the contents of `generateContent` ·
 * `ai-sdk` the messages of `ai`, those for a model and those of a user interface · `langchain` the messages of `@langchain/core`,
 * instances of its classes and what it coerces to them.
 *
 * @since 0.1.0
 */
export type TranscriptDialect = keyof TranscriptMessages;

/** How to settle, how to check and how to read each. */
export const dialects: { readonly [D in TranscriptDialect]: Dialect<TranscriptMessages[D]> } = {
  anthropic: { settle: settleAnthropic, check: checkAnthropic, turns: turnsOf(anthropicReplies, splitAnthropic) },
  'openai-chat': { settle: settleOpenAIChat, check: checkOpenAIChat, turns: turnsOf(openAIChatReplies) },
  'openai-responses': {
    settle: settleOpenAIResponses,
    check: checkOpenAIResponses,
    turns: responsesTurns,
    requireMessage: requireItem,
    canBeHeld: true,
  },
  gemini: {
    settle: settleGemini,
    check: checkGemini,
    turns: turnsOf(geminiReplies, splitGemini),
    requireMessage: requireContent,
  },
  'ai-sdk': { settle: settleAISDK, check: checkAISDK, turns: aiSDKTurns, requireMessage: requireAISDKMessage },
  langchain: {
    settle: settleLangChain,
    check: checkLangChain,
    turns: langChainTurns,
    requireMessage: requireLangChainMessage,
  },
};
