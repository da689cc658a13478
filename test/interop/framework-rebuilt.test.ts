/**
 * S44: LangChain's real chat models under a turn, in every way in which somebody else makes a new model of them.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { turnModel, type TurnModelOptions } from '../../src/adapters/langchain/index.ts';
import type { Turn } from '../../src/index.ts';
import { majors, type Major } from './majors.ts';
import { frameworkStage, sentTexts } from './stage.ts';
import { chatModelNames, chatModels, type ChatModel } from './support/frameworks/langchain-models.ts';
import { limitMs } from '../support/limit.ts';

type Way = (model: ChatModel, signal: AbortSignal) => Promise<unknown>;

interface Ways {
  /** The provider answers whole: nothing has come when it is cut. */
  readonly whole: Readonly<Record<string, Way>>;
  readonly streamed: Readonly<Record<string, Way>>;
}

interface Graph {
  invoke(input: object, config: object): Promise<unknown>;
  stream(input: object, config: object): Promise<AsyncIterable<unknown>>;
  streamEvents(input: object, config: object): AsyncIterable<unknown>;
}

async function drain(stream: AsyncIterable<unknown> | PromiseLike<AsyncIterable<unknown>>): Promise<void> {
  // The stream of the newest protocol is a promise too, of the whole message.
  for await (const _part of Symbol.asyncIterator in stream ? stream : await stream);
}

async function waysOf(major: Major): Promise<Ways> {
  const { tool } = await major.load<typeof import('@langchain/core/tools')>('@langchain/core/tools');
  const runnables = await major.load<typeof import('@langchain/core/runnables')>('@langchain/core/runnables');
  const { createReactAgent } = await major.load<typeof import('@langchain/langgraph/prebuilt')>(
    '@langchain/langgraph/prebuilt',
  );
  const newest = major.name === 'newest' ? await major.load<typeof import('langchain')>('langchain') : undefined;
  const noted = tool(() => Promise.resolve('ok'), { name: 'note', description: 'notes', schema: z.object({}) });
  const input = { messages: [{ role: 'user', content: 'go' }] };
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one agent that both majors have
  const react = (llm: ChatModel) => createReactAgent({ llm, tools: [noted] }) as unknown as Graph;
  const agent = (model: ChatModel) => newest?.createAgent({ model, tools: [noted] }) as unknown as Graph;
  const messages = (graph: Graph, signal: AbortSignal) =>
    drain(graph.stream(input, { signal, streamMode: 'messages' }));
  const asked = runnables.RunnableLambda.from((text: string) => text);
  const events = (of: Pick<Graph, 'streamEvents'>, given: unknown, signal: AbortSignal) =>
    drain(of.streamEvents(given as object, { version: 'v2', signal }));
  return {
    whole: {
      invoke: (model, signal) => model.invoke('go', { signal }),
      'bindTools().invoke': (model, signal) => model.bindTools([noted]).invoke('go', { signal }),
      'withConfig().invoke': (model, signal) => model.withConfig({ tags: ['x'] }).invoke('go', { signal }),
      'bindTools().withConfig().invoke': (model, signal) =>
        model
          .bindTools([noted])
          .withConfig({ tags: ['x'] })
          .invoke('go', { signal }),
      'withRetry().invoke': (model, signal) => model.withRetry({ stopAfterAttempt: 1 }).invoke('go', { signal }),
      'withStructuredOutput().invoke': (model, signal) =>
        model.withStructuredOutput(z.object({ a: z.string() }), { name: 'out' }).invoke('go', { signal }),
      'withStructuredOutput({ method: jsonSchema }).invoke': (model, signal) =>
        model
          .withStructuredOutput(z.object({ a: z.string() }), { name: 'out', method: 'jsonSchema' })
          .invoke('go', { signal }),
      'a chain': (model, signal) => asked.pipe(model.bindTools([noted])).invoke('go', { signal }),
      generate: (model, signal) => model.generate([['go']], { signal }),
      batch: (model, signal) => model.bindTools([noted]).batch(['go'], { signal }),
      createReactAgent: (model, signal) => react(model).invoke(input, { signal }),
      ...(newest === undefined ? {} : { createAgent: (model, signal) => agent(model).invoke(input, { signal }) }),
    },
    streamed: {
      stream: (model, signal) => drain(model.stream('go', { signal })),
      'bindTools().stream': (model, signal) => drain(model.bindTools([noted]).stream('go', { signal })),
      'withConfig().stream': (model, signal) => drain(model.withConfig({ tags: ['x'] }).stream('go', { signal })),
      'a streamed chain': (model, signal) => drain(asked.pipe(model.bindTools([noted])).stream('go', { signal })),
      'streamEvents v2': (model, signal) => events(model as never, 'go', signal),
      ...(newest === undefined
        ? {}
        : // eslint-disable-next-line @typescript-eslint/no-deprecated -- only with a `version`, says its deprecation
          { streamEvents: (model, signal) => drain(model.streamEvents('go', { signal } as never) as never) }),
      'createReactAgent, messages': (model, signal) => messages(react(model), signal),
      'createReactAgent, streamEvents': (model, signal) => events(react(model), input, signal),
      ...(newest === undefined ? {} : { 'createAgent, messages': (model, signal) => messages(agent(model), signal) }),
    },
  };
}

