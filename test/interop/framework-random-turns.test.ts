/**
 * Random turns through the real loops of frameworks: what they say and call, how their tools end, and a stop or a message at any
 * event. Every request is taken by the strict server, the conversation is legal at each change, and nothing is lost or told twice.
 * The judges share no code with the dialects.
 */
import type { AgentInputItem } from '@openai/agents';
import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import * as aiDoor from '../../src/adapters/ai-sdk/index.ts';
import { turnModel } from '../../src/adapters/langchain/index.ts';
import * as agentsDoor from '../../src/adapters/openai-agents/index.ts';
import { guardTools } from '../../src/guard/index.ts';
import { delay, InterruptController, type Turn } from '../../src/index.ts';
import { startModelServer, type ModelReply } from '../../src/testing/model-server/index.ts';
import type { Conversation } from '../../src/transcript/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { refuseTold, tellingOf } from '../transcript/conversation/support/telling.ts';
import { majors } from './majors.ts';
import { chatModels } from './support/frameworks/langchain-models.ts';
import { chatOfAgents, chatOfAISDK, chatOfLangChain } from './support/settle-history.ts';

type Fields = Readonly<Record<string, unknown>>;
type Work = (mark: string, signal: AbortSignal | undefined) => Promise<string>;

/** One framework's loop over a conversation, as its user writes it. */
interface Door {
  readonly name: string;
  readonly chat: () => Conversation<object>;
  readonly run: (turn: Turn, chat: Conversation<object>, baseURL: string, work: Work) => Promise<unknown>;
}

const newest = majors[0] as (typeof majors)[number];
const ai = await newest.load<typeof import('ai')>('ai');
const { createOpenAI } = await newest.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai');
const sdk = await newest.load<typeof import('@openai/agents')>('@openai/agents');
sdk.setTracingDisabled(true);
const { ChatOpenAI } = await chatModels(newest);
const { tool } = await newest.load<typeof import('@langchain/core/tools')>('@langchain/core/tools');
const langgraph = await newest.load<typeof import('@langchain/langgraph')>('@langchain/langgraph');
const prebuilt = await newest.load<typeof import('@langchain/langgraph/prebuilt')>('@langchain/langgraph/prebuilt');
const input = z.object({ mark: z.string() });

const doors: readonly Door[] = [
  {
    name: 'ai-sdk',
    chat: () => chatOfAISDK<ModelMessage>() as Conversation<object>,
    run(turn, chat, baseURL, work) {
      const execute = ({ mark }: { mark: string }, { abortSignal }: { abortSignal?: AbortSignal | undefined }) =>
        work(mark, abortSignal);
      const settings = aiDoor.underTurn(turn, {
        ...{
          model: createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted'),
          messages: chat.messages as ModelMessage[],
        },
        ...{ stopWhen: ai.stepCountIs(9), maxRetries: 0, onError: () => undefined },
        tools: { work: ai.tool({ description: 'works', inputSchema: input, execute }) },
      });
      return aiDoor.readResult(turn.token, ai.streamText(settings));
    },
  },
  {
    name: 'openai-agents',
    chat: () => chatOfAgents<AgentInputItem>() as Conversation<object>,
    async run(turn, chat, baseURL, work) {
      const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
      const worker = new sdk.Agent({
        ...{ name: 'worker', model: new sdk.OpenAIChatCompletionsModel(client, 'scripted') },
        tools: [
          sdk.tool({
            ...{ name: 'work', description: 'works', parameters: input },
            execute: ({ mark }, _context, details) => work(mark, details?.signal),
          }),
        ],
      });
      const running = sdk.run(agentsDoor.underTurn(turn, worker), chat.messages as AgentInputItem[], {
        ...{ signal: turn.signal, stream: true },
      });
      await agentsDoor.readRun(turn.token, running);
    },
  },
  {
    name: 'langchain',
    chat: () => chatOfLangChain<object>(),
    async run(turn, chat, baseURL, work) {
      const own = { work: (given: { mark: string }, { signal }: { signal?: AbortSignal }) => work(given.mark, signal) };
      const tools = Object.entries(guardTools(own, { turn })).map(([name, run]) =>
        tool(run as unknown as () => Promise<string>, { name, description: 'works', schema: input }),
      );
      const model = turnModel(turn, ChatOpenAI({ baseURL })).bindTools(tools);
      const graph = new langgraph.StateGraph(langgraph.MessagesAnnotation)
        .addNode('agent', async (state, config) => ({ messages: [await model.invoke(state.messages, config)] }))
        .addNode('tools', new prebuilt.ToolNode(tools))
        .addEdge(langgraph.START, 'agent')
        .addConditionalEdges('agent', prebuilt.toolsCondition)
        .addEdge('tools', 'agent')
        .compile();
      await graph.invoke({ messages: chat.messages as never }, { signal: turn.signal });
    },
  },
];

