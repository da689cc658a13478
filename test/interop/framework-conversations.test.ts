/** S45: a conversation is what a loop was given and what has come since, whatever of it the loop shows its model. */
import type { AgentInputItem } from '@openai/agents';
import type { ModelMessage } from 'ai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as aiDoor from '../../src/adapters/ai-sdk/index.ts';
import { turnModel } from '../../src/adapters/langchain/index.ts';
import { foldAISDK, readStream } from '../../src/adapters/llm/index.ts';
import * as agentsDoor from '../../src/adapters/openai-agents/index.ts';
import { guardTools } from '../../src/guard/index.ts';
import { delay, type Turn } from '../../src/index.ts';
import type { Conversation } from '../../src/transcript/index.ts';
import { withReported } from '../core/interrupt/kit.ts';
import { majors, type Major } from './majors.ts';
import { frameworkStage } from './stage.ts';
import { chatModels, type ChatModel } from './support/frameworks/langchain-models.ts';
import { callsOf } from './support/frameworks/loop-stage.ts';
import { chatOfAgents, chatOfAISDK, chatOfLangChain, checkedAISDK } from './support/settle-history.ts';

const untilStopped = (signal?: AbortSignal): Promise<string> => delay(signal, 60_000).then(() => 'never');

interface Graph {
  invoke(input: object, config: object): Promise<unknown>;
}

async function langchainRig(major: Major) {
  const langgraph = await major.load<typeof import('@langchain/langgraph')>('@langchain/langgraph');
  const prebuilt = await major.load<typeof import('@langchain/langgraph/prebuilt')>('@langchain/langgraph/prebuilt');
  const { tool } = await major.load<typeof import('@langchain/core/tools')>('@langchain/core/tools');
  const messages = await major.load<typeof import('@langchain/core/messages')>('@langchain/core/messages');
  const newest = major.name === 'newest' ? await major.load<typeof import('langchain')>('langchain') : undefined;
  const toolOf = ([name, run]: [string, unknown]) =>
    tool(run as () => Promise<string>, { name, description: 'works', schema: z.object({}) });
  type Tool = ReturnType<typeof toolOf>;
  const lastTwo = <M>(all: readonly M[]): M[] => all.slice(-2);
  const graphOf = (llm: ChatModel, tools: Tool[], before: 'nothing' | 'a lookup') => {
    const { AIMessage, ToolMessage } = messages;
    const lookup =
      before === 'nothing'
        ? []
        : [
            new AIMessage({ content: '', tool_calls: [{ id: 'b1', name: 'lookup', args: {} }] }),
            new ToolMessage({ tool_call_id: 'b1', content: 'found' }),
          ];
    const shown = <M>(all: M[]): M[] => (before === 'nothing' ? lastTwo(all) : all);
    return new langgraph.StateGraph(langgraph.MessagesAnnotation)
      .addNode('before', () => Promise.resolve({ messages: lookup }))
      .addNode('agent', async (state, config) => ({
        messages: [await llm.bindTools(tools).invoke(shown(state.messages), config)],
      }))
      .addNode('tools', new prebuilt.ToolNode(tools))
      .addEdge(langgraph.START, 'before')
      .addEdge('before', 'agent')
      .addConditionalEdges('agent', prebuilt.toolsCondition)
      .addEdge('tools', 'agent')
      .compile() as unknown as Graph;
  };
  const trimming = {
    'a node': (llm: ChatModel, tools: Tool[]) => graphOf(llm, tools, 'nothing'),
    preModelHook: (llm: ChatModel, tools: Tool[]) =>
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one agent that both majors have
      prebuilt.createReactAgent({
        llm,
        tools,
        preModelHook: (state: { messages: unknown[] }) => ({ llmInputMessages: lastTwo(state.messages) as never }),
      }) as unknown as Graph,
    ...(newest === undefined
      ? {}
      : {
          middleware: (model: ChatModel, tools: Tool[]) =>
            newest.createAgent({
              model,
              tools,
              middleware: [
                newest.createMiddleware({
                  name: 'trim',
                  wrapModelCall: (request, next) => next({ ...request, messages: lastTwo(request.messages) }),
                }),
              ],
            }) as unknown as Graph,
        }),
  };
  return { name: major.version('@langchain/langgraph'), models: await chatModels(major), toolOf, graphOf, trimming };
}

const langchainRigs = await Promise.all(majors.map(langchainRig));

