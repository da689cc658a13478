/** S45: what a stopped loop of the AI SDK and of OpenAI Agents had done is in the next request, once. */
import type { AgentInputItem } from '@openai/agents';
import type { LanguageModel, ModelMessage } from 'ai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as aiDoor from '../../src/adapters/ai-sdk/index.ts';
import * as agentsDoor from '../../src/adapters/openai-agents/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage } from './stage.ts';
import { callsOf, rowsOf } from './support/frameworks/loop-stage.ts';
import { chatOfAgents, chatOfAISDK } from './support/settle-history.ts';

const aiRigs = await Promise.all(
  majors.map(async (major) => ({
    name: `ai ${major.version('ai')}`,
    ai: await major.load<typeof import('ai')>('ai'),
    openai: await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
  })),
);
const newest = majors[0] as (typeof majors)[number];
const anthropic = await newest.load<typeof import('@ai-sdk/anthropic')>('@ai-sdk/anthropic');
const google = await newest.load<{
  createGoogleGenerativeAI(settings: object): (model: string) => LanguageModel;
}>('@ai-sdk/google-v5');
const compatible = await newest.load<typeof import('@ai-sdk/openai-compatible')>('@ai-sdk/openai-compatible');

const script = () => [
  { ...(callsOf('pay') as object), text: 'Paying.' },
  { ...(callsOf('deploy') as object), text: 'Now deploy.' },
  'Went on.',
];

const providers = aiRigs.flatMap(({ name, ai, openai }, at) => [
  {
    name: `${name}, openai`,
    ai,
    modelOf: (baseURL: string): LanguageModel => openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted'),
  },
  ...(at > 0
    ? []
    : [
        {
          name: `${name}, anthropic`,
          ai,
          modelOf: (baseURL: string): LanguageModel =>
            anthropic.createAnthropic({ baseURL, apiKey: 'none' })('scripted'),
        },
        {
          name: `${name}, google`,
          ai,
          modelOf: (baseURL: string): LanguageModel =>
            google.createGoogleGenerativeAI({ baseURL: `${baseURL}beta`, apiKey: 'none' })('gemini-3-pro'),
        },
        {
          name: `${name}, openai-compatible`,
          ai,
          modelOf: (baseURL: string): LanguageModel =>
            compatible.createOpenAICompatible({ name: 'own', baseURL, apiKey: 'none' }).chatModel('scripted'),
        },
      ]),
]);

describe.each(providers)('$name', ({ ai, modelOf }) => {
  it.each(['generateText', 'streamText'] as const)('S45 %s: the next request never pays twice', async (how) => {
    const { agent, server, baseURL } = await frameworkStage(script(), { graceMs: 0 });
    const deaf = deafWork();
    let paid = 0;
    const tool = (execute: () => Promise<string>) =>
      ai.tool({ description: 'works', inputSchema: z.object({}), execute });
    const chat = chatOfAISDK<ModelMessage>();
    const running = chat.runTurn(agent, 'pay and deploy', async (turn) => {
      const settings = aiDoor.underTurn(turn, {
        model: modelOf(baseURL),
        messages: chat.messages,
        stopWhen: ai.stepCountIs(5),
        onError: () => undefined,
        tools: { pay: tool(() => Promise.resolve(`paid ${String(++paid)}`)), deploy: tool(deaf.run) },
      });
      if (how === 'generateText') return (await ai.generateText(settings)).text;
      return await aiDoor.readResult(turn.token, ai.streamText(settings));
    });
    await deaf.started;
    agent.cancel('user');
    const report = await running;
    expect([report.status, ...rowsOf(report)]).toEqual(['cancelled', 'pay: completed', 'deploy: unknown']);
    chat.push('again');
    const next = await ai.generateText({ model: modelOf(baseURL), messages: chat.messages });
    expect(next.text).toBe('Went on.');
    const sent = JSON.stringify(server.requests[2]?.body);
    const times = ['Paying.', 'paid 1', 'Now deploy.'].map((text) => sent.split(text).length - 1);
    expect([...times, sent.includes('may still')]).toEqual([1, 1, 1, true]);
    deaf.end.resolve('');
  });
});

const old = [
  { role: 'user' as const, content: 'an old question' },
  { role: 'assistant' as const, content: 'an old answer' },
];

