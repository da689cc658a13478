/** LangChain's runnables and LangGraph's graphs under a turn, with a model that asks the scripted server. */
import type { BaseMessage } from '@langchain/core/messages';
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { guardNode, guardRunnable, turnModel } from '../../src/adapters/langchain/index.ts';
import { delay, guardTools, type Turn } from '../../src/index.ts';
import type { ModelScript } from '../../src/testing/model-server/index.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage, msUntil, sentTexts } from './stage.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `@langchain/core ${major.version('@langchain/core')}, langgraph ${major.version('@langchain/langgraph')}`,
    models: await major.load<typeof import('@langchain/core/language_models/chat_models')>(
      '@langchain/core/language_models/chat_models',
    ),
    messages: await major.load<typeof import('@langchain/core/messages')>('@langchain/core/messages'),
    outputs: await major.load<typeof import('@langchain/core/outputs')>('@langchain/core/outputs'),
    tools: await major.load<typeof import('@langchain/core/tools')>('@langchain/core/tools'),
    runnables: await major.load<typeof import('@langchain/core/runnables')>('@langchain/core/runnables'),
    graph: await major.load<typeof import('@langchain/langgraph')>('@langchain/langgraph'),
    prebuilt: await major.load<typeof import('@langchain/langgraph/prebuilt')>('@langchain/langgraph/prebuilt'),
  })),
);

const callSlow = { toolCalls: [{ name: 'slow', input: {} }] };
const twoSteps: ModelScript = [callSlow, 'All done.', 'too many'];

interface Completion {
  choices: { message: { content: string | null; tool_calls?: ChatCall[] } }[];
}
interface ChatCall {
  id: string;
  function: { name: string; arguments: string };
}

const roles: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', tool: 'tool', system: 'system' };

/** What a message is in Chat Completions. */
function wireOf(message: BaseMessage): object {
  const { tool_calls: calls, tool_call_id: id } = message as unknown as {
    tool_calls?: { id: string; name: string; args: unknown }[];
    tool_call_id?: string;
  };
  return {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one word for it in both majors
    role: roles[message.getType()],
    content: message.content,
    ...(id === undefined ? {} : { tool_call_id: id }),
    ...(calls === undefined || calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(call.args) },
          })),
        }),
  };
}

