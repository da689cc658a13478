/** `streamText` of the AI SDK, alone and under a turn. */
import type { LanguageModel, ModelMessage } from 'ai';
import { z } from 'zod';
import { readResult, underTurn } from '../../../../src/adapters/ai-sdk/index.ts';
import { aiSDK } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
import { Conversation } from '../../../../src/transcript/index.ts';
import { underController, type ControlledLoop } from '../../../support/agents/under-controller.ts';
import type { Major } from '../../majors.ts';
import { bareHarness } from './bare.ts';
import type { AgentPair } from './pair.ts';
import { programOf } from './program.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';

export async function aiSdkAgents(major: Major): Promise<AgentPair> {
  const ai = await major.load<typeof import('ai')>('ai');
  const { createOpenAI } = await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai');
  const { createAnthropic } = await major.load<typeof import('@ai-sdk/anthropic')>('@ai-sdk/anthropic');
  type Execute = (given: { readonly signal: AbortSignal | undefined }) => Promise<string>;
  const openai = (url: string): LanguageModel =>
    createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' }).chat('scripted');
  const anthropic = (url: string): LanguageModel =>
    createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' })('scripted');
  const settings = (model: LanguageModel, messages: readonly unknown[], tools: Record<string, Execute>) => ({
    model,
    messages: messages as ModelMessage[],
    stopWhen: ai.stepCountIs(8),
    onError: () => undefined,
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, run]) => [
        name,
        ai.tool({
          description: 'works',
          inputSchema: z.object({}),
          execute: (_input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => run({ signal: abortSignal }),
        }),
      ]),
    ),
  });
  const controlled = (modelOf: (url: string) => LanguageModel) => {
    const loop: Pick<ControlledLoop, 'run' | 'converse'> = {
      async run(turn, { url, messages, tools, passive, idleMs, isRebuilt, compacted }) {
        const onInterject = passive.length > 0 ? 'yield' : 'finish';
        const own = underTurn(turn, settings(modelOf(url), messages, tools), {
          onInterject,
          dialect: openaiChat,
          model: { idleMs },
        });
        const model = isRebuilt ? ai.wrapLanguageModel({ model: own.model as never, middleware: {} }) : own.model;
        const prepareStep = (step: { messages: ModelMessage[] }) => ({ messages: [...compacted(step.messages)] });
        return await readResult(turn.token, ai.streamText({ ...own, model, prepareStep }));
      },
      converse: (messages) => new Conversation(aiSDK, { messages: messages as never[] }),
    };
    return loop;
  };
  const name = `ai ${major.version('ai')}`;
  return {
    name,
    bare: {
      ...bareHarness(
        name,
        async ({ url, messages, tools, isRebuilt }, signal) => {
          const own = Object.fromEntries(
            Object.entries(tools).map(([id, tool]): [string, Execute] => [id, (given) => tool(given.signal)]),
          );
          const model = isRebuilt ? ai.wrapLanguageModel({ model: openai(url) as never, middleware: {} }) : openai(url);
          const result = ai.streamText({ ...settings(model, messages, own), abortSignal: signal });
          for await (const part of result.stream) if (part.type === 'error') throw part.error;
          return [...messages, ...(await result.finalStep).response.messages];
        },
        { canRebuild: true },
      ),
      startProgram: programOf('ai-sdk bare'),
    },
    guarded: {
      ...underController({
        name: `${name}, guarded`,
        ...controlled(openai),
        canRebuild: true,
        honours: ['compactInto', 'verbatim'],
        elsewhere: controlled(anthropic),
      }),
      startProgram: programOf('ai-sdk guarded'),
    },
  };
}