describe.each(langchainRigs)('langgraph $name', ({ models, toolOf, graphOf, trimming }) => {
  const old = [
    { role: 'user', content: 'my name is Ann' },
    { role: 'assistant', content: 'Hi Ann' },
    { role: 'user', content: 'go' },
  ];
  /** What the conversation is once a graph was stopped in its second tool, by the ids of calls and by contents. */
  const stoppedIn = async (make: (llm: ChatModel, tools: ReturnType<typeof toolOf>[]) => Graph) => {
    const { agent, baseURL } = await frameworkStage([callsOf('pay'), callsOf('deploy'), 'too many']);
    const work = {
      pay: () => Promise.resolve('paid 10'),
      deploy: (_input: unknown, { signal }: { signal?: AbortSignal }) => {
        agent.cancel('user');
        return untilStopped(signal);
      },
    };
    const chat = chatOfLangChain<{ content: unknown; tool_calls?: { name: string }[] }>(old);
    await chat.runTurn(agent, undefined, async (turn) => {
      const tools = Object.entries(guardTools(work, { turn })).map(toolOf);
      const model = turnModel(turn, models.ChatOpenAI({ baseURL }));
      await make(model, tools).invoke({ messages: old }, { signal: turn.signal });
    });
    expect(chat.messages.slice(0, 3)).toEqual(old);
    return chat.messages
      .slice(3)
      .map(({ content, tool_calls }) =>
        (tool_calls ?? []).length > 0 ? tool_calls?.map(({ name }) => name) : content,
      );
  };
  const stopped = expect.stringContaining('stopped');

  it.each(Object.entries(trimming))('S45 %s that trims what the model is shown loses nothing', async (_name, make) => {
    expect(await stoppedIn(make)).toEqual([['pay'], 'paid 10', ['deploy'], stopped]);
  });

  it('S45 what a graph has looked up before it asked is no word of its conversation', async () => {
    const since = await stoppedIn((llm, tools) => graphOf(llm, tools, 'a lookup'));
    expect(since).toEqual([['pay'], 'paid 10', ['deploy'], stopped]);
  });
});

const aiRigs = await Promise.all(
  majors.map(async (major) => ({
    name: major.version('ai'),
    ai: await major.load<typeof import('ai')>('ai'),
    openai: await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
  })),
);

describe.each(aiRigs)('ai $name', ({ ai, openai }) => {
  it('S45 an agent that is a tool, asked what the person asked, does not stand for the loop around it', async () => {
    const { agent, baseURL } = await frameworkStage(({ body }) =>
      !JSON.stringify(body['tools']).includes('delegate')
        ? JSON.stringify(body['messages']).includes('found')
          ? callsOf('dig')
          : callsOf('search')
        : callsOf('pay', 'delegate'),
    );
    const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');
    const tool = (execute: (input: unknown, options: { abortSignal?: AbortSignal }) => Promise<string>) =>
      ai.tool({ inputSchema: z.object({}), execute: execute as () => Promise<string> });
    const prompt = 'What is it?';
    const chat = chatOfAISDK<ModelMessage>();
    await chat.runTurn(agent, prompt, async (turn) => {
      const { messages } = chat;
      const inner = {
        search: tool(() => Promise.resolve('found')),
        dig: tool((_input, { abortSignal }) => {
          agent.cancel('user');
          return untilStopped(abortSignal);
        }),
      };
      const delegate = async () => {
        const settings = { model, tools: inner, prompt, stopWhen: ai.stepCountIs(9) };
        return (await ai.generateText(aiDoor.underTurn(turn, settings))).text;
      };
      const tools = { pay: tool(() => Promise.resolve('paid')), delegate: tool(delegate) };
      const settings = { model, tools, messages, stopWhen: ai.stepCountIs(9), onError: () => undefined };
      return await aiDoor.readResult(turn.token, ai.streamText(aiDoor.underTurn(turn, settings)));
    });
    expect(chat.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ toolName: 'pay' }, { toolName: 'delegate' }] },
      { role: 'tool', content: [{ output: { value: 'paid' } }, { toolName: 'delegate' }] },
    ]);
  });
});

