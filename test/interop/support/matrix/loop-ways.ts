/** The loops that the AI SDK, OpenAI Agents and Mastra own, whole and streamed. */
import type { AgentInputItem } from '@openai/agents';
import type { LanguageModel, ModelMessage } from 'ai';
import OpenAI from 'openai';
import type { Major } from '../../majors.ts';
import { aiSdk, aiSdkAnthropic, aiSdkGoogle } from '../frameworks/ai-sdk.ts';
import type { Framework } from '../frameworks/framework.ts';
import { mastra } from '../frameworks/mastra.ts';
import { openaiAgents } from '../frameworks/openai-agents.ts';
import { chatOfAgents, chatOfAISDK } from '../settle-history.ts';
import { inWords, type Way } from './way.ts';

const again = { role: 'user' as const, content: 'go on' };

function bothWays({ name, run }: Framework, own: Pick<Way, 'goOn' | 'chat'>): Way[] {
  return [false, true].map((stream) => ({
    ...inWords,
    name: `${name}, ${stream ? 'streamed' : 'whole'}`,
    stream,
    hasWords: stream,
    run,
    ...own,
  }));
}

export async function loopWays(major: Major): Promise<readonly Way[]> {
  const ai = await major.load<typeof import('ai')>('ai');
  const sdk = await major.load<typeof import('@openai/agents')>('@openai/agents');
  const openai = await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai');
  const anthropic = await major.load<typeof import('@ai-sdk/anthropic')>('@ai-sdk/anthropic');
  const google = await major.load<{ createGoogleGenerativeAI(settings: object): (model: string) => LanguageModel }>(
    '@ai-sdk/google-v5',
  );
  const apiKey = 'none';
  const asked = (modelOf: (baseURL: string) => LanguageModel): Pick<Way, 'goOn' | 'chat'> => ({
    chat: () => chatOfAISDK(),
    goOn: async (_turn, _report, baseURL, chat) => {
      const messages = [...(chat?.messages ?? []), again] as ModelMessage[];
      return await ai.generateText({ model: modelOf(baseURL), messages, maxRetries: 0 });
    },
  });
  const byOpenAI = asked((baseURL) => openai.createOpenAI({ baseURL, apiKey }).chat('scripted'));
  const byAnthropic = asked((baseURL) => anthropic.createAnthropic({ baseURL, apiKey })('scripted'));
  const byGoogle = asked((baseURL) =>
    google.createGoogleGenerativeAI({ baseURL: `${baseURL}beta`, apiKey })('gemini-3-pro'),
  );
  const byAgents: Pick<Way, 'goOn' | 'chat'> = {
    chat: () => chatOfAgents(),
    goOn: async (_turn, _report, baseURL, chat) => {
      const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
      const model = new sdk.OpenAIChatCompletionsModel(client, 'scripted');
      const items = [...(chat?.messages ?? []), again] as AgentInputItem[];
      return await sdk.run(new sdk.Agent({ name: 'worker', model }), items);
    },
  };
  const loops: readonly (readonly [(of: Major) => Promise<Framework>, Pick<Way, 'goOn' | 'chat'>])[] = [
    [aiSdk, byOpenAI],
    [aiSdkAnthropic, byAnthropic],
    [aiSdkGoogle, byGoogle],
    [openaiAgents, byAgents],
    [mastra, byOpenAI],
  ];
  return (await Promise.all(loops.map(async ([make, own]) => bothWays(await make(major), own)))).flat();
}
