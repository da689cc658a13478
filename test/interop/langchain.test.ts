/** LangChain's runnables and LangGraph's nodes under a turn; the loop of its agent is in `framework-*.test.ts`. */
import type { Runnable as AnyRunnable } from '@langchain/core/runnables';
import { describe, expect, it, vi } from 'vitest';
import { guardNode, guardRunnable, turnModel } from '../../src/adapters/langchain/index.ts';
import { delay, type InterruptEvent } from '../../src/index.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage, type DeafWork } from './stage.ts';
import { chatModels } from './support/frameworks/langchain-models.ts';
import { chatOfLangChain } from './support/settle-history.ts';
import { eventually } from '../support/eventually.ts';
import { itBare } from '../support/bare.ts';

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
      const chat = chatOfLangChain();
      const report = await chat.runTurn(agent, 'go', async (turn) => {
        // The types that both majors share do not know of these events.
        const own = turnModel(turn, model) as unknown as {
          streamEvents(input: string, config: object): AsyncIterable<unknown>;
        };
        for await (const event of own.streamEvents('go', { version: 'v3' })) void event;
        agent.cancel('user');
        turn.checkpoint();
      });
      expect(report.status).toBe('cancelled');
      await model.invoke([...chat.messages, { role: 'user', content: 'go on' }] as never);
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

    itBare('bare, goes on to start items after the stop', async () => {
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

  describe('deaf work in a guarded runnable', () => {
    const { Runnable, RunnableLambda, RunnableMap } = runnables;
    type Source = AnyRunnable<string>;

    class Crawler extends Runnable<string, string> {
      override lc_namespace = ['crawler'];
      readonly #work: DeafWork;

      constructor(work: DeafWork) {
        super();
        this.#work = work;
      }

      override async invoke(): Promise<string> {
        return await this.#work.run();
      }

      override async *_streamIterator(): AsyncGenerator<string> {
        yield 'one';
        yield await this.#work.run();
      }
    }

    const sources: Record<string, (work: DeafWork) => Source> = {
      'a function': (work) => RunnableLambda.from(() => work.run()),
      'a generator': (work) =>
        RunnableLambda.from(async function* () {
          yield 'one';
          yield await work.run();
        }),
      'a function that returns a runnable': (work) => RunnableLambda.from(() => RunnableLambda.from(() => work.run())),
      'a chain': (work) => RunnableLambda.from((url: string) => url).pipe(() => work.run()),
      'a map': (work) => RunnableMap.from({ page: () => work.run(), url: (url: string) => url }),
      'a binding': (work) => RunnableLambda.from(() => work.run()).withConfig({ tags: ['x'] }),
      'a retry': (work) => RunnableLambda.from(() => work.run()).withRetry({ stopAfterAttempt: 2 }),
      'a class of its own': (work) => new Crawler(work),
    };

    async function readAll(stream: AsyncIterable<unknown>): Promise<void> {
      for await (const _ of stream);
    }
    type Settings = { readonly signal: AbortSignal };
    const ways: Record<string, (source: Source, settings: Settings) => Promise<unknown>> = {
      invoke: (source, settings) => source.invoke('x', settings),
      batch: (source, settings) => source.batch(['x'], settings),
      stream: async (source, settings) => {
        await readAll(await source.stream('x', settings));
      },
      streamEvents: (source, settings) => readAll(source.streamEvents('x', { ...settings, version: 'v2' })),
      transform: (source, settings) =>
        readAll(
          source.transform(
            (async function* () {
              yield await Promise.resolve('x');
            })(),
            settings,
          ),
        ),
      'stream of a chain': async (source, settings) => {
        await readAll(
          await RunnableLambda.from((url: string) => url)
            .pipe(source)
            .stream('x', settings),
        );
      },
    };

    const cells = Object.keys(sources)
      .flatMap((source) => Object.keys(ways).map((way) => [source, way] as const))
      // The older major hears what its own reading fails with only once the generator has ended.
      .filter(([source, way]) => hasEvents || source !== 'a generator' || way !== 'streamEvents');
    it.each(cells)('is named in the report of the turn: %s, %s', async (source, way) => {
      const { agent } = await frameworkStage([], { graceMs: 500 });
      const work = deafWork();
      const running = agent.runTurn(async (turn) => {
        const options = { turn, name: 'crawl', graceMs: 30 };
        const guarded = guardRunnable((sources[source] as (work: DeafWork) => Source)(work), options);
        await ways[way]?.(guarded, { signal: turn.signal });
      });
      await work.started;
      const { abandoned } = await agent.cancel('user').settled;
      expect(abandoned).toContain('crawl');
      expect(work.calls()).toBe(1);
      work.end.resolve('late');
      // A body that the SDK keeps waiting ends now.
      await running;
    });

    it.each(['invoke', 'stream'])(
      'without a grace of its own is named by later stops, until it ends: %s',
      async (way) => {
        const { agent, events } = await frameworkStage([], { graceMs: 20 });
        const work = deafWork();
        const running = agent.runTurn(async (turn) => {
          await ways[way]?.(guardRunnable(new Crawler(work), { turn, name: 'crawl' }), { signal: turn.signal });
        });
        await work.started;
        expect((await agent.cancel('user').settled).abandoned).toContain('crawl');
        await running;
        const next = agent.runTurn((turn) => delay(turn.token, 60_000));
        expect((await agent.cancel('user').settled).abandoned).toContain('crawl');
        await next;
        work.end.resolve('late');
        await eventually(() => {
          expect(events).toContainEqual(expect.objectContaining({ type: 'late-settled', name: 'crawl' }));
        });
        const last = agent.runTurn((turn) => delay(turn.token, 60_000));
        expect((await agent.cancel('user').settled).abandoned).toEqual([]);
        await last;
      },
    );

    it.each(['invoke', 'stream'])('with a grace longer than the turn has is named all the same: %s', async (way) => {
      const { agent } = await frameworkStage([], { graceMs: 20 });
      const work = deafWork();
      const running = agent.runTurn(async (turn) => {
        const guarded = guardRunnable(new Crawler(work), { turn, name: 'crawl', graceMs: 60 });
        await ways[way]?.(guarded, { signal: turn.signal });
        await delay(undefined, 100);
      });
      await work.started;
      expect((await agent.cancel('user').settled).abandoned).toContain('crawl');
      await running;
      work.end.resolve('late');
    });

    it('of a stream that its reader leaves is let go within its grace, and named', async () => {
      const { agent } = await frameworkStage([]);
      const events: InterruptEvent[] = [];
      agent.onEvent((event) => events.push(event), { operations: true });
      const work = deafWork();
      const seen: unknown[] = [];
      const report = await agent.runTurn(async (turn) => {
        const guarded = guardRunnable(new Crawler(work), { turn, name: 'crawl', graceMs: 20 });
        for await (const chunk of await guarded.stream('x')) {
          seen.push(chunk);
          await work.started;
          break;
        }
      });
      expect(report.status).toBe('completed');
      expect(seen).toEqual(['one']);
      expect(events).toContainEqual(expect.objectContaining({ type: 'operation-ended', outcome: 'abandoned' }));
      work.end.resolve('late');
    });

    it('of a stream that its reader leaves is waited for by the turn, and named by its stop', async () => {
      const { agent } = await frameworkStage([], { graceMs: 20 });
      const work = deafWork();
      const running = agent.runTurn(async (turn) => {
        const guarded = guardRunnable(new Crawler(work), { turn, name: 'crawl' });
        const stream = (await guarded.stream('x'))[Symbol.asyncIterator]();
        await stream.next();
        await work.started;
        void stream.return();
      });
      await delay(undefined, 30);
      expect(agent.state).toBe('running');
      expect((await agent.cancel('user').settled).abandoned).toEqual(['crawl']);
      expect((await running).status).toBe('cancelled');
      work.end.resolve('late');
    });
  });

  it('a stream that nobody reads to its end holds no turn', async () => {
    const { agent } = await frameworkStage([]);
    const report = await agent.runTurn(async (turn) => {
      const guarded = guardRunnable(
        runnables.RunnableLambda.from(async function* () {
          yield await Promise.resolve(1);
          yield 2;
          yield 3;
        }),
        { turn },
      );
      return await (await guarded.stream('x'))[Symbol.asyncIterator]().next();
    });
    expect(report).toMatchObject({ status: 'completed', value: { value: 1 } });
  });

  it.each(['ChatOpenAI', 'ChatAnthropic'] as const)(
    'a stream of a guarded %s is cut, and its request is gone or named',
    async (of) => {
      const { agent, server, baseURL } = await frameworkStage([{ text: 'one two three four', chunkMs: 60 }], {
        graceMs: 2000,
      });
      const seen: string[] = [];
      const running = agent.runTurn(async (turn) => {
        const model = guardRunnable(models[of]({ baseURL }), { turn, name: 'ask' });
        for await (const chunk of await model.stream('go')) seen.push(chunk.text);
      });
      await server.waitFor(({ requests }) => (requests[0]?.deltasWritten ?? 0) >= 2);
      const { abandoned } = await agent.cancel('user').settled;
      expect((await running).status).toBe('cancelled');
      expect(abandoned).toEqual([]);
      await server.waitFor(({ requests }) => requests[0]?.closedEarly);
      expect(seen.join('')).not.toContain('four');
    },
  );

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
    // While the node is at work.
    expect((await running).status).toBe('cancelled');
    work.end.resolve('');
    await delay(undefined, 50);
    expect(next).not.toHaveBeenCalled();
  });
});
