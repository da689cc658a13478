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
  /** Told to stream behind an `invoke`, it counts tokens by a table that it loads from the network; here it estimates them. */
  const estimating = (fields: object): object => {
    class Estimating extends openai.ChatOpenAICompletions {
      override getNumTokens(content: unknown): Promise<number> {
        return Promise.resolve(Math.ceil(String(content).length / 4));
      }
    }
    return { completions: new Estimating(fields) };
  };
  return {
    ChatOpenAI: (settings) => {
      const fields = { ...settingsOf(settings), configuration: { baseURL: settings.baseURL } };
      const counts = settings.streaming === true ? estimating(fields) : {};
      return new openai.ChatOpenAI({ ...fields, ...counts }) as unknown as ChatModel;
    },
    ChatAnthropic: (settings) =>
      new anthropic.ChatAnthropic({
        ...settingsOf(settings),
        anthropicApiUrl: settings.baseURL.replace(/\/v1$/, ''),
      }) as unknown as ChatModel,
  };
}
