/** Conversations of LangChain after a stop: with a checkpointer, and without one. The next run is accepted. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { settleThread, turnModel } from '../../src/adapters/langchain/index.ts';
import { guardTools } from '../../src/guard/index.ts';
import type { Turn } from '../../src/index.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage } from './stage.ts';
import { chatModelNames, chatModels, type ChatModel } from './support/frameworks/langchain-models.ts';
import { callsOf, rowsOf } from './support/frameworks/loop-stage.ts';
import { chatOfLangChain, settledLangChain } from './support/settle-history.ts';

interface Agent {
  invoke(input: object, config?: object): Promise<{ messages: { content: unknown }[] }>;
  getState(config: never): Promise<{ values: unknown }>;
  updateState(config: never, values: never): Promise<unknown>;
}

const rigs = await Promise.all(
  majors.flatMap((major) =>
    chatModelNames.map(async (modelName) => {
      const langgraph = await major.load<typeof import('@langchain/langgraph')>('@langchain/langgraph');
      const prebuilt = await major.load<typeof import('@langchain/langgraph/prebuilt')>(
        '@langchain/langgraph/prebuilt',
      );
      const tools = await major.load<typeof import('@langchain/core/tools')>('@langchain/core/tools');
      const newest = major.name === 'newest' ? await major.load<typeof import('langchain')>('langchain') : undefined;
      const toolOf = (name: string, run: (input: unknown, config: { signal?: AbortSignal }) => unknown) =>
        tools.tool(run as () => Promise<string>, { name, description: 'works', schema: z.object({}) });
      type Tool = ReturnType<typeof toolOf>;
      const react = (llm: ChatModel, own: Tool[], checkpointer?: object) =>
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one agent that both majors have
        prebuilt.createReactAgent({ llm, tools: own, checkpointSaver: checkpointer as never }) as unknown as Agent;
      const created = (model: ChatModel, own: Tool[], checkpointer?: object) =>
        newest?.createAgent({ model, tools: own, checkpointer: checkpointer as never }) as unknown as Agent;
      return {
        name: `${modelName}, langgraph ${major.version('@langchain/langgraph')}`,
        make: (await chatModels(major))[modelName],
        MemorySaver: langgraph.MemorySaver,
        interrupt: langgraph.interrupt,
        Command: langgraph.Command,
        toolOf,
        agents: { createReactAgent: react, ...(newest === undefined ? {} : { createAgent: created }) },
      };
    }),
  ),
);
const cases = rigs.flatMap(({ agents, ...rig }) =>
  Object.entries(agents).map(([agentName, agent]) => ({ ...rig, name: `${agentName}, ${rig.name}`, agent })),
);

describe.each(cases)('$name', ({ agent: agentOf, make, MemorySaver, toolOf, interrupt, Command }) => {
  const guarded = (turn: Omit<Turn, 'model'>, tools: Readonly<Record<string, () => Promise<string>>>) =>
    Object.entries(guardTools(tools, { turn })).map(([name, run]) => toolOf(name, run));
  const go = { messages: [{ role: 'user', content: 'go' }] };
  const again = { role: 'user', content: 'again' };

  it('S45 a thread that a checkpointer keeps is accepted after a stop, and pays once', async () => {
    const script = [callsOf('pay'), callsOf('deploy'), 'Went on.'];
    const { agent, server, baseURL } = await frameworkStage(script, { graceMs: 0 });
    const config = { configurable: { thread_id: '1' } };
    const checkpointer = new MemorySaver();
    const deaf = deafWork();
    let paid = 0;
    const chat = chatOfLangChain();
    const running = chat.runTurn(agent, 'go', (turn) => {
      const own = guarded(turn, { pay: () => Promise.resolve(`paid ${String(++paid)}`), deploy: deaf.run });
      return agentOf(turnModel(turn, make({ baseURL })), own, checkpointer).invoke(go, {
        ...config,
        signal: turn.signal,
      });
    });
    await deaf.started;
    agent.cancel('user');
    const report = await running;
    expect([report.status, ...rowsOf(report)]).toEqual(['cancelled', 'pay: completed', 'deploy: unknown']);

    const next = agentOf(make({ baseURL }), [toolOf('pay', () => 'paid'), toolOf('deploy', () => 'ok')], checkpointer);
    await settleThread(next, config, (messages) => settledLangChain(messages, chat));
    const state = await next.invoke({ messages: [again] }, config);
    expect(state.messages.at(-1)?.content).toBe('Went on.');
    const sent = JSON.stringify(server.requests[2]?.body['messages']);
    expect([sent.match(/paid 1/g)?.length, sent.includes('may still')]).toEqual([1, true]);
    deaf.end.resolve('');
  });

  it('a thread that has not begun has nothing to settle', async () => {
    const graph = agentOf(make({ baseURL: 'http://127.0.0.1:9/v1' }), [], new MemorySaver());
    expect(await settleThread(graph, { configurable: { thread_id: 'new' } }, (messages) => messages)).toEqual([]);
  });

  it('S45 without a checkpointer the conversation has what a stopped run had come to', async () => {
    const script = [{ ...(callsOf('pay') as object), text: 'Paying.' }, callsOf('deploy'), 'Went on.'];
    const { agent, server, baseURL } = await frameworkStage(script, { graceMs: 0 });
    const deaf = deafWork();
    const chat = chatOfLangChain();
    const running = chat.runTurn(agent, 'go', async (turn) => {
      const own = guarded(turn, { pay: () => Promise.resolve('paid 1'), deploy: deaf.run });
      const { messages } = chat;
      return await agentOf(turnModel(turn, make({ baseURL })), own).invoke({ messages }, { signal: turn.signal });
    });
    await deaf.started;
    agent.cancel('user');
    await running;
    expect(chat.messages).toHaveLength(5);
    expect(JSON.stringify(chat.messages)).toContain('Paying.');
    const next = agentOf(make({ baseURL }), [toolOf('pay', () => 'paid'), toolOf('deploy', () => 'ok')]);
    const state = await next.invoke({ messages: [...chat.messages, again] });
    expect(state.messages.at(-1)?.content).toBe('Went on.');
    const sent = JSON.stringify(server.requests[2]?.body['messages']);
    expect([sent.match(/paid 1/g)?.length, sent.includes('may still')]).toEqual([1, true]);
    deaf.end.resolve('');
  });

  it('calls of a server that numbers those of each reply anew are told apart, by graph, ledger and conversation', async () => {
    const calls = { toolCalls: ['pay', 'pay'].map((name) => ({ id: 'call_0', name, input: {} })) };
    const { agent, server, baseURL } = await frameworkStage([calls, calls, 'Paid.', 'Went on.']);
    let paid = 0;
    const chat = chatOfLangChain();
    const report = await chat.runTurn(agent, 'go', async (turn) => {
      const own = guarded(turn, { pay: () => Promise.resolve(`paid ${String(++paid)}`) });
      const { messages } = chat;
      return await agentOf(turnModel(turn, make({ baseURL })), own).invoke({ messages }, { signal: turn.signal });
    });
    expect(report.status).toBe('completed');
    expect(new Set(report.calls.map(({ id }) => id)).size).toBe(4);
    await make({ baseURL }).invoke([...chat.messages, again] as never);
    expect(server.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { body } of server.requests.slice(2)) {
      expect(JSON.stringify(body).match(/paid \d/g)).toEqual(['paid 1', 'paid 2', 'paid 3', 'paid 4']);
    }
  });

  it('a graph that is asked beside the conversation is not of it', async () => {
    const { agent, baseURL } = await frameworkStage(['A title', 'Hello.']);
    const chat = chatOfLangChain<{ readonly content: unknown }>();
    await chat.runTurn(agent, 'go', async (turn) => {
      for (const aside of [true, false]) {
        const model = turnModel(turn, make({ baseURL }), { aside });
        await agentOf(model, []).invoke({ messages: chat.messages }, { signal: turn.signal });
      }
    });
    expect(chat.messages.map(({ content }) => content)).toEqual(['go', 'Hello.']);
  });

  it('a conversation keeps its instructions, and what was said if the run is stopped before it asks', async () => {
    const { agent, server, baseURL } = await frameworkStage(['Bonjour.']);
    const chat = chatOfLangChain([{ role: 'system', content: 'Answer in French.' }]);
    const play = (prompt?: string) =>
      chat.runTurn(agent, prompt, async (turn) => {
        const { messages } = chat;
        return await agentOf(turnModel(turn, make({ baseURL })), []).invoke({ messages }, { signal: turn.signal });
      });
    const stopped = play('go');
    agent.cancel('user');
    await stopped;
    const given = [{ role: 'system', content: 'Answer in French.' }, ...go.messages];
    expect([chat.messages, server.requests]).toEqual([given, []]);
    expect((await play()).status).toBe('completed');
    expect(chat.messages.slice(0, 2)).toEqual(given);
    expect(chat.messages).toHaveLength(3);
  });

  it('a tool that interrupts its graph to ask a person has not failed, and is resumed', async () => {
    const { agent, baseURL } = await frameworkStage([callsOf('deploy'), 'Went on.']);
    const config = { configurable: { thread_id: '1' } };
    const checkpointer = new MemorySaver();
    const chat = chatOfLangChain();
    const run = (input: unknown, prompt?: string) =>
      chat.runTurn(agent, prompt, (turn) => {
        const own = guarded(turn, { deploy: async () => await Promise.resolve(String(interrupt('sure?'))) });
        const graph = agentOf(turnModel(turn, make({ baseURL })), own, checkpointer);
        return graph.invoke(input as object, { ...config, signal: turn.signal });
      });
    const asked = await run(go, 'go');
    expect(asked.status).toBe('completed');
    expect(rowsOf(asked)).toEqual(['deploy: stopped']);
    const resumed = await run(new Command({ resume: 'yes' }));
    expect(resumed.unwrap().messages.at(-1)?.content).toBe('Went on.');
    expect(rowsOf(resumed)).toEqual(['deploy: completed']);
    expect(chat.messages).toHaveLength(4);
    expect(chat.messages[2]).toMatchObject({ content: 'yes' });
  });
});