describe.each(providers.filter(({ name }) => name.endsWith('openai')))('$name, a conversation', ({ ai, modelOf }) => {
  it.each(['generateText', 'streamText'] as const)('stays what it was if %s is stopped before it asks', async (how) => {
    const { agent, server, baseURL } = await frameworkStage(['never asked']);
    const chat = chatOfAISDK<ModelMessage>(old);
    const running = chat.runTurn(agent, 'go', async (turn) => {
      const { messages } = chat;
      const settings = aiDoor.underTurn(turn, { model: modelOf(baseURL), messages, onError: () => undefined });
      if (how === 'generateText') return (await ai.generateText(settings)).text;
      return await aiDoor.readResult(turn.token, ai.streamText(settings));
    });
    agent.cancel('user');
    const report = await running;
    const given = [...old, { role: 'user', content: 'go' }];
    expect([report.status, chat.messages, server.requests]).toEqual(['cancelled', given, []]);
  });

  it('is not replaced by that of a tool which is an agent itself', async () => {
    const script = [callsOf('research'), { text: 'found a lot', chunkMs: 30 }];
    const { agent, server, baseURL } = await frameworkStage(script, { graceMs: 0 });
    const chat = chatOfAISDK<ModelMessage>(old);
    const running = chat.runTurn(agent, 'look into it', async (turn) => {
      const { messages } = chat;
      const model = modelOf(baseURL);
      const research = ai.tool({
        description: 'works',
        inputSchema: z.object({}),
        execute: async () => (await ai.generateText(aiDoor.underTurn(turn, { model, prompt: 'sub-prompt' }))).text,
      });
      const settings = { model, messages, tools: { research }, stopWhen: ai.stepCountIs(4), onError: () => undefined };
      return await aiDoor.readResult(turn.token, ai.streamText(aiDoor.underTurn(turn, settings)));
    });
    await server.waitFor(({ requests }) => requests.length === 2);
    agent.cancel('user');
    await running;
    expect(chat.messages.slice(0, 3)).toEqual([...old, { role: 'user', content: 'look into it' }]);
    expect(chat.messages.slice(3)).toMatchObject([
      { role: 'assistant', content: [{ toolName: 'research' }] },
      { role: 'tool', content: [{ toolName: 'research' }] },
    ]);
    expect(JSON.stringify(chat.messages)).not.toMatch(/sub-prompt|found/);
  });

  it.each(['generateText', 'streamText'] as const)('has nothing of what is asked beside it: %s', async (how) => {
    const bothAsked = deferred();
    let requests = 0;
    const { agent, baseURL } = await frameworkStage(async ({ body }) => {
      if (++requests === 2) bothAsked.resolve();
      await bothAsked.promise;
      return `the answer about ${JSON.stringify(body).includes('cats') ? 'cats' : 'dogs'}`;
    });
    const chat = chatOfAISDK<ModelMessage>();
    const report = await chat.runTurn(agent, 'cats', async (turn) => {
      const model = modelOf(baseURL);
      const ask = async (messages: ModelMessage[], aside: boolean): Promise<string> => {
        const settings = aiDoor.underTurn(turn, { model, messages }, { aside });
        if (how === 'generateText') return (await ai.generateText(settings)).text;
        return await aiDoor.readResult(turn.token, ai.streamText(settings));
      };
      return await Promise.all([ask(chat.messages, false), ask([{ role: 'user', content: 'dogs' }], true)]);
    });
    expect(report.unwrap()).toEqual(['the answer about cats', 'the answer about dogs']);
    expect(chat.messages).toEqual([
      { role: 'user', content: 'cats' },
      { role: 'assistant', content: [{ type: 'text', text: 'the answer about cats' }] },
    ]);
  });

  it('is asked one thing at a time', async () => {
    const { agent, baseURL } = await frameworkStage(['one', 'two']);
    const chat = chatOfAISDK<ModelMessage>();
    const report = await chat.runTurn(agent, 'go', async (turn) => {
      const ask = () => ai.generateText(aiDoor.underTurn(turn, { model: modelOf(baseURL), messages: chat.messages }));
      const [first, second] = await Promise.allSettled([ask(), ask()]);
      return [first.status, second.status === 'rejected' && String(second.reason)];
    });
    expect(report.unwrap()).toEqual(['fulfilled', expect.stringContaining('fork() gives one')]);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });
});

