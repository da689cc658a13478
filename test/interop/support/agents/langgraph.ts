/** The prebuilt agent of LangGraph, alone and under a turn. */
import { z } from 'zod';
import { turnModel } from '../../../../src/adapters/langchain/index.ts';
import { guardTools } from '../../../../src/guard/index.ts';
import { underController, type LoopTurn } from '../../../support/agents/under-controller.ts';
import type { Major } from '../../majors.ts';
import { chatModels, type ChatModel } from '../frameworks/langchain-models.ts';
import { bareHarness } from './bare.ts';
import { chatOfLangChain } from '../settle-history.ts';
import type { AgentPair } from './pair.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';

export async function langgraphAgents(major: Major): Promise<AgentPair> {
  const prebuilt = await major.load<typeof import('@langchain/langgraph/prebuilt')>('@langchain/langgraph/prebuilt');
  const { tool } = await major.load<typeof import('@langchain/core/tools')>('@langchain/core/tools');
  const { ChatOpenAI } = await chatModels(major);
  type ToolFunction = (input: unknown, config: { signal?: AbortSignal }) => Promise<string>;
  const modelOf = (url: string): ChatModel => ChatOpenAI({ baseURL: `${url}/v1`, maxRetries: 2 });
  const run = async (
    llm: ChatModel,
    tools: Record<string, ToolFunction>,
    messages: readonly unknown[],
    signal: AbortSignal,
    isRebuilt: boolean,
    checkpoint: () => void = () => undefined,
    compacted?: LoopTurn['compacted'],
  ): Promise<readonly unknown[]> => {
    const own = Object.entries(tools).map(([name, work]) =>
      tool(work as () => Promise<string>, { name, description: 'works', schema: z.object({}) }),
    );
    const model = isRebuilt ? llm.bindTools(own).withConfig({ tags: ['anew'] }) : llm;
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one agent that both majors have
    const graph = prebuilt.createReactAgent({
      llm: model as never,
      tools: own,
      ...(compacted && {
        preModelHook: (state: { messages: unknown[] }) => ({ llmInputMessages: compacted(state.messages) as never }),
      }),
    });
    const parts = await graph.stream({ messages: messages as never }, { signal, streamMode: ['messages', 'values'] });
    let all = messages;
    for await (const [mode, part] of parts as AsyncIterable<[string, { messages: unknown[] }]>) {
      checkpoint();
      if (mode === 'values') all = part.messages;
    }
    checkpoint();
    return all;
  };
  const name = `@langchain/langgraph ${major.version('@langchain/langgraph')}`;
  return {
    name,
    bare: bareHarness(
      name,
      async ({ url, messages, tools, isRebuilt }, signal) => {
        const own = Object.fromEntries(
          Object.entries(tools).map(([id, work]): [string, ToolFunction] => [
            id,
            (_input, config) => work(config.signal),
          ]),
        );
        return await run(modelOf(url), own, messages, signal, isRebuilt);
      },
      { canRebuild: true },
    ),
    guarded: underController({
      name: `${name}, guarded`,
      honours: ['compactInto', 'verbatim'],
      canRebuild: true,
      async run(turn, { url, messages, tools, passive, idleMs, isRebuilt, compacted }) {
        const functions = Object.fromEntries(
          Object.entries(tools).map(([id, work]): [string, ToolFunction] => [
            id,
            (_input, config) => work({ signal: config.signal }),
          ]),
        );
        const own = guardTools(functions, {
          turn,
          dialect: openaiChat,
          onInterject: passive.length > 0 ? 'yield' : 'finish',
        });
        const model = turnModel(turn, modelOf(url), { idleMs });
        return await run(model, own, messages, turn.signal, isRebuilt, turn.checkpoint, compacted);
      },
      converse: (messages) => chatOfLangChain(messages),
    }),
  };
}
