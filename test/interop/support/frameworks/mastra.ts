/** Mastra's loop. It needs no adapter of its own: its models are those of the AI SDK, its tools have an `execute`. */
import { z } from 'zod';
import { underTurn } from '../../../../src/adapters/ai-sdk/index.ts';
import type { AIModel } from '../../../../src/adapters/ai-sdk/under-turn.ts';
import { guardTools } from '../../../../src/guard/index.ts';
import type { Major } from '../../majors.ts';
import { mapTools, type Framework, type LoopOptions } from './framework.ts';

interface OpenAIProvider {
  createOpenAI(settings: object): { chat(model: string): AIModel };
}

/** Failures and stops are what these tests are about; Mastra prints each. */
export const quiet = Object.fromEntries(
  ['debug', 'info', 'warn', 'error', 'trackException', 'listLogs', 'getTransports'].map((name) => [
    name,
    () => undefined,
  ]),
);

export async function mastra(major: Major): Promise<Framework> {
  const agents = await major.load<typeof import('@mastra/core/agent')>('@mastra/core/agent');
  const { createTool } = await major.load<typeof import('@mastra/core/tools')>('@mastra/core/tools');
  // The specification that both majors of Mastra take.
  const openai = await major.load<OpenAIProvider>('@ai-sdk/openai-v5');
  const modelOf = ({ baseURL }: LoopOptions) => openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');
  const toolsOf = (options: LoopOptions) =>
    mapTools(options, (id, work) =>
      createTool({
        id,
        description: 'works',
        inputSchema: z.object({}),
        execute: ((_input: unknown, context?: { abortSignal?: AbortSignal }) =>
          work({ signal: context?.abortSignal })) as () => Promise<never>,
      }),
    );
  const agentOf = (model: AIModel, tools: object, { maxRetries = 0 }: LoopOptions) => {
    const agent = new agents.Agent({
      id: 'worker',
      name: 'worker',
      instructions: 'work',
      maxRetries,
      model: model as never,
      tools: tools as never,
    });
    agent.__setLogger(quiet as never);
    return agent;
  };
  return {
    name: `@mastra/core ${major.version('@mastra/core')}`,
    mergesSteps: major.name === 'previous',
    async run(turn, options) {
      const { graceMs, onInterject, idleMs, onPart, aside } = options;
      const { model } = underTurn(turn, { model: modelOf(options) }, { aside, model: { graceMs, idleMs } });
      const tools = guardTools(toolsOf(options), { turn, graceMs, onInterject });
      const agent = agentOf(model, tools, options);
      const settings = { abortSignal: turn.signal, maxSteps: 8 };
      if (options.stream !== true) {
        // A stopped `generate` resolves without a text, or rejects with an error of its own.
        const { text } = await agent.generate('go', settings).finally(() => turn.checkpoint());
        return text;
      }
      const result = await agent.stream('go', settings);
      for await (const part of result.fullStream) {
        turn.checkpoint();
        if (part.type === 'error') throw part.payload.error;
        onPart?.();
      }
      turn.checkpoint();
      return await result.text;
    },
    async runBare(signal, options) {
      return await agentOf(modelOf(options), toolsOf(options), options).generate('go', { abortSignal: signal });
    },
  };
}