const agentsRigs = await Promise.all(
  majors.map(async (major) => ({
    name: `@openai/agents ${major.version('@openai/agents')}`,
    sdk: await major.load<typeof import('@openai/agents')>('@openai/agents'),
  })),
);

describe.each(agentsRigs)('$name', ({ sdk }) => {
  sdk.setTracingDisabled(true);
  it.each([
    ['chat completions', false],
    ['chat completions', true],
    ['responses', false],
    ['responses', true],
  ] as const)('S45 run, %s, streamed: %s, the next request never pays twice', async (api, stream) => {
    const { agent, server, baseURL } = await frameworkStage(script(), { graceMs: 0 });
    const deaf = deafWork();
    const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
    const model =
      api === 'responses'
        ? new sdk.OpenAIResponsesModel(client, 'scripted')
        : new sdk.OpenAIChatCompletionsModel(client, 'scripted');
    const tool = (name: string, execute: () => Promise<string>) =>
      sdk.tool({ name, description: 'works', parameters: z.object({}), execute });
    const own = new sdk.Agent({
      name: 'worker',
      model,
      tools: [tool('pay', () => Promise.resolve('paid 1')), tool('deploy', deaf.run)],
    });
    const chat = chatOfAgents<AgentInputItem>();
    const running = chat.runTurn(agent, 'pay and deploy', async (turn) => {
      const guarded = agentsDoor.underTurn(turn, own);
      const { signal, token } = turn;
      return stream
        ? await agentsDoor.readRun(token, sdk.run(guarded, chat.messages, { signal, stream: true }))
        : await agentsDoor.readRun(token, sdk.run(guarded, chat.messages, { signal }));
    });
    await deaf.started;
    agent.cancel('user');
    const report = await running;
    expect([report.status, ...rowsOf(report)]).toEqual(['cancelled', 'pay: completed', 'deploy: unknown']);
    const settled = chat.messages;
    expect(settled.map((item) => sdk.protocol.ModelItem.safeParse(item).error)).toEqual(settled.map(() => undefined));
    const input = [...settled, { role: 'user' as const, content: 'again' }];
    const next = await sdk.run(new sdk.Agent({ name: 'worker', model }), input);
    expect(next.finalOutput).toBe('Went on.');
    const { messages, input: sentItems } = server.requests[2]?.body ?? {};
    const sent = JSON.stringify(messages ?? sentItems);
    const times = ['Paying.', 'paid 1', 'Now deploy.'].map((text) => sent.split(text).length - 1);
    expect([...times, sent.includes('may still')]).toEqual([1, 1, 1, true]);
    deaf.end.resolve('');
  });

  it('a conversation is not replaced by that of an agent which is a tool, and stays if the run is stopped at once', async () => {
    const call = { toolCalls: [{ name: 'research', input: { input: 'sub-prompt' } }] };
    const { agent, server, baseURL } = await frameworkStage([call, { text: 'found a lot', chunkMs: 30 }], {
      graceMs: 0,
    });
    const model = new sdk.OpenAIResponsesModel(new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 }), 'scripted');
    const inner = new sdk.Agent({ name: 'inner', model });
    const chat = chatOfAgents<AgentInputItem>([{ role: 'user', content: 'an old question' }]);
    const play = () =>
      chat.runTurn(agent, 'look into it', async (turn) => {
        const research = agentsDoor.underTurn(turn, inner).asTool({ toolName: 'research', toolDescription: 'works' });
        const outer = new sdk.Agent({ name: 'outer', model, tools: [research] });
        const { signal, token } = turn;
        return await agentsDoor.readRun(token, sdk.run(agentsDoor.underTurn(turn, outer), chat.messages, { signal }));
      });
    const stopped = play();
    agent.cancel('user');
    chat.drop(await stopped);
    expect([chat.messages, server.requests]).toMatchObject([[{ content: 'an old question' }], []]);
    const running = play();
    await server.waitFor(({ requests }) => requests.length === 2);
    agent.cancel('user');
    await running;
    expect(chat.messages).toMatchObject([
      { content: 'an old question' },
      { role: 'user' },
      { type: 'function_call', name: 'research' },
      { type: 'function_call_result', name: 'research' },
    ]);
    expect(JSON.stringify(chat.messages)).not.toContain('found');
  });
});
