/** The conversation of a framework's loop, as an application keeps it; the one place where tests of doors name a dialect. */
import type { TurnReport } from '../../../src/index.ts';
import { aiSDK } from '../../../src/transcript/dialects/ai-sdk/index.ts';
import { langchain } from '../../../src/transcript/dialects/langchain/index.ts';
import { openaiAgents } from '../../../src/transcript/dialects/openai-agents/index.ts';
import { Conversation, settleTurn } from '../../../src/transcript/index.ts';

type Report = TurnReport<unknown>;

export function settledLangChain(messages: readonly unknown[], report: Report): unknown[] {
  return [...settleTurn(messages as never[], report, { dialect: langchain }).messages];
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
