/** The AI SDK's own loop: `generateText` and `streamText`. */
import type { LanguageModel } from 'ai';
import { z } from 'zod';
import { readResult, underTurn } from '../../../../src/adapters/ai-sdk/index.ts';
import type { Major } from '../../majors.ts';
import { mapTools, type Framework, type LoopOptions } from './framework.ts';

export async function aiSdk(major: Major): Promise<Framework> {
  const ai = await major.load<typeof import('ai')>('ai');
  const openai = await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai');
  const settings = ({ baseURL, tools, maxRetries = 0 }: LoopOptions) => {
    const model: LanguageModel = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');
    return {
      model,
      prompt: 'go',
      stopWhen: ai.stepCountIs(8),
      maxRetries,
      onError: () => undefined,
      tools: mapTools(tools, (_name, work) =>
        ai.tool({
          description: 'works',
          inputSchema: z.object({}),
          execute: (_input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => work({ signal: abortSignal }),
        }),
      ),
    };
  };
  return {
    name: `ai ${major.version('ai')}`,
    async run(turn, options) {
      const { graceMs, onInterject, idleMs, onPart } = options;
      const own = underTurn(turn, settings(options), { graceMs, onInterject, model: { graceMs, idleMs } });
      if (options.stream !== true) return (await ai.generateText(own)).text;
      return await readResult(turn.token, ai.streamText(own), onPart);
    },
    async runBare(signal, options) {
      return await ai.generateText({ ...settings(options), abortSignal: signal });
    },
  };
}
