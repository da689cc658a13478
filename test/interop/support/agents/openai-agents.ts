/** `run` of OpenAI Agents, alone and under a turn. */
import OpenAI from 'openai';
import { z } from 'zod';
import { readRun, underTurn } from '../../../../src/adapters/openai-agents/index.ts';
import { openaiAgents } from '../../../../src/transcript/dialects/openai-agents/index.ts';
import { Conversation } from '../../../../src/transcript/index.ts';
import { underController } from '../../../support/agents/under-controller.ts';
import type { Major } from '../../majors.ts';
import { bareHarness } from './bare.ts';
import type { AgentPair } from './pair.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';

export async function openaiAgentsAgents(major: Major): Promise<AgentPair> {
  const sdk = await major.load<typeof import('@openai/agents')>('@openai/agents');
  sdk.setTracingDisabled(true);
  type Execute = (given: { readonly signal: AbortSignal | undefined }) => Promise<string>;
  const agentOf = (url: string, tools: Record<string, Execute>) =>
    new sdk.Agent({
      name: 'worker',
      model: new sdk.OpenAIChatCompletionsModel(new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' }), 'scripted'),
      tools: Object.entries(tools).map(([name, run]) =>
        sdk.tool({
          name,
          description: 'works',
          parameters: z.object({}),
          execute: (_input, _context, details) => run({ signal: details?.signal }),
        }),
      ),
    });
  const name = `@openai/agents ${major.version('@openai/agents')}`;
  return {
    name,
    bare: bareHarness(
      name,
      async ({ url, messages, tools, isRebuilt }, signal) => {
        const own = Object.fromEntries(
          Object.entries(tools).map(([id, tool]): [string, Execute] => [id, (given) => tool(given.signal)]),
        );
        const agent = agentOf(url, own);
        const result = await sdk.run(isRebuilt ? agent.clone({ name: 'copy' }) : agent, [...messages] as never, {
          signal,
          stream: true,
        });
        for await (const event of result) void event;
        await result.completed;
        return result.history;
      },
      { canRebuild: true, isVerbatim: false },
    ),
    guarded: underController({
      name: `${name}, guarded`,
      canRebuild: true,
      honours: ['compactInto'],
      async run(turn, { url, messages, tools, passive, idleMs, isRebuilt, compacted }) {
        const onInterject = passive.length > 0 ? 'yield' : 'finish';
        const agent = underTurn(turn, agentOf(url, tools), { onInterject, dialect: openaiChat, model: { idleMs } });
        const running = sdk.run(isRebuilt ? agent.clone({ name: 'copy' }) : agent, [...messages] as never, {
          signal: turn.signal,
          stream: true,
          callModelInputFilter: ({ modelData }) => ({ ...modelData, input: [...compacted(modelData.input)] }),
        });
        return (await readRun(turn.token, running)).finalOutput;
      },
      converse: (messages) => new Conversation(openaiAgents, { messages: messages as never[] }),
    }),
  };
}
