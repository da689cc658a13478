/** S45 for Mastra, which hands back nothing of a run that was stopped: by the recipe of its guide. */
import { expect, describe, it } from 'vitest';
import { z } from 'zod';
import type { ModelMessage } from 'ai';
import { InterjectedError, underTurn } from '../../src/adapters/ai-sdk/index.ts';
import type { AIModel } from '../../src/adapters/ai-sdk/under-turn.ts';
import { guardTools } from '../../src/guard/index.ts';
import { delay, type Turn } from '../../src/index.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage, sentTexts } from './stage.ts';
import { callsOf, rowsOf } from './support/frameworks/loop-stage.ts';
import { frameworks } from './support/frameworks/index.ts';
import { quiet } from './support/frameworks/mastra.ts';
import { chatOfAISDK } from './support/settle-history.ts';
import { itBare } from '../support/bare.ts';

const [newest] = majors;
const ai = await newest!.load<typeof import('ai')>('ai');
const openai = await newest!.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai');

describe.each(frameworks.filter(({ name }) => name.startsWith('@mastra')))('$name', (framework) => {
  it.each([false, true])('S45 a payment of a stopped run is in the next request, once; streamed %s', async (stream) => {
    const script = [callsOf('pay'), callsOf('deploy'), 'Went on.'];
    const { agent, server, baseURL } = await frameworkStage(script, { graceMs: 0 });
    const deaf = deafWork();
    const chat = chatOfAISDK<ModelMessage>();
    const tools = { pay: () => 'paid 1', deploy: deaf.run };
    const running = chat.runTurn(agent, 'go', (turn) => framework.run(turn as Turn, { baseURL, stream, tools }));
    await deaf.started;
    agent.cancel('user');
    const report = await running;
    expect([report.status, ...rowsOf(report)]).toEqual(['cancelled', 'pay: completed', 'deploy: unknown']);
    chat.push('again');
    const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');
    expect((await ai.generateText({ model, messages: chat.messages })).text).toBe('Went on.');
    expect(JSON.stringify(server.requests.at(-1)?.body['messages']).split('paid 1')).toHaveLength(2);
    deaf.end.resolve('');
  });
});

const rigs = await Promise.all(
  majors.map(async (major) => ({
    name: `@mastra/core ${major.version('@mastra/core')}`,
    agents: await major.load<typeof import('@mastra/core/agent')>('@mastra/core/agent'),
    tools: await major.load<typeof import('@mastra/core/tools')>('@mastra/core/tools'),
    provider: await major.load<{ createOpenAI(settings: object): { chat(model: string): AIModel } }>(
      '@ai-sdk/openai-v5',
    ),
  })),
);

describe.each(rigs)('$name', ({ agents, tools, provider }) => {
  const workerOf = (model: AIModel, own: object = {}) => {
    const settings = { id: 'worker', name: 'worker', instructions: 'work', model: model as never, tools: own as never };
    const worker = new agents.Agent(settings);
    worker.__setLogger(quiet as never);
    return worker;
  };
  const modelOf = (baseURL: string) => provider.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');

  itBare('bare, a stopped generate resolves without a text, and a stopped stream ends', async () => {
    const { server, baseURL } = await frameworkStage([
      { text: 'one two', silentAfter: 1 },
      { text: 'one two', silentAfter: 1 },
    ]);
    const stop = new AbortController();
    const worker = workerOf(modelOf(baseURL));
    const whole = worker.generate('go', { abortSignal: stop.signal });
    const { fullStream } = await worker.stream('go', { abortSignal: stop.signal });
    const types: string[] = [];
    const read = (async () => {
      for await (const { type } of fullStream) types.push(type);
    })();
    await server.waitFor(({ requests }) => requests.length === 2 && requests.some((each) => each.deltasWritten === 1));
    await delay(undefined, 50);
    stop.abort();
    expect((await whole).text).toBe('');
    await read;
    expect(types).toContain('abort');
  });

  it('a tool that suspends the run has neither completed nor failed', async () => {
    interface Context {
      readonly suspend?: (payload: object) => Promise<unknown>;
      readonly agent?: Context;
    }
    const { agent, server, baseURL } = await frameworkStage([callsOf('pay'), 'too many']);
    const report = await agent.runTurn(async (turn) => {
      const pay = tools.createTool({
        ...{ id: 'pay', description: 'pays', inputSchema: z.object({}) },
        // Version 0 has one argument for all, version 1 a part of the second for what is about the agent.
        execute: async (first: unknown, second?: Context) =>
          await (second?.agent ?? (first as Context)).suspend?.({ sum: 7 }),
      } as never);
      const { model } = underTurn(turn, { model: modelOf(baseURL) });
      const worker = workerOf(model, guardTools({ pay }, { turn }));
      const { fullStream } = await worker.stream('go', { abortSignal: turn.signal, maxSteps: 3 });
      for await (const part of fullStream) expect(part.type).not.toBe('error');
    });
    expect([report.status, ...rowsOf(report), server.requests.length]).toEqual(['completed', 'pay: stopped', 1]);
  });

  it('an object that a message cuts fails as interjected, and the next call tells and answers', async () => {
    const answer = (city: string) => ({ text: JSON.stringify({ city }), chunks: 4 });
    const { agent, server, baseURL } = await frameworkStage([{ ...answer('Berne'), silentAfter: 2 }, answer('Rome')]);
    const running = agent.runTurn(async (turn) => {
      for (;;) {
        const { model } = underTurn(turn, { model: modelOf(baseURL) });
        const structuredOutput = { schema: z.object({ city: z.string() }) };
        const result = await workerOf(model).stream('go', { abortSignal: turn.signal, structuredOutput });
        let error: unknown;
        for await (const part of result.fullStream) {
          turn.checkpoint();
          if (part.type === 'error') ({ error } = part.payload);
        }
        if (error === undefined) return await result.object;
        if (!(error instanceof InterjectedError)) throw error;
      }
    });
    await server.waitFor(({ requests }) => requests[0]?.deltasWritten === 2);
    await delay(undefined, 50);
    agent.interject('use pnpm', { delivery: 'now' });
    const report = await running;
    expect(report.unwrap()).toEqual({ city: 'Rome' });
    expect(report.undelivered).toEqual([]);
    expect(sentTexts(server, 2).filter((text) => text.includes('pnpm'))).toHaveLength(1);
  });
});