describe.each(loaded)('$name', ({ models, messages, outputs, tools, runnables, graph, prebuilt }) => {
  class ServerModel extends models.BaseChatModel {
    readonly #url: string;

    constructor(url: string) {
      super({ maxRetries: 0 });
      this.#url = url;
    }

    get url(): string {
      return this.#url;
    }

    override _llmType(): string {
      return 'scripted';
    }

    override bindTools(_tools: unknown[], kwargs?: object) {
      return this.withConfig({ ...kwargs }) as never;
    }

    override async _generate(input: BaseMessage[], options: { signal?: AbortSignal }): Promise<ChatResult> {
      const response = await fetch(`${this.url}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', messages: input.map(wireOf) }),
        signal: options.signal ?? null,
      });
      const { choices } = (await response.json()) as Completion;
      const { content, tool_calls: calls = [] } = choices[0]?.message ?? { content: null };
      const message = new messages.AIMessage({
        content: content ?? '',
        tool_calls: calls.map((call) => ({
          id: call.id,
          name: call.function.name,
          args: JSON.parse(call.function.arguments) as Record<string, unknown>,
        })),
      });
      return { generations: [{ text: content ?? '', message }] };
    }
  }

  async function stage(script: ModelScript, graceMs = 1000) {
    const base = await frameworkStage(script, { graceMs });
    return { ...base, model: new ServerModel(base.baseURL) };
  }
  const toolOf = (execute: (input: unknown, config: { signal?: AbortSignal }) => unknown) =>
    tools.tool(execute as () => Promise<string>, { name: 'slow', description: 'works', schema: z.object({}) });
  async function react(turn: Turn, model: ServerModel, execute: () => unknown): Promise<unknown> {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one agent that both majors have
    const worker = prebuilt.createReactAgent({
      llm: turnModel(turn, model),
      // The function, not the tool: LangChain's own race with the signal is around it, and tells nobody what runs on.
      tools: [toolOf(guardTools({ slow: execute }, { turn }).slow)],
    });
    const state = await worker.invoke({ messages: [{ role: 'user', content: 'go' }] }, { signal: turn.signal });
    return state.messages.at(-1)?.content;
  }

  it('a graph runs to its end', async () => {
    const { agent, model, server } = await stage(twoSteps);
    const report = await agent.runTurn((turn) => react(turn, model, () => 'ok'));
    expect(report.unwrap()).toBe('All done.');
    expect(report.calls).toMatchObject([{ name: 'slow', status: 'completed' }]);
    expect(server.requests).toHaveLength(2);
  });

  it('S01 a deaf tool does not hold up a stop, and is named', async () => {
    const { agent, server, model } = await stage(twoSteps, 0);
    const work = deafWork();
    const running = agent.runTurn((turn) => react(turn, model, work.run));
    await work.started;
    const receipt = agent.cancel('user');
    expect(await msUntil(running)).toBeLessThan(100);
    const report = await running;
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
    expect(report.calls).toMatchObject([{ name: 'slow', status: 'unknown' }]);
    expect((await receipt.settled).abandoned).toContain('slow');
    work.end.resolve('at last');
    await delay(undefined, 50);
    expect(server.requests).toHaveLength(1);
  });

  it('S02 nothing starts after Stop: not the next call of a batch, not the model, not a message', async () => {
    const calls = [1, 2, 3].map(() => ({ name: 'slow', input: {} }));
    const { agent, server, model } = await stage([{ toolCalls: calls }, 'too many']);
    const execute = vi.fn(() => {
      agent.interject('and another thing');
      agent.cancel('user');
      return 'done';
    });
    const report = await agent.runTurn((turn) => react(turn, model, execute));
    expect(report.status).toBe('cancelled');
    expect(execute).toHaveBeenCalledTimes(1);
    expect(report.calls.filter(({ status }) => status === 'completed')).toHaveLength(1);
    expect(report.undelivered.map(({ message }) => message)).toEqual(['and another thing']);
    expect(server.requests).toHaveLength(1);
  });

  it('S03 a deaf tool that succeeds after the stop leads to no second model request', async () => {
    const { agent, server, model, events } = await stage(twoSteps, 0);
    const work = deafWork();
    const running = agent.runTurn((turn) => react(turn, model, work.run));
    await work.started;
    setTimeout(work.end.resolve, 300, 'it worked');
    agent.cancel('user');
    expect(await msUntil(running)).toBeLessThan(50);
    await delay(undefined, 600);
    expect(server.requests).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'late-settled')).toMatchObject([{ name: 'slow', status: 'completed' }]);
  });

  it('S21 a message is told in the next model call, and in every later one', async () => {
    const { agent, server, model } = await stage([callSlow, callSlow, 'All done.']);
    let calls = 0;
    const report = await agent.runTurn((turn) =>
      react(turn, model, () => {
        if (++calls === 1) agent.interject('use pnpm');
        return 'ok';
      }),
    );
    expect(report.unwrap()).toBe('All done.');
    const told = (request: number) => sentTexts(server, request).filter((text) => text.includes('pnpm'));
    expect([1, 2, 3].map((request) => told(request).length)).toEqual([0, 1, 1]);
    expect(sentTexts(server, 3).findIndex((text) => text.includes('pnpm'))).toBe(3);
  });

  it('a model’s stream that is stopped is cancelled, its words are kept', async () => {
    const { agent } = await stage([]);
    class Words extends ServerModel {
      override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
        for (const text of ['one', ' two', ' three']) {
          const message = new messages.AIMessageChunk({ content: text });
          yield new outputs.ChatGenerationChunk({ text, message });
          await new Promise((resolve) => setTimeout(resolve, text === ' two' ? 2000 : 5));
        }
      }
    }
    const seen: unknown[] = [];
    const running = agent.runTurn(async (turn) => {
      const stream = await turnModel(turn, new Words('none')).stream('go');
      for await (const chunk of stream) seen.push(chunk.content);
    });
    await vi.waitFor(() => {
      expect(seen.length).toBe(2);
    });
    agent.cancel('user');
    const report = await running;
    expect(report).toMatchObject({ status: 'cancelled', partials: [{ value: { text: 'one two' } }] });
    expect(seen).toEqual(['one', ' two']);
  });

  describe('a batch', () => {
    async function startedAfterStop(guarded: boolean): Promise<number> {
      const { agent } = await stage([], 0);
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
    const { agent } = await stage([]);
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
    const { agent } = await stage([], 0);
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
