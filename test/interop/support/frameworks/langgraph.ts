/** The prebuilt agents of LangGraph and LangChain, with the real chat models against the scripted server. */
import type { StructuredTool } from '@langchain/core/tools';
import { z } from 'zod';
import { turnModel } from '../../../../src/adapters/langchain/index.ts';
import { guardTools } from '../../../../src/guard/index.ts';
import type { Turn } from '../../../../src/index.ts';
import type { Major } from '../../majors.ts';
import { mapTools, type Framework, type LoopOptions } from './framework.ts';
import { chatModels, type ChatModel, type ChatModels, type ModelSettings } from './langchain-models.ts';

/** What was said last. */
export function wordsOf({ messages }: { readonly messages: readonly { readonly content: unknown }[] }): string {
  const content = messages.at(-1)?.content;
  if (!Array.isArray(content)) return typeof content === 'string' ? content : JSON.stringify(content);
  return (content as readonly { readonly text?: string }[]).map(({ text }) => text ?? '').join('');
}

/** `createReactAgent` of LangGraph, which both majors have. */
export async function reactAgent(major: Major): Promise<Framework> {
  const prebuilt = await major.load<typeof import('@langchain/langgraph/prebuilt')>('@langchain/langgraph/prebuilt');
  return await langgraph(major, 'ChatOpenAI', (llm, tools) =>
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one agent that both majors have
    prebuilt.createReactAgent({ llm, tools: tools as never }),
  );
}

/** `createAgent` of LangChain; the major before it has only the agent of LangGraph. */
export async function langchainAgent(major: Major): Promise<Framework> {
  if (major.name === 'newest') {
    const { createAgent } = await major.load<typeof import('langchain')>('langchain');
    return await langgraph(
      major,
      'ChatAnthropic',
      (model, tools) => createAgent({ model, tools: tools as never }) as unknown as Graph,
    );
  }
  const prebuilt = await major.load<typeof import('@langchain/langgraph/prebuilt')>('@langchain/langgraph/prebuilt');
  return await langgraph(major, 'ChatAnthropic', (llm, tools) =>
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one agent that both majors have
    prebuilt.createReactAgent({ llm, tools: tools as never }),
  );
}

/** As much of a compiled graph as a scenario needs. */
export interface Graph {
  invoke(input: object, config: object): Promise<{ messages: { content: unknown }[] }>;
  stream(input: object, config: object): Promise<AsyncIterable<unknown>>;
}

type ToolFunction = (input: unknown, config: { signal?: AbortSignal }) => unknown;

export interface ToolKit {
  /** As somebody has them who does not know of a stop. */
  bare(tools: LoopOptions['tools']): StructuredTool[];
  /** The function is guarded, not the tool: LangChain's own race with the signal is around it, and tells nobody what runs on. */
  guarded(turn: Turn, options: LoopOptions): StructuredTool[];
}

/** Tools of LangChain that do the work of a scenario. */
export async function toolKit(major: Major): Promise<ToolKit> {
  const { tool } = await major.load<typeof import('@langchain/core/tools')>('@langchain/core/tools');
  const functionsOf = (options: Pick<LoopOptions, 'tools' | 'around'>) =>
    mapTools(
      options,
      (_name, work): ToolFunction =>
        (_input, config) =>
          work({ signal: config.signal }),
    );
  const toolsOf = (functions: Record<string, ToolFunction>) =>
    Object.entries(functions).map(([name, run]) =>
      tool(run as () => Promise<string>, { name, description: 'works', schema: z.object({}) }),
    );
  return {
    bare: (tools) => toolsOf(functionsOf({ tools })),
    guarded: (turn, { tools, around, graceMs, onInterject }) =>
      toolsOf(guardTools(functionsOf({ tools, around }), { turn, graceMs, onInterject })),
  };
}

export async function langgraph(
  major: Major,
  modelName: keyof ChatModels,
  make: (model: ChatModel, tools: unknown[]) => Graph,
  { streaming }: Pick<ModelSettings, 'streaming'> = {},
): Promise<Framework> {
  const kit = await toolKit(major);
  const modelOf = (await chatModels(major))[modelName];
  const input = { messages: [{ role: 'user', content: 'go' }] };
  return {
    name: `@langchain/langgraph ${major.version('@langchain/langgraph')}, ${modelName}`,
    // This one looks at its signal between two events, and never hands it to its client.
    isDeafInSilence: major.name === 'previous' && modelName === 'ChatAnthropic',
    async run(turn, options) {
      const { graceMs, idleMs, onPart, baseURL, maxRetries, aside } = options;
      const { signal } = turn;
      const model = turnModel(turn, modelOf({ baseURL, maxRetries, streaming }), { graceMs, idleMs, aside });
      const graph = make(model, kit.guarded(turn, options));
      if (options.stream !== true) {
        const state = await graph.invoke(input, { signal });
        return wordsOf(state);
      }
      let last = '';
      const parts = await graph.stream(input, { signal, streamMode: ['messages', 'values'] });
      for await (const [mode, part] of parts as AsyncIterable<[string, Parameters<typeof wordsOf>[0]]>) {
        turn.checkpoint();
        if (mode === 'values') last = wordsOf(part);
        onPart?.();
      }
      turn.checkpoint();
      return last;
    },
    async runBare(signal, options) {
      return await make(modelOf(options), kit.bare(options.tools)).invoke(input, { signal });
    },
  };
}
