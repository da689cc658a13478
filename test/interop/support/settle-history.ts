/** The history of a stopped turn, settled as an application does it; the one place where tests of doors name a dialect. */
import type { TurnReport } from '../../../src/index.ts';
import { aiSDK } from '../../../src/transcript/dialects/ai-sdk/index.ts';
import { langchain } from '../../../src/transcript/dialects/langchain/index.ts';
import { openaiAgents } from '../../../src/transcript/dialects/openai-agents/index.ts';
import { settleTurn } from '../../../src/transcript/index.ts';

type Report = TurnReport<unknown>;

export function settledLangChain(messages: readonly unknown[], report: Report): unknown[] {
  return [...settleTurn(messages as never[], report, { dialect: langchain }).messages];
}

export function settledAISDK<M>(messages: readonly M[], report: Report): M[] {
  return [...settleTurn(messages as never[], report, { dialect: aiSDK }).messages] as M[];
}

export function settledAgents(items: readonly unknown[], report: Report): never[] {
  return [...settleTurn(items as never[], report, { dialect: openaiAgents }).messages] as never[];
}