describe.each(aiRigs)('ai $name, a call that waits for a person', ({ ai, openai }) => {
  const ways = ['generateText', 'streamText', 'generateText in a loop', 'streamText in a loop'] as const;
  const cells = ways.flatMap((how) =>
    (['approved', 'approved elsewhere', 'denied', 'passed over'] as const).map((then) => [how, then] as const),
  );
  it.each(cells)('S45 is asked about; %s, %s', async (how, then) => {
    const { agent, baseURL, server } = await frameworkStage([callsOf('pay', 'look'), 'All done.', 'Yes.']);
    const inputSchema = z.object({});
    const run = (value: string) => () => Promise.resolve(value);
    const tools = {
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one way that both majors have
      pay: ai.tool({ inputSchema, needsApproval: true, execute: run('paid') }),
      look: ai.tool({ inputSchema, execute: run('seen') }),
    };
    const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');
    const ask = (chat: Conversation<ModelMessage>, prompt?: string | ModelMessage) =>
      chat.runTurn(agent, prompt, async (turn) => {
        for (; how.endsWith('loop');) {
          const reply = await turn.model(async ({ messages }): Promise<{ text: string }> => {
            const settings = { model, tools, messages, stopWhen: ai.stepCountIs(9) };
            if (how.startsWith('generate')) return ai.generateText(settings);
            // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one name that both majors have
            return readStream(turn.signal, () => ai.streamText(settings).fullStream, { fold: foldAISDK });
          });
          expect(reply.calls).toEqual([]);
          if (reply.isLast && reply.status === 'completed') return reply.value.text;
        }
        const { messages } = chat;
        const settings = aiDoor.underTurn(turn, { model, tools, messages, stopWhen: ai.stepCountIs(9) });
        if (how === 'generateText') return (await ai.generateText(settings)).text;
        return await aiDoor.readResult(turn.token, ai.streamText(settings));
      });
    let chat = chatOfAISDK<ModelMessage>();
    const isGuarded = !how.endsWith('loop');
    expect((await ask(chat, 'go')).calls).toMatchObject(isGuarded ? [{ name: 'look' }] : []);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    const parts = chat.messages.flatMap(({ content }) => content as { type: string; approvalId?: string }[]);
    const { approvalId = '' } = parts.find(({ type }) => type === 'tool-approval-request') ?? {};
    const approved = then.startsWith('approved');
    const answer: ModelMessage = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId, approved }],
    };
    if (then === 'approved elsewhere') chat = chatOfAISDK(JSON.parse(JSON.stringify([...chat.messages, answer])));
    const next = { approved: answer, 'approved elsewhere': undefined, denied: answer, 'passed over': 'Never mind.' };
    const report = await ask(chat, next[then]);
    expect(report.unwrap()).toBe('All done.');
    expect(report.calls).toMatchObject(approved && isGuarded ? [{ name: 'pay', status: 'completed' }] : []);
    const sent = JSON.stringify(server.requests[1]?.body['messages']);
    expect(sent).toMatch(approved ? /seen.*paid/ : /seen/);
    expect(sent.includes('paid')).toBe(approved);
    expect(checkedAISDK(chat.messages)).toEqual([]);
    const outputs = chat.messages
      .flatMap(({ content }) => content as { type: string; output?: object }[])
      .filter(({ type }) => type === 'tool-result');
    expect(outputs).toHaveLength(2);
    const saying = { approved: /paid/, 'approved elsewhere': /paid/, denied: /denied/, 'passed over': /not/ };
    expect(JSON.stringify(outputs)).toMatch(saying[then]);
    expect(chat.messages.at(-1)).toMatchObject({ role: 'assistant', content: [{ text: 'All done.' }] });
    // What there is can be sent as it is.
    await ai.generateText({ model, messages: [...chat.messages, { role: 'user', content: 'again' }] });
    expect(server.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('S45 or for nobody: all steps that one model call of a loop made are in the conversation', async () => {
    const { agent, baseURL } = await frameworkStage([callsOf('look'), 'All done.']);
    const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');
    const tools = { look: ai.tool({ inputSchema: z.object({}), execute: () => Promise.resolve('seen') }) };
    const chat = chatOfAISDK<ModelMessage>();
    const report = await chat.runTurn(agent, 'go', async (turn) => {
      const stopWhen = ai.stepCountIs(9);
      return (await turn.model(({ messages }) => ai.generateText({ model, tools, messages, stopWhen }))).isLast;
    });
    expect(report.unwrap()).toBe(true);
    expect(chat.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ toolName: 'look' }] },
      { role: 'tool', content: [{ output: { value: 'seen' } }] },
      { role: 'assistant', content: [{ text: 'All done.' }] },
    ]);
  });

  it('S45 or for a page that runs it: its result is pushed', async () => {
    const { agent, baseURL, server } = await frameworkStage([callsOf('locate', 'look'), 'All done.']);
    const inputSchema = z.object({});
    const tools = {
      locate: ai.tool({ inputSchema, outputSchema: z.string() }),
      look: ai.tool({ inputSchema, execute: () => Promise.resolve('seen') }),
    };
    const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');
    const chat = chatOfAISDK<ModelMessage>();
    const ask = (prompt?: string) =>
      chat.runTurn(agent, prompt, async (turn) => {
        const settings = { model, tools, messages: chat.messages, stopWhen: ai.stepCountIs(9) };
        return (await ai.generateText(aiDoor.underTurn(turn, settings))).text;
      });
    await ask('go');
    const parts = chat.messages.flatMap(({ content }) => content as { toolName?: string; toolCallId?: string }[]);
    const { toolCallId = '' } = parts.find(({ toolName }) => toolName === 'locate') ?? {};
    const output = { type: 'text', value: 'Berne' } as const;
    chat.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'locate', output }] });
    expect(checkedAISDK(chat.messages)).toEqual([]);
    expect((await ask()).unwrap()).toBe('All done.');
    expect(JSON.stringify(server.requests[1]?.body['messages'])).toMatch(/seen.*Berne/);
    expect(JSON.stringify(chat.messages).split('tool-result')).toHaveLength(3);
  });
});

