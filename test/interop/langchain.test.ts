/** LangChain's runnables and LangGraph's nodes under a turn; the loop of its agent is in `framework-*.test.ts`. */
import { describe, expect, it, vi } from 'vitest';
import { guardNode, guardRunnable, messagesSoFar, turnModel } from '../../src/adapters/langchain/index.ts';
import { delay } from '../../src/index.ts';
import { settleTurn } from '../../src/transcript/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage, msUntil } from './stage.ts';
import { chatModels } from './support/frameworks/langchain-models.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `@langchain/core ${major.version('@langchain/core')}, langgraph ${major.version('@langchain/langgraph')}`,
    runnables: await major.load<typeof import('@langchain/core/runnables')>('@langchain/core/runnables'),
    graph: await major.load<typeof import('@langchain/langgraph')>('@langchain/langgraph'),
    models: await chatModels(major),
  })),
);

describe.each(loaded)('$name', ({ runnables, graph, models }) => {
  it.each(['the model', 'a chain'])('a stream of %s that is stopped is cancelled, its words are kept', async (what) => {
    const { agent, server, baseURL } = await frameworkStage([{ text: 'one two three four', chunkMs: 60 }]);
    const seen: unknown[] = [];
    const running = agent.runTurn(async (turn) => {
      const model = turnModel(turn, models.ChatOpenAI({ baseURL }));
      const asked = runnables.RunnableLambda.from((text: string) => [{ role: 'user', content: text }]);
      const source = what === 'the model' ? model : asked.pipe(model);
      for await (const chunk of await source.stream('go')) seen.push(chunk.content);
    });
    await server.waitFor(({ requests }) => (requests[0]?.deltasWritten ?? 0) >= 2);
    await delay(undefined, 30);
    agent.cancel('user');
    const before = [...seen];
    const report = await running;
    expect(report).toMatchObject({ status: 'cancelled', partials: [{ value: { text: 'one two' } }] });
    expect(seen).toEqual(before);
    expect(seen.join('')).toBe('one two');
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);
  });

  const hasEvents = 'streamV2' in models.ChatOpenAI({ baseURL: 'http://localhost/v1' });
  // The older major has no such events.
  if (hasEvents) {
    it('a model that streams in events leaves what it answered to the next request', async () => {
      const asks = { text: 'Paying.', toolCalls: [{ name: 'pay', input: { amount: 1 } }] };
      const { agent, server, baseURL } = await frameworkStage([asks, 'Went on.']);
      const model = models.ChatOpenAI({ baseURL });
      let messages: unknown[] = [];
      const report = await agent.runTurn(async (turn) => {
        // The types that both majors share do not know of these events.
        const own = turnModel(turn, model) as unknown as {
          streamEvents(input: string, config: object): AsyncIterable<unknown>;
        };
        for await (const event of own.streamEvents('go', { version: 'v3' })) void event;
        messages = messagesSoFar(turn);
        agent.cancel('user');
        turn.checkpoint();
      });
      expect(report.status).toBe('cancelled');
      const settled = settleTurn(messages as never[], report, { dialect: langchain });
      await model.invoke([...settled.messages, { role: 'user', content: 'go on' }] as never);
      const { messages: sent } = server.requests[1]?.body as { messages: unknown[] };
      expect(sent).toMatchObject([
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ function: { name: 'pay', arguments: '{"amount":1}' } }] },
        { role: 'tool' },
        { role: 'user' },
      ]);
      expect(JSON.stringify(sent[1])).toContain('Paying.');
    });
  }

  describe('a batch', () => {
    async function startedAfterStop(guarded: boolean): Promise<number> {
      const { agent } = await frameworkStage([], { graceMs: 0 });
      let started = 0;
      const lambda = runnables.RunnableLambda.from(async (n: number) => {
        started++;
        await delay(undefined, 30);
        return n;
      });
      let atStop = 0;
      const running = agent.runTurn(async (turn) => {
        const own = guarded ? guardRunnable(lambda, { turn, graceMs: 0 }) : lambda;
        await own.batch([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { signal: turn.signal, maxConcurrency: 2 });
      });
      await delay(undefined, 45);
      atStop = started;
      agent.cancel('user');
      expect((await running).status).toBe('cancelled');
      await delay(undefined, 300);
      return started - atStop;
    }

    it('bare, goes on to start items after the stop', async () => {
      expect(await startedAfterStop(false)).toBeGreaterThan(0);
    });

    it('guarded, starts none', async () => {
      expect(await startedAfterStop(true)).toBe(0);
    });

    it('guarded, has the results of each item in order', async () => {
      const lambda = guardRunnable(runnables.RunnableLambda.from((n: number) => n * 2));
      expect(await lambda.batch([1, 2, 3], { maxConcurrency: 2 })).toEqual([2, 4, 6]);
      const failing = guardRunnable(
        runnables.RunnableLambda.from((n: number) => {
          if (n === 2) throw new Error('two');
          return n;
        }),
      );
      await expect(failing.batch([1, 2, 3])).rejects.toThrow('two');
      const outputs = await failing.batch([1, 2, 3], undefined, { returnExceptions: true });
      expect(outputs.map((output) => (output instanceof Error ? output.message : output))).toEqual([1, 'two', 3]);
    });
  });

  it('a chain made of a guarded runnable is guarded', async () => {
    const { agent } = await frameworkStage([]);
    const second = vi.fn((n: number) => n + 1);
    const report = await agent.runTurn(async (turn) => {
      const first = guardRunnable(
        runnables.RunnableLambda.from((n: number) => {
          agent.cancel('user');
          return n;
        }),
        { turn },
      );
      return await first.pipe(guardRunnable(runnables.RunnableLambda.from(second), { turn })).invoke(1);
    });
    expect(report.status).toBe('cancelled');
    expect(second).not.toHaveBeenCalled();
  });

  it('a node that is deaf is left behind, and the next is not reached', async () => {
    const { agent } = await frameworkStage([], { graceMs: 0 });
    const work = deafWork();
    const next = vi.fn(() => ({ done: true }));
    const State = graph.Annotation.Root({ done: graph.Annotation<boolean>() });
    const running = agent.runTurn(async (turn) => {
      const compiled = new graph.StateGraph(State)
        .addNode(
          'deaf',
          guardNode(async () => ({ done: (await work.run()) === '' }), { turn, graceMs: 0 }),
        )
        .addNode('next', guardNode(next, { turn }))
        .addEdge(graph.START, 'deaf')
        .addEdge('deaf', 'next')
        .addEdge('next', graph.END)
        .compile();
      return await compiled.invoke({ done: false }, { signal: turn.signal });
    });
    await work.started;
    agent.cancel('user');
    expect(await msUntil(running)).toBeLessThan(100);
    expect((await running).status).toBe('cancelled');
    work.end.resolve('');
    await delay(undefined, 50);
    expect(next).not.toHaveBeenCalled();
  });
});
