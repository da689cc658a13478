/** An agent of Mastra, alone and under a turn by the recipe of its guide. */
import { z } from 'zod';
import { underTurn } from '../../../../src/adapters/ai-sdk/index.ts';
import type { AIModel } from '../../../../src/adapters/ai-sdk/under-turn.ts';
import { guardTools } from '../../../../src/guard/index.ts';
import { aiSDK } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
import { Conversation } from '../../../../src/transcript/index.ts';
import { underController } from '../../../support/agents/under-controller.ts';
import type { Major } from '../../majors.ts';
import { bareHarness } from './bare.ts';
import type { AgentPair } from './pair.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';

interface OpenAIProvider {
  createOpenAI(settings: object): { chat(model: string): AIModel };
}

/** Failures and stops are what is looked at; Mastra prints each. */
const quiet = Object.fromEntries(
  ['debug', 'info', 'warn', 'error', 'trackException', 'listLogs', 'getTransports'].map((name) => [
    name,
    () => undefined,
  ]),
);

export async function mastraAgents(major: Major): Promise<AgentPair> {
  const agents = await major.load<typeof import('@mastra/core/agent')>('@mastra/core/agent');
  const { createTool } = await major.load<typeof import('@mastra/core/tools')>('@mastra/core/tools');
  // The specification that Mastra takes.
  const openai = await major.load<OpenAIProvider>('@ai-sdk/openai-v5');
  type Execute = (given: { readonly signal: AbortSignal | undefined }) => Promise<string>;
  const modelOf = (url: string): AIModel =>
    openai.createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' }).chat('scripted');
  const toolsOf = (tools: Record<string, Execute>) =>
    Object.fromEntries(
      Object.entries(tools).map(([id, run]) => [
        id,
        createTool({
          id,
          description: 'works',
          inputSchema: z.object({}),
          execute: (_input: unknown, context?: { abortSignal?: AbortSignal }) => run({ signal: context?.abortSignal }),
        }),
      ]),
    );
  const agentOf = (model: AIModel, tools: object) => {
    const agent = new agents.Agent({
      id: 'worker',
      name: 'worker',
      instructions: 'work',
      model: model as never,
      tools: tools as never,
    });
    agent.__setLogger(quiet as never);
    return agent;
  };
  const name = `@mastra/core ${major.version('@mastra/core')}`;
  return {
    name,
    bare: bareHarness(name, async ({ url, messages, tools }, signal) => {
      const own = Object.fromEntries(
        Object.entries(tools).map(([id, tool]): [string, Execute] => [id, (given) => tool(given.signal)]),
      );
      const result = await agentOf(modelOf(url), toolsOf(own)).stream(messages as never, { abortSignal: signal });
      for await (const part of result.fullStream) if (part.type === 'error') throw part.payload.error;
      return [...messages, ...((await result.response) as { messages: unknown[] }).messages];
    }),
    guarded: underController({
      name: `${name}, guarded`,
      honours: ['compactInto', 'verbatim'],
      async run(turn, { url, messages, tools, passive, idleMs, compacted }) {
        const { model } = underTurn(turn, { model: modelOf(url) }, { model: { idleMs } });
        const own = guardTools(toolsOf(tools), {
          turn,
          dialect: openaiChat,
          onInterject: passive.length > 0 ? 'yield' : 'finish',
        });
        const result = await agentOf(model, own).stream(
          messages as never,
          {
            abortSignal: turn.signal,
            prepareStep: (step: { messages: never[] }) => ({ messages: [...compacted(step.messages)] }),
          } as never,
        );
        for await (const part of result.fullStream) {
          turn.checkpoint();
          if (part.type === 'error') throw part.payload.error;
        }
        turn.checkpoint();
        return await result.text;
      },
      converse: (messages) => new Conversation(aiSDK, { messages: messages as never[] }),
    }),
  };
}
