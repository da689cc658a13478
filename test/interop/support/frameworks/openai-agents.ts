/** The loop of OpenAI Agents: `run`, whole and streamed. */
import OpenAI from 'openai';
import { z } from 'zod';
import { readRun, underTurn } from '../../../../src/adapters/openai-agents/index.ts';
import type { Major } from '../../majors.ts';
import { mapTools, type Framework, type LoopOptions } from './framework.ts';

export async function openaiAgents(major: Major): Promise<Framework> {
  const sdk = await major.load<typeof import('@openai/agents')>('@openai/agents');
  sdk.setTracingDisabled(true);
  const agentOf = ({ baseURL, tools, around, maxRetries = 0 }: LoopOptions) => {
    const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries });
    const own = mapTools({ tools, around }, (name, work) =>
      sdk.tool({
        name,
        description: 'works',
        parameters: z.object({}),
        execute: (_input, _context, details) => work({ signal: details?.signal }),
      }),
    );
    return new sdk.Agent({
      name: 'worker',
      model: new sdk.OpenAIChatCompletionsModel(client, 'scripted'),
      tools: Object.values(own),
    });
  };
  return {
    name: `@openai/agents ${major.version('@openai/agents')}`,
    async run(turn, options) {
      const { graceMs, onInterject, idleMs, onPart, aside } = options;
      const agent = underTurn(turn, agentOf(options), { graceMs, onInterject, aside, model: { graceMs, idleMs } });
      const { signal, token } = turn;
      const result =
        options.stream === true
          ? await readRun(token, sdk.run(agent, 'go', { signal, stream: true }), onPart)
          : await readRun(token, sdk.run(agent, 'go', { signal }));
      return String(result.finalOutput);
    },
    async runBare(signal, options) {
      return await sdk.run(agentOf(options), 'go', { signal });
    },
  };
}
