/** The conversation of a framework's loop, as an application keeps it; the one place where tests of doors name a dialect. */
import { aiSDK } from '../../../src/transcript/dialects/ai-sdk/index.ts';
import { langchain } from '../../../src/transcript/dialects/langchain/index.ts';
import { openaiAgents } from '../../../src/transcript/dialects/openai-agents/index.ts';
import { Conversation, repair } from '../../../src/transcript/index.ts';

/** A conversation with LangChain, with what there is of it. */
export function chatOfLangChain<M extends object>(messages: readonly unknown[] = []): Conversation<M> {
  return new Conversation<M>(langchain, { messages: messages as readonly M[] });
}

/** The messages of a thread, with what the conversation of its run knows of their calls. */
export function settledLangChain(messages: readonly unknown[], chat: Conversation<object>): unknown[] {
  return [...repair(messages as never[], { dialect: langchain, outcomeOf: chat.outcomeOf }).messages];
}

/** A conversation with the AI SDK, with what there is of it. */
export function chatOfAISDK<M extends object>(messages: readonly M[] = []): Conversation<M> {
  return new Conversation<M>(aiSDK as never, { messages });
}

/** What a transcript of the AI SDK breaks. */
export function checkedAISDK(messages: readonly unknown[]): unknown[] {
  return [...aiSDK.check(messages as never[])];
}

/** A conversation with OpenAI Agents, with what there is of it. */
export function chatOfAgents<M extends object>(
  items: readonly unknown[] = [],
  options: { readonly waits?: boolean } = {},
): Conversation<M> {
  return new Conversation<M>(openaiAgents, { ...options, messages: items as readonly M[] });
}
