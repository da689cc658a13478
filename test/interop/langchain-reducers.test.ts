/** S45: threads of LangGraph whose graphs are not as simple as an agent: other reducers, steps of several nodes, own routers. */
import type { BaseMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { settleThread, turnModel } from '../../src/adapters/langchain/index.ts';
import { guardTools } from '../../src/guard/index.ts';
import { delay, type Turn } from '../../src/index.ts';
import { majors } from './majors.ts';
import { frameworkStage, sentTexts } from './stage.ts';
import { chatModels } from './support/frameworks/langchain-models.ts';
import { callsOf } from './support/frameworks/loop-stage.ts';
import { chatOfLangChain, settledLangChain } from './support/settle-history.ts';

const rigs = await Promise.all(
  majors.map(async (major) => ({
    name: major.version('@langchain/langgraph'),
    langgraph: await major.load<typeof import('@langchain/langgraph')>('@langchain/langgraph'),
    prebuilt: await major.load<typeof import('@langchain/langgraph/prebuilt')>('@langchain/langgraph/prebuilt'),
    tools: await major.load<typeof import('@langchain/core/tools')>('@langchain/core/tools'),
    messages: await major.load<typeof import('@langchain/core/messages')>('@langchain/core/messages'),
    models: await chatModels(major),
  })),
);

interface Calling {
  readonly tool_calls: readonly unknown[];
}

describe.each(rigs)('langgraph $name', ({ langgraph, prebuilt, tools: { tool }, messages, models }) => {
  const { Annotation, MessagesAnnotation, StateGraph, START, END, MemorySaver } = langgraph;
  const concat = Annotation.Root({
    messages: Annotation<BaseMessage[]>({ reducer: (all, more) => all.concat(more), default: () => [] }),
  });
  const config = { configurable: { thread_id: '1' } };

  it.each(['a reducer that only appends', 'a step of two nodes', 'a router that expects a reply'] as const)(
    'S45 a thread of a graph with %s goes on after a stop, and pays once',
    async (kind) => {
      const script = [callsOf('pay'), callsOf('deploy'), 'Went on.'];
      const { agent, server, baseURL } = await frameworkStage(script);
      const checkpointer = new MemorySaver();
      let paid = 0;
      const work = {
        pay: () => Promise.resolve(`paid ${String(++paid)}`),
        deploy: (_input: unknown, { signal }: { signal?: AbortSignal }) => {
          agent.cancel('user');
          return delay(signal, 60_000);
        },
      };
      const graphOf = (turn: Omit<Turn, 'model'>) => {
        const own = Object.entries(guardTools(work, { turn })).map(([name, run]) =>
          tool(run as () => Promise<unknown>, { name, description: 'works', schema: z.object({}) }),
        );
        const model = turnModel(turn, models.ChatOpenAI({ baseURL })).bindTools(own);
        const state = kind === 'a reducer that only appends' ? concat : MessagesAnnotation;
        const router = ({ messages: all }: { messages: unknown[] }): 'tools' | typeof END =>
          (all.at(-1) as Calling).tool_calls.length > 0 ? 'tools' : END;
        const graph = new StateGraph(state)
          .addNode('agent', async ({ messages: all }, own) => ({ messages: [await model.invoke(all, own)] }))
          .addNode('audit', () => Promise.resolve({ messages: [] }))
          .addNode('tools', new prebuilt.ToolNode(own))
          .addEdge(START, 'agent')
          .addConditionalEdges('agent', kind === 'a router that expects a reply' ? router : prebuilt.toolsCondition)
          .addEdge('tools', 'agent');
        if (kind === 'a step of two nodes') graph.addEdge(START, 'audit').addEdge('tools', 'audit');
        return graph.compile({ checkpointer });
      };
      let graph: ReturnType<typeof graphOf> | undefined;
      const chat = chatOfLangChain();
      const ask = (content: string) =>
        chat.runTurn(agent, content, async (turn) => {
          graph = graphOf(turn);
          const input = { messages: [new messages.HumanMessage(content)] };
          return (await graph.invoke(input, { ...config, signal: turn.signal })).messages.at(-1)?.content;
        });
      const report = await ask('go');
      expect(report.status).toBe('cancelled');
      await settleThread(graph as never, config, (all) => settledLangChain(all, chat));
      expect((await ask('again')).unwrap()).toBe('Went on.');
      const sent = sentTexts(server, 3).map((text) => text.slice(0, 20));
      expect(sent).toEqual([
        'user: go',
        'assistant: ',
        'tool: paid 1',
        'assistant: ',
        'tool: This call was ',
        'user: again',
      ]);
    },
  );
});