const round = fc.record({
  words: fc.boolean(),
  calls: fc.array(fc.constantFrom('answers', 'answers', 'fails', 'obeys'), { maxLength: 3 }),
});
const happening = fc.record({
  at: fc.nat({ max: 20 }),
  what: fc.constantFrom('cancel', 'kill', 'now', 'next-model-call', 'after-current-tool'),
});
const randomTurn = fc.record({
  rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
  happenings: fc.array(happening, { maxLength: 2 }),
});

const roles: Readonly<Record<string, string>> = { AI: 'assistant', Tool: 'tool', Human: 'user' };

/** An instance of LangChain's, as it writes itself, by its fields. */
function plain(message: Fields): Fields {
  if (message['lc'] !== 1) return message;
  const [, name = ''] = /^(\w+?)Message(?:Chunk)?$/.exec(String((message['id'] as string[]).at(-1))) ?? [];
  return { role: roles[name], ...(message['kwargs'] as Fields) };
}

/** Plays turns through one door; returns what went wrong. */
async function play(door: Door, turns: readonly (typeof randomTurn extends fc.Arbitrary<infer T> ? T : never)[]) {
  let serial = 0;
  const kinds = new Map<string, string>();
  const replies = turns.map(({ rounds }) => {
    const asked = rounds.map(({ words, calls }): ModelReply => {
      const toolCalls = calls.map((kind) => {
        const mark = `«call ${String(++serial)}»`;
        kinds.set(mark, kind);
        return { name: 'work', input: { mark } };
      });
      return { text: words || calls.length === 0 ? `«words ${String(++serial)}»` : '', toolCalls, chunkMs: 1 };
    });
    return [...asked, ...Array.from({ length: 6 }, () => ({ text: `«words ${String(++serial)}»`, chunkMs: 1 }))];
  });
  let script = replies[0] ?? [];
  const server = await startModelServer({ script: () => script.shift() ?? 'Nothing more.' });
  const agent = new InterruptController({ name: 'main', graceMs: 5 });
  const findings: string[] = [];
  const { read } = tellingOf(door.name);
  const chat = door.chat();
  const json = (): string => JSON.stringify(chat.messages);
  chat.onChange((messages) => {
    const refusal = refuseTold(read((JSON.parse(JSON.stringify(messages)) as Fields[]).map(plain)));
    if (refusal !== undefined) findings.push(`refused: ${refusal}`);
  });
  const told: string[] = [];
  for (const [at, { happenings }] of turns.entries()) {
    script = [...(replies[at] ?? [])];
    let events = 0;
    let isActing = false;
    const happen = (): void => {
      if (isActing) return;
      const now = events++;
      isActing = true;
      for (const { what } of happenings.filter((one) => one.at === now)) {
        if (what === 'cancel') agent.cancel('user');
        else if (what === 'kill') agent.kill('user');
        else {
          const mark = `«news ${String(++serial)}»`;
          const sent = agent.interject(mark, { delivery: what as 'now' });
          void sent.settled.then((end) => end === 'delivered' && told.push(mark));
        }
      }
      isActing = false;
    };
    const heard = agent.onEvent(happen);
    const prompt = `«prompt ${String(++serial)}»`;
    told.push(prompt);
    const report = await chat.runTurn(agent, prompt, (turn) =>
      door.run(turn as unknown as Turn, chat, `${server.url}/v1`, async (mark, signal) => {
        happen();
        if (kinds.get(mark) === 'fails') throw new Error(mark.replace('call', 'failure'));
        if (kinds.get(mark) === 'obeys') await delay(signal, 2);
        happen();
        return mark.replace('call', 'result');
      }),
    );
    heard.unregister();
    if (report.status === 'failed') findings.push(`failed: ${String(report.error)}`);
    // What a framework says of a tool that failed is its own.
    for (const row of report.calls) told.push(...(/^«result.*/.exec(String((row as { value?: unknown }).value)) ?? []));
    chat.late(agent.takeLateOutcomes());
  }
  for (const mark of told) {
    const times = json().split(mark).length - 1;
    if (times !== 1) findings.push(`${mark} stands ${String(times)} times`);
  }
  for (const { status } of server.requests) if (status !== 200) findings.push(`status ${String(status)}`);
  await agent.close();
  await server.close();
  return findings;
}

it.each(doors)('S45 $name: random turns lose nothing and tell nothing twice', { timeout: 7_200_000 }, async (door) => {
  await fc.assert(
    fc.asyncProperty(fc.array(randomTurn, { minLength: 1, maxLength: 2 }), async (turns) => {
      expect(await play(door, turns)).toEqual([]);
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? propertyRuns(25)) },
  );
});
