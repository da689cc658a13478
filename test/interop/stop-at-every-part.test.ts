/**
 * A stop at every part of a model that thinks, under OpenAI Agents and LangChain: what is settled is taken by the next request,
 * with what was thought where the provider wants it, and nothing in it twice.
 */
import type { AgentInputItem } from '@openai/agents';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { turnModel } from '../../src/adapters/langchain/index.ts';
import { readRun, underTurn } from '../../src/adapters/openai-agents/index.ts';
import type { ModelServer } from '../../src/testing/model-server/index.ts';
import { repair } from '../../src/transcript/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { STEP } from '../support/long.ts';
import { majors } from './majors.ts';
import { frameworkStage } from './stage.ts';
import { chatOfAgents, chatOfLangChain } from './support/settle-history.ts';

const look = (path: string) => ({ toolCall: { name: 'look', input: { path } } });
const script = [
  {
    parts: [{ thinking: 'First this' }, { text: 'Looking now.' }, look('a'), { thinking: 'Then that' }, look('b')],
    chunkMs: 1,
  },
  { thinking: 'Third', text: 'All done.', chunkMs: 1 },
  ...Array.from({ length: 4 }, () => 'Next answer.'),
];
const said = ['First this', 'Looking now', 'Then that', 'Third', 'All done'];

/** What every cut has to leave: all requests taken, and nothing told twice. */
function judge(where: string, { requests }: ModelServer, again: readonly unknown[]): void {
  expect(
    requests.map(({ status }) => status),
    where,
  ).toEqual(requests.map(() => 200));
  const text = JSON.stringify(requests.at(-1)?.body);
  for (const words of said) expect(text.split(words).length, `${where}: ${words}`).toBeLessThanOrEqual(2);
  expect(again, where).toEqual([]);
}

const [newest] = majors;
const agents = await Promise.all(
  majors.map(async (major) => ({
    name: `@openai/agents ${major.version('@openai/agents')}`,
    sdk: await major.load<typeof import('@openai/agents')>('@openai/agents'),
  })),
);

describe.each(agents.flatMap((one) => [true, false].map((store) => ({ ...one, store }))))(
  '$name, stored: $store',
  ({ sdk, store }) => {
    sdk.setTracingDisabled(true);

    it('S41 stopped at any event, the items of the run are taken again', { timeout: 60_000 }, async () => {
      let parts = 1;
      for (let at = 0; at < parts; at += STEP) {
        const { agent, server, baseURL } = await frameworkStage(script);
        const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
        const worker = new sdk.Agent({
          name: 'worker',
          model: new sdk.OpenAIResponsesModel(client, 'gpt-5'),
          modelSettings: { store, providerData: { include: ['reasoning.encrypted_content'] } },
          tools: [
            sdk.tool({
              name: 'look',
              description: 'looks',
              parameters: z.object({ path: z.string() }),
              execute: ({ path }) => `seen ${path}`,
            }),
          ],
        });
        const chat = chatOfAgents<AgentInputItem>();
        const illegal: unknown[] = [];
        chat.onChange((now) => illegal.push(...openaiAgents.check(now)));
        let count = 0;
        const isCut = { is: false };
        const report = await chat.runTurn(agent, 'go', async (turn) => {
          const running = sdk.run(underTurn(turn, worker), chat.messages, { signal: turn.signal, stream: true });
          await readRun(turn.token, running, () => {
            if (count++ !== at) return;
            isCut.is = true;
            agent.cancel('user');
          });
        });
        if (isCut.is) parts = Math.max(parts, at + STEP + 1);
        expect(report.status).toBe(isCut.is ? 'cancelled' : 'completed');
        await sdk.run(worker, [...chat.messages, { role: 'user', content: 'next' }]);
        expect(illegal, `at ${String(at)}`).toEqual([]);
        judge(`${String(at)} of ${String(count)}`, server, repair(chat.messages, { dialect: openaiAgents }).changes);
      }
      expect(parts).toBeGreaterThan(20);
    });
  },
);

const { ChatAnthropic } = await (newest as (typeof majors)[number]).load<typeof import('@langchain/anthropic')>(
  '@langchain/anthropic',
);
const { ChatOpenAI } = await (newest as (typeof majors)[number]).load<typeof import('@langchain/openai')>(
  '@langchain/openai',
);
const chatModels = {
  ChatAnthropic: (url: string) =>
    new ChatAnthropic({
      ...{ model: 'claude-sonnet-4-5', apiKey: 'none', maxRetries: 0, anthropicApiUrl: url, maxTokens: 4096 },
      thinking: { type: 'enabled', budget_tokens: 1024 },
    }),
  'ChatAnthropic, v1': (url: string) =>
    new ChatAnthropic({
      ...{ model: 'claude-sonnet-4-5', apiKey: 'none', maxRetries: 0, anthropicApiUrl: url, maxTokens: 4096 },
      thinking: { type: 'enabled', budget_tokens: 1024 },
      outputVersion: 'v1',
    }),
  'ChatOpenAI of Responses': (url: string) =>
    new ChatOpenAI({
      ...{ model: 'gpt-5', apiKey: 'none', maxRetries: 0, useResponsesApi: true, zdrEnabled: true },
      configuration: { baseURL: `${url}/v1` },
      modelKwargs: { include: ['reasoning.encrypted_content'] },
    }),
};
const schema = {
  type: 'function' as const,
  function: {
    name: 'look',
    description: 'looks',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
};

describe.each(Object.entries(chatModels))('%s', (_name, modelAt) => {
  it('S41 stopped at any chunk, the messages are taken again', { timeout: 60_000 }, async () => {
    let parts = 1;
    for (let at = 0; at < parts; at += STEP) {
      const { agent, server } = await frameworkStage(script);
      const model = modelAt(server.url).bindTools([schema] as never[]);
      const chat = chatOfLangChain<object>();
      const illegal: unknown[] = [];
      chat.onChange((now) => illegal.push(...langchain.check(now)));
      let count = 0;
      const isCut = { is: false };
      const report = await chat.runTurn(agent, 'go', async (turn) => {
        const own = turnModel(turn, model as never) as unknown as typeof model;
        for (;;) {
          let whole: import('@langchain/core/messages').AIMessageChunk | undefined;
          for await (const chunk of await own.stream(chat.messages as never, { signal: turn.signal })) {
            whole = whole === undefined ? chunk : whole.concat(chunk);
            if (count++ !== at) continue;
            isCut.is = true;
            agent.cancel('user');
          }
          turn.checkpoint();
          const outcomes = await turn.tools(langchain.calls(whole), () => 'seen');
          if (outcomes.length === 0) return;
        }
      });
      if (isCut.is) parts = Math.max(parts, at + STEP + 1);
      expect([report.status, String('error' in report && report.error)]).toEqual([
        isCut.is ? 'cancelled' : 'completed',
        'false',
      ]);
      await model.invoke([...chat.messages, { role: 'user', content: 'next' }] as never);
      const where = `${String(at)} of ${String(count)}`;
      expect(illegal, where).toEqual([]);
      judge(where, server, repair(chat.messages, { dialect: langchain }).changes);
    }
    expect(parts).toBeGreaterThan(10);
  });
});
