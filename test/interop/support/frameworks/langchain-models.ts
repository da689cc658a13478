/** The real chat models of LangChain, asking the scripted server. */
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { Major } from '../../majors.ts';

/** How a model is made; nothing else about them matters to a scenario. */
export interface ModelSettings {
  /** With `/v1`. */
  readonly baseURL: string;
  readonly maxRetries?: number | undefined;
  readonly streaming?: boolean | undefined;
}

export type ChatModel = BaseChatModel & {
  bindTools(tools: unknown[]): ChatModel;
};

export interface ChatModels {
  readonly ChatOpenAI: (settings: ModelSettings) => ChatModel;
  readonly ChatAnthropic: (settings: ModelSettings) => ChatModel;
}

export const chatModelNames = ['ChatOpenAI', 'ChatAnthropic'] as const;

/** The two that have the most ways of their own: one copies itself for each binding, the other just ends when it is cut. */
export async function chatModels(major: Major): Promise<ChatModels> {
  const openai = await major.load<typeof import('@langchain/openai')>('@langchain/openai');
  const anthropic = await major.load<typeof import('@langchain/anthropic')>('@langchain/anthropic');
  const settingsOf = ({ maxRetries = 0, streaming }: ModelSettings) => ({
    model: 'scripted',
    apiKey: 'none',
    maxRetries,
    ...(streaming === undefined ? {} : { streaming }),
  });
  return {
    ChatOpenAI: (settings) =>
      new openai.ChatOpenAI({
        ...settingsOf(settings),
        configuration: { baseURL: settings.baseURL },
      }) as unknown as ChatModel,
    ChatAnthropic: (settings) =>
      new anthropic.ChatAnthropic({
        ...settingsOf(settings),
        anthropicApiUrl: settings.baseURL.replace(/\/v1$/, ''),
      }) as unknown as ChatModel,
  };
}