const agentsRigs = await Promise.all(
  majors.map(async (major) => ({
    name: major.version('@openai/agents'),
    sdk: await major.load<typeof import('@openai/agents')>('@openai/agents'),
    extensions: await major.load<{ removeAllTools(data: object): never }>('@openai/agents-core/extensions'),
  })),
);

describe.each(agentsRigs)('@openai/agents $name', ({ sdk, extensions }) => {
  sdk.setTracingDisabled(true);
  const old = [
    { role: 'user', content: 'my name is Ann' },
    { role: 'user', content: 'go' },
  ];
  const toolOf = (name: string, execute: () => Promise<string>, needsApproval = false) =>
    sdk.tool({ name, description: 'works', parameters: z.object({}), needsApproval, execute });
  const modelOf = (baseURL: string) =>
    new sdk.OpenAIResponsesModel(new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 }), 'scripted');
  /** The name of a call, the output of a result, the text of a message. */
  const short = (items: readonly AgentInputItem[]): unknown[] =>
    (items as readonly object[] as readonly { name?: string; output?: { text?: string }; content?: unknown }[]).map(
      ({ output, name, content }) => output?.text ?? output ?? name ?? content,
    );

  it.each(['callModelInputFilter', 'removeAllTools'])('S45 %s loses nothing', async (how) => {
    const isHandoff = how === 'removeAllTools';
    const script = [callsOf('pay'), ...(isHandoff ? [callsOf('transfer_to_second')] : []), callsOf('deploy')];
    const { agent, baseURL } = await frameworkStage(script);
    const model = modelOf(baseURL);
    const chat = chatOfAgents<AgentInputItem>(old);
    await chat.runTurn(agent, undefined, async (turn) => {
      const deploy = toolOf('deploy', () => {
        agent.cancel('user');
        return untilStopped(turn.signal);
      });
      const second = new sdk.Agent({ name: 'second', model, tools: [deploy] });
      const handoffs = isHandoff ? [sdk.handoff(second, { inputFilter: extensions.removeAllTools })] : [];
      const tools = [toolOf('pay', () => Promise.resolve('paid 10')), deploy];
      const worker = new sdk.Agent({ name: 'worker', model, tools, handoffs });
      const runner = new sdk.Runner(
        isHandoff
          ? {}
          : { callModelInputFilter: ({ modelData }) => ({ ...modelData, input: modelData.input.slice(-2) }) },
      );
      const running = runner.run(agentsDoor.underTurn(turn, worker), chat.messages, { signal: turn.signal });
      return await agentsDoor.readRun(turn.token, running);
    });
    expect(chat.messages.slice(0, 2)).toEqual(old);
    const handedOver = ['transfer_to_second', expect.stringContaining('may have run')];
    expect(short(chat.messages.slice(2))).toEqual([
      ...['pay', 'paid 10', ...(isHandoff ? handedOver : [])],
      ...['deploy', expect.stringContaining('stopped')],
    ]);
  });

  it.each(['here', 'elsewhere'])(
    'S45 a run that was resumed in the next turn, %s, has the results of the calls that waited for a person',
    async (where) => {
      const { agent, baseURL, server } = await frameworkStage([callsOf('pay', 'drop', 'look'), 'All done.']);
      const tools = [
        toolOf('pay', () => Promise.resolve('paid 10'), true),
        toolOf('drop', () => Promise.resolve('dropped'), true),
        toolOf('look', () => Promise.resolve('seen')),
      ];
      const worker = new sdk.Agent({ name: 'worker', model: modelOf(baseURL), tools });
      let chat = chatOfAgents<AgentInputItem>(old);
      let stored = '';
      await chat.runTurn(agent, undefined, async (turn) => {
        const running = sdk.run(agentsDoor.underTurn(turn, worker), chat.messages, { signal: turn.signal });
        stored = (await agentsDoor.readRun(turn.token, running)).state.toString();
      });
      expect(short(chat.messages.slice(2))).toEqual(['pay', 'drop', 'look', 'seen']);
      if (where === 'elsewhere') chat = chatOfAgents(JSON.parse(JSON.stringify(chat.messages)), { waits: true });
      const report = await chat.runTurn(agent, undefined, async (turn) => {
        const state = await sdk.RunState.fromString(agentsDoor.underTurn(turn, worker), stored);
        for (const asked of state.getInterruptions()) {
          if (asked.rawItem.type === 'function_call' && asked.rawItem.name === 'drop') state.reject(asked);
          else state.approve(asked);
        }
        await agentsDoor.readRun(
          turn.token,
          sdk.run(agentsDoor.underTurn(turn, worker), state, { signal: turn.signal }),
        );
      });
      expect([report.status, server.requests.length]).toEqual(['completed', 2]);
      const texts = short(chat.messages.slice(2, 8));
      expect(texts.slice(0, 3)).toEqual(['pay', 'drop', 'look']);
      expect(new Set(texts.slice(3))).toEqual(new Set(['seen', 'paid 10', 'Tool execution was not approved.']));
      expect(chat.messages).toHaveLength(9);
    },
  );

  it.each([false, true])(
    'a run cannot be resumed in another turn from its state in memory; streamed %s',
    async (stream) => {
      const { agent, baseURL, server } = await frameworkStage([callsOf('pay'), 'too many']);
      let paid = 0;
      const pay = toolOf('pay', () => Promise.resolve(`paid ${String(++paid)}`), true);
      const worker = new sdk.Agent({ name: 'worker', model: modelOf(baseURL), tools: [pay] });
      const asked = await agent.runTurn(async (turn: Turn) => {
        const running = sdk.run(agentsDoor.underTurn(turn, worker), old as never, { signal: turn.signal });
        return await agentsDoor.readRun(turn.token, running);
      });
      const { state, interruptions } = asked.unwrap();
      for (const each of interruptions) state.approve(each);
      const { result: report, errors } = await withReported(() =>
        agent.runTurn(async (turn: Turn) => {
          const own = agentsDoor.underTurn(turn, worker);
          const { signal } = turn;
          return stream
            ? await agentsDoor.readRun(turn.token, sdk.run(own, state, { signal, stream: true }))
            : await agentsDoor.readRun(turn.token, sdk.run(own, state, { signal }));
        }),
      );
      expect([report.status, paid, server.requests.length]).toEqual(['failed', 0, 1]);
      expect(errors.map(String).join()).toContain('"pay" was started after the body of turn 1 had ended');
    },
  );

  it('S21 what was told to an agent is told to the one that it hands over to', async () => {
    const { agent, baseURL, server } = await frameworkStage([callsOf('look'), callsOf('transfer_to_second'), 'Done.']);
    const model = modelOf(baseURL);
    const second = new sdk.Agent({ name: 'second', model });
    const look = toolOf('look', () => {
      agent.interject('use pnpm');
      return Promise.resolve('seen');
    });
    const worker = new sdk.Agent({ name: 'worker', model, tools: [look], handoffs: [second] });
    const chat = chatOfAgents<AgentInputItem>(old);
    await chat.runTurn(agent, undefined, async (turn) => {
      const running = sdk.run(agentsDoor.underTurn(turn, worker), chat.messages, { signal: turn.signal });
      await agentsDoor.readRun(turn.token, running);
    });
    const told = server.requests.map(({ body }) => JSON.stringify(body).split('use pnpm').length - 1);
    expect([told, JSON.stringify(chat.messages).split('use pnpm').length - 1]).toEqual([[0, 1, 1], 1]);
  });
});
