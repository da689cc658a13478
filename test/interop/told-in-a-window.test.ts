/**
 * A message for the working agent in a loop whose steps send the end of the list alone: it stands behind the reply after
 * which it was read, or the provider refuses the turn.
 *
 * @module
 */
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, tool, type ModelMessage } from 'ai';
import { afterEach, expect, it } from 'vitest';

import { turnModel } from '../../src/adapters/langchain/index.ts';
import { underTurn } from '../../src/adapters/ai-sdk/index.ts';
import { InterruptController } from '../../src/index.ts';
import { startModelServer } from '../../src/testing/index.ts';

let close: () => Promise<void> = () => Promise.resolve();
afterEach(() => close());

const windows: readonly [string, (messages: ModelMessage[]) => ModelMessage[]][] = [
  ['the last four messages', (messages) => messages.slice(-4)],
  ['the first message and the last two', (messages) => [...messages.slice(0, 1), ...messages.slice(1).slice(-2)]],
];

it.each(windows)('S39 a message is told where a step of the AI SDK sends %s', async (_name, window) => {
  const call = { toolCalls: [{ name: 'look', input: {} }] };
  const server = await startModelServer({ script: [call, call, call, 'Done.'] });
  close = () => server.close();
  const model = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' }).chat('m');
  const agent = new InterruptController();
  let looks = 0;
  const look = tool({
    inputSchema: jsonSchema({ type: 'object' }),
    execute: () => {
      if (++looks === 1) agent.interject('use pnpm');
      return 'ok';
    },
  });
  const report = await agent.runTurn(async (turn) => {
    const prepareStep = ({ messages }: { messages: ModelMessage[] }) => ({ messages: window(messages) });
    const settings = { model, tools: { look }, prompt: 'Go.', prepareStep, stopWhen: stepCountIs(9), maxRetries: 0 };
    return (await generateText(underTurn(turn, settings))).text;
  });
  expect(report.unwrap()).toBe('Done.');
  const told = server.requests.map(({ body }) => JSON.stringify(body).split('use pnpm').length - 1);
  expect(told).toEqual([0, 1, 1, 1]);
});

it('S39 a message stands behind the reply after which it was read where a hook of LangChain trims', async () => {
  interface Message {
    readonly role: string;
    readonly tool_calls?: readonly { readonly id: string }[];
  }
  const asked: string[] = [];
  const model = {
    invoke: (messages: readonly Message[], _config?: object) => {
      asked.push(messages.map(({ role, tool_calls: calls }) => `${role}${calls?.[0]?.id ?? ''}`).join(' '));
      return Promise.resolve({ role: 'assistant', content: '' });
    },
  };
  const ai = (id: string): object => ({ role: 'assistant', content: '', tool_calls: [{ id, name: 'look', args: {} }] });
  const out = (id: string): object => ({ role: 'tool', tool_call_id: id, content: 'ok' });
  const agent = new InterruptController();
  const state: object[] = [{ role: 'user', content: 'Go.' }];
  await agent.runTurn(async (turn) => {
    const llm = turnModel(turn, model);
    const last = (): Message[] => state.slice(-4) as Message[];
    await llm.invoke(last());
    state.push(ai('a'), out('a'));
    agent.interject('use pnpm');
    await llm.invoke(last());
    state.push(ai('b'), out('b'));
    await llm.invoke(last());
  });
  expect(asked).toEqual(['user', 'user assistanta tool user', 'assistanta tool user assistantb tool']);
});
