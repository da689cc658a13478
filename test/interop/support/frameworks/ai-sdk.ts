/** The AI SDK's own loop: `generateText` and `streamText`, with the models of three providers. */
import type { LanguageModel } from 'ai';
import { z } from 'zod';
import { readResult, underTurn } from '../../../../src/adapters/ai-sdk/index.ts';
import type { Major } from '../../majors.ts';
import { mapTools, type Framework, type LoopOptions } from './framework.ts';

type ModelOf = (baseURL: string) => LanguageModel;

interface GoogleProvider {
  createGoogleGenerativeAI(settings: object): (model: string) => LanguageModel;
}

export async function aiSdk(major: Major): Promise<Framework> {
  const openai = await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai');
  return await aiSdkOf(major, 'openai', (baseURL) => openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted'));
}

export async function aiSdkAnthropic(major: Major): Promise<Framework> {
  const anthropic = await major.load<typeof import('@ai-sdk/anthropic')>('@ai-sdk/anthropic');
  return await aiSdkOf(major, 'anthropic', (baseURL) =>
    anthropic.createAnthropic({ baseURL, apiKey: 'none' })('scripted'),
  );
}

/** Its package under the name that Mastra gives it: the same one that an application installs. */
export async function aiSdkGoogle(major: Major): Promise<Framework> {
  const google = await major.load<GoogleProvider>('@ai-sdk/google-v5');
  return await aiSdkOf(major, 'google', (baseURL) =>
    google.createGoogleGenerativeAI({ baseURL: `${baseURL}beta`, apiKey: 'none' })('gemini-3-pro'),
  );
}

// The SDK prints that the older specification is the older one.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

async function aiSdkOf(major: Major, provider: string, modelOf: ModelOf): Promise<Framework> {
  const ai = await major.load<typeof import('ai')>('ai');
  const settings = ({ baseURL, tools, around, maxRetries = 0 }: LoopOptions) => {
    return {
      model: modelOf(baseURL),
      prompt: 'go',
      maxOutputTokens: 1000,
      stopWhen: ai.stepCountIs(8),
      maxRetries,
      onError: () => undefined,
      tools: mapTools({ tools, around }, (_name, work) =>
        ai.tool({
          description: 'works',
          inputSchema: z.object({}),
          execute: (_input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => work({ signal: abortSignal }),
        }),
      ),
    };
  };
  return {
    name: `ai ${major.version('ai')}, ${provider}`,
    joinsResults: provider === 'anthropic',
    async run(turn, options) {
      const { graceMs, onInterject, idleMs, onPart, aside } = options;
      const own = underTurn(turn, settings(options), { graceMs, onInterject, aside, model: { graceMs, idleMs } });
      if (options.stream !== true) return (await ai.generateText(own)).text;
      return await readResult(turn.token, ai.streamText(own), onPart);
    },
    async runBare(signal, options) {
      return await ai.generateText({ ...settings(options), abortSignal: signal });
    },
  };
}