const rigs = await Promise.all(
  majors.flatMap((major) =>
    chatModelNames.map(async (modelName) => ({
      name: `${modelName}, langgraph ${major.version('@langchain/langgraph')}`,
      make: (await chatModels(major))[modelName],
      ways: await waysOf(major),
      // It looks at its signal between two events, and never hands it to its client.
      isDeafInSilence: major.name === 'previous' && modelName === 'ChatAnthropic',
    })),
  ),
);

describe.each(rigs)('S44 $name', ({ make, ways, isDeafInSilence }) => {
  const all = [...Object.entries(ways.whole), ...Object.entries(ways.streamed)];
  const streamed = Object.entries(ways.streamed);
  const run =
    (baseURL: string, way: Way, options?: TurnModelOptions) =>
    (turn: Turn): Promise<unknown> =>
      way(turnModel(turn, make({ baseURL }), options), turn.signal);

  it.each(all)('S44 %s: a stop finds one model call, and no other request follows', async (name, way) => {
    const { agent, server, baseURL } = await frameworkStage([{ text: 'one two three', silentAfter: 2 }], {
      graceMs: 200,
    });
    const running = agent.runTurn(run(baseURL, way));
    const isStreamed = name in ways.streamed;
    await server.waitFor(({ requests }) => (isStreamed ? requests[0]?.deltasWritten === 2 : requests.length === 1));
    // The last words are on their way.
    if (isStreamed) await new Promise((resolve) => setTimeout(resolve, 30));
    agent.cancel('user');
    const report = await running;
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
    const rows = report.stop?.operations.filter(({ kind }) => kind === 'model') ?? [];
    expect(rows.map(({ outcome }) => outcome)).toEqual([isDeafInSilence && isStreamed ? 'abandoned' : 'cancelled']);
    expect(report.partials.map(({ value }) => (value as { text: string }).text)).toEqual(isStreamed ? ['one two'] : []);
    expect(server.requests).toHaveLength(1);
    if (!isDeafInSilence) await server.waitFor(({ requests }) => requests[0]?.closedEarly);
  });

  it.each(streamed)('S44 %s: silence is an idle limit, retryable, with its words', async (_name, way) => {
    const { agent, server, baseURL } = await frameworkStage([{ text: 'one two three', silentAfter: 2 }], {
      graceMs: 50,
    });
    const report = await agent.runTurn(run(baseURL, way, { idleMs: limitMs(250), graceMs: 50 }));
    expect(report).toMatchObject({ status: 'failed', error: { name: 'TimeoutError', reason: { kind: 'idle' } } });
    expect(report.partials).toMatchObject([{ value: { text: 'one two' } }]);
    expect(server.requests).toHaveLength(1);
  });

  it.each(streamed)('S44 %s: a message cuts it and is told in the same call', async (_name, way) => {
    const script = [{ text: 'one two three', chunkMs: 20 }, 'All done.', 'too many'];
    const { agent, server, baseURL } = await frameworkStage(script, { graceMs: 200 });
    const running = agent.runTurn(run(baseURL, way));
    await server.waitFor(({ requests }) => requests[0]?.deltasWritten === 1);
    agent.interject('use pnpm', { delivery: 'now' });
    const report = await running;
    expect(report).toMatchObject({ status: 'completed', undelivered: [] });
    expect(server.requests).toHaveLength(2);
    expect(sentTexts(server, 2).at(-1)).toBe('user: [PRIORITY USER MESSAGE]: use pnpm');
  });

  it.each(all.filter(([name]) => name.includes('create')))(
    'S44 %s: a budget of one call is one request',
    async (_name, way) => {
      const script = [{ toolCalls: [{ name: 'note', input: {} }] }, 'All done.', 'too many'];
      const { agent, server, baseURL } = await frameworkStage(script);
      const report = await agent.runTurn(run(baseURL, way), { budget: { modelCalls: 1 } });
      expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'budget' } });
      expect(server.requests).toHaveLength(1);
    },
  );
});
