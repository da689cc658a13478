/** A model that is put under its turn more than once: each call of it is still one, of the turn and of its conversation. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as aiDoor from '../../src/adapters/ai-sdk/index.ts';
import { guardRunnable, turnModel } from '../../src/adapters/langchain/index.ts';
import * as agentsDoor from '../../src/adapters/openai-agents/index.ts';
import OpenAI from 'openai';
import type { Turn } from '../../src/index.ts';
import type { Conversation } from '../../src/transcript/index.ts';
import { majors } from './majors.ts';
import { frameworkStage } from './stage.ts';
import { chatModelNames, chatModels, type ChatModel } from './support/frameworks/langchain-models.ts';
import { chatOfAgents, chatOfAISDK, chatOfLangChain } from './support/settle-history.ts';

type AnyTurn = Omit<Turn, 'model'>;

/** Two calls, of which a turn with a budget of two may make both; and what its conversation has of them. */
async function countsEachOnce(
  chat: Conversation<object>,
  call: (turn: AnyTurn, baseURL: string) => PromiseLike<unknown>,
): Promise<void> {
  const { agent, server, baseURL } = await frameworkStage(['One two.', 'Three four.', 'too many']);
  const body = async (turn: AnyTurn): Promise<void> => {
    await call(turn, baseURL);
    await call(turn, baseURL);
  };
  const report = await chat.runTurn(agent, 'go', body, { budget: { modelCalls: 2 } });
  expect(report).toMatchObject({ status: 'completed' });
  expect(server.requests).toHaveLength(2);
  // What was said, and each answer.
  expect(chat.messages).toHaveLength(3);
}

const langchains = await Promise.all(
  majors.map(async (major) => ({
    name: `@langchain/core ${major.version('@langchain/core')}`,
    models: await chatModels(major),
    tools: await major.load<typeof import('@langchain/core/tools')>('@langchain/core/tools'),
    newest: major.name === 'newest' ? await major.load<typeof import('langchain')>('langchain') : undefined,
  })),
);

describe.each(langchains)('$name', ({ models, tools, newest }) => {
  const read = tools.tool(() => 'r', { name: 'read', description: 'reads', schema: z.object({}) });
  const wraps: Record<string, (turn: AnyTurn, model: ChatModel) => ChatModel> = {
    'turnModel twice': (turn, model) => turnModel(turn, turnModel(turn, model)),
    'turnModel of a binding': (turn, model) => turnModel(turn, turnModel(turn, model).bindTools([read]) as ChatModel),
    'guardRunnable around turnModel': (turn, model) => guardRunnable(turnModel(turn, model), { turn }),
    'turnModel around guardRunnable': (turn, model) => turnModel(turn, guardRunnable(model, { turn })),
    'all of them': (turn, model) => turnModel(turn, guardRunnable(turnModel(turn, model), { turn })),
  };
  const ways: Record<string, (model: ChatModel, turn: AnyTurn) => PromiseLike<unknown>> = {
    invoke: (model) => model.invoke('go'),
    bindTools: (model) => ('bindTools' in model ? model.bindTools([read]) : model).invoke('go'),
    withConfig: (model) => (model.withConfig({ tags: ['a'] }) as ChatModel).invoke('go'),
    'a stream': async (model) => {
      for await (const chunk of await model.bindTools([read]).stream('go')) void chunk;
    },
    ...(newest && {
      createAgent: (model: ChatModel) => newest.createAgent({ model, tools: [read] }).invoke({ messages: 'go' }),
    }),
  };
  const cases = Object.keys(wraps).flatMap((wrap) =>
    Object.keys(ways).flatMap((way) => chatModelNames.map((name) => [wrap, way, name] as const)),
  );
  // A binding cannot be bound again.
  const real = cases.filter(([wrap, way, name]) => !(wrap === 'turnModel of a binding' && (way !== 'invoke' || name === 'ChatOpenAI'))); // prettier-ignore

  it.each(real)('%s: a call by %s of %s is one', async (wrap, way, name) => {
    await countsEachOnce(chatOfLangChain(), async (turn, baseURL) => {
      const model = wraps[wrap]?.(turn, models[name]({ baseURL })) as ChatModel;
      await ways[way]?.(model, turn);
    });
  });
});

const aiSDKs = await Promise.all(
  majors.map(async (major) => ({
    name: `ai ${major.version('ai')}`,
    ai: await major.load<typeof import('ai')>('ai'),
    openai: await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
  })),
);

describe.each(aiSDKs)('$name', ({ ai, openai }) => {
  const settingsOf = (baseURL: string) => ({
    model: openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('m'),
    tools: { read: ai.tool({ description: 'reads', inputSchema: z.object({}), execute: () => 'r' }) },
    prompt: 'go',
    maxRetries: 0,
  });
  type Settings = ReturnType<typeof settingsOf>;
  const { underTurn } = aiDoor;
  const wrapped = (turn: AnyTurn, settings: Settings): Settings => ({
    ...settings,
    model: underTurn(turn, { model: settings.model }).model,
  });
  it.each<[string, (turn: AnyTurn, settings: Settings) => Settings]>([
    ['underTurn twice', (turn, settings) => underTurn(turn, underTurn(turn, settings))],
    ['underTurn around its model', (turn, settings) => underTurn(turn, wrapped(turn, settings))],
    ['its model twice', (turn, settings) => wrapped(turn, wrapped(turn, settings))],
  ])('%s: a call is one, whole or streamed', async (_name, under) => {
    await countsEachOnce(chatOfAISDK(), (turn, baseURL) => ai.generateText(under(turn, settingsOf(baseURL))));
    await countsEachOnce(chatOfAISDK(), (turn, baseURL) =>
      aiDoor.readResult(turn.token, ai.streamText(under(turn, settingsOf(baseURL)))),
    );
  });
});

const agentSDKs = await Promise.all(
  majors.map(async (major) => ({
    name: `@openai/agents ${major.version('@openai/agents')}`,
    sdk: await major.load<typeof import('@openai/agents')>('@openai/agents'),
  })),
);

describe.each(agentSDKs)('$name', ({ sdk }) => {
  sdk.setTracingDisabled(true);
  const modelOf = (baseURL: string) =>
    new sdk.OpenAIChatCompletionsModel(new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 }), 'm');
  const agentOf = (model: ReturnType<typeof modelOf>) => new sdk.Agent({ name: 'main', model });
  type MadeAgent = ReturnType<typeof agentOf>;
  const { underTurn, turnModel: own } = agentsDoor;
  it.each<[string, (turn: AnyTurn, model: ReturnType<typeof modelOf>) => MadeAgent]>([
    ['underTurn twice', (turn, model) => underTurn(turn, underTurn(turn, agentOf(model)))],
    ['turnModel twice', (turn, model) => agentOf(own(turn, own(turn, model)))],
    ['underTurn around turnModel', (turn, model) => underTurn(turn, agentOf(own(turn, model)))],
  ])('%s: a call is one, whole or streamed', async (_name, under) => {
    for (const stream of [false, true]) {
      await countsEachOnce(chatOfAgents(), (turn, baseURL) =>
        agentsDoor.readRun(
          turn.token,
          sdk.run(under(turn, modelOf(baseURL)), 'go', { stream: stream as false, signal: turn.signal }),
        ),
      );
    }
  });
});
