/** LangGraph's prebuilt agent, with a chat model that asks the scripted server. */
import { guardTools } from '../../../../src/index.ts';
import { turnModel } from '../../../../src/adapters/langchain/index.ts';
import { z } from 'zod';
import type { Major } from '../../majors.ts';
import { mapTools, type Framework, type Work } from './framework.ts';
import { serverModel } from './langchain-model.ts';

/** What was said last. */
function wordsOf({ messages }: { readonly messages: readonly { readonly content: unknown }[] }): string {
  const content = messages.at(-1)?.content;
  return typeof content === 'string' ? content : JSON.stringify(content);
}

export async function langgraph(major: Major): Promise<Framework> {
  const { tool } = await major.load<typeof import('@langchain/core/tools')>('@langchain/core/tools');
  const prebuilt = await major.load<typeof import('@langchain/langgraph/prebuilt')>('@langchain/langgraph/prebuilt');
  const ServerModel = await serverModel(major);
  type Model = InstanceType<typeof ServerModel>;
  type ToolFunction = (input: unknown, config: { signal?: AbortSignal }) => unknown;
  const functionOf =
    (work: Work): ToolFunction =>
    (_input, config) =>
      work({ signal: config.signal });
  const toolOf = (name: string, run: ToolFunction) =>
    tool(run as () => Promise<string>, { name, description: 'works', schema: z.object({}) });
  const graphOf = (llm: Model, tools: Record<string, ReturnType<typeof toolOf>>) =>
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one agent that both majors have
    prebuilt.createReactAgent({ llm, tools: Object.values(tools) });
  const input = { messages: [{ role: 'user', content: 'go' }] };
  return {
    name: `@langchain/langgraph ${major.version('@langchain/langgraph')}, core ${major.version('@langchain/core')}`,
    async run(turn, options) {
      const { graceMs, onInterject, idleMs, onPart, baseURL, maxRetries } = options;
      const { signal } = turn;
      // The function, not the tool: LangChain's own race with the signal is around it, and tells nobody what runs on.
      const functions = mapTools(options.tools, (_name, work) => functionOf(work));
      const guarded = guardTools(functions, { turn, graceMs, onInterject });
      const tools = Object.fromEntries(Object.entries(guarded).map(([name, run]) => [name, toolOf(name, run)]));
      const graph = graphOf(turnModel(turn, new ServerModel(baseURL, maxRetries), { graceMs, idleMs }), tools);
      if (options.stream !== true) {
        const state = await graph.invoke(input, { signal });
        return wordsOf(state);
      }
      let last = '';
      for await (const [mode, part] of await graph.stream(input, { signal, streamMode: ['messages', 'values'] })) {
        turn.checkpoint();
        if (mode === 'values') last = wordsOf(part);
        onPart?.();
      }
      turn.checkpoint();
      return last;
    },
    async runBare(signal, options) {
      const tools = mapTools(options.tools, (name, work) => toolOf(name, functionOf(work)));
      return await graphOf(new ServerModel(options.baseURL, options.maxRetries), tools).invoke(input, { signal });
    },
  };
}
