/** Every door with a loop behind it, in the newest major of its package. */
import { z } from 'zod';
import { underTurn as aiUnderTurn } from '../../../../src/adapters/ai-sdk/index.ts';
import { turnModel } from '../../../../src/adapters/langchain/index.ts';
import { underTurn as agentUnderTurn } from '../../../../src/adapters/openai-agents/index.ts';
import { guardTools } from '../../../../src/guard/index.ts';
import type { Turn, TurnBudget } from '../../../../src/index.ts';
import type { Major } from '../../majors.ts';
import { frameworkStage } from '../../stage.ts';
import { agUiAgents } from '../agents/ag-ui.ts';
import { aiSdkAgents } from '../agents/ai-sdk.ts';
import { claudeAgents } from '../agents/claude-agent.ts';
import { langgraphAgents } from '../agents/langgraph.ts';
import { mastraAgents } from '../agents/mastra.ts';
import { openaiAgentsAgents } from '../agents/openai-agents.ts';
import { piAgents } from '../agents/pi.ts';
import { claudeStage } from '../claude/stage.ts';
import { aiSdk } from '../frameworks/ai-sdk.ts';
import type { Framework } from '../frameworks/framework.ts';
import { langchainAgent } from '../frameworks/langgraph.ts';
import { chatModels } from '../frameworks/langchain-models.ts';
import { callsOf, rowsOf } from '../frameworks/loop-stage.ts';
import { mastra, quiet } from '../frameworks/mastra.ts';
import { openaiAgents } from '../frameworks/openai-agents.ts';
import { piFrameworks } from '../frameworks/pi.ts';
import { factNames, type Door, type FactName } from './door.ts';

const [, , , , , cost, leaving, aside, inner, thrown, , copies] = factNames;
const keepsItself = 'what its loop is told it keeps itself, and nothing runs beside it';
const asksItself = 'its question is one of the call: it has not started, and is told so';

/** A loop of one call and an answer, whole and as a stream. */
const loopsOf = (...frameworks: readonly Framework[]): Pick<Door, 'frameworks' | 'spend'> => ({
  frameworks,
  spend: async (budget: TurnBudget) => {
    const ends = [];
    for (const framework of frameworks) {
      for (const stream of [false, true]) {
        const { agent, server, baseURL } = await frameworkStage([callsOf('note'), 'Went on.', 'too many']);
        const tools = { note: () => 'noted' };
        const report = await agent.runTurn((turn) => framework.run(turn, { baseURL, stream, tools }), { budget });
        ends.push({ report, asked: server.requests.length });
      }
    }
    const [first] = ends;
    if (first === undefined || ends.some(({ asked }) => asked !== first.asked)) throw new Error(JSON.stringify(ends));
    return first;
  },
});

/** Runs a loop until its tool has left it. */
async function left(
  run: (turn: Omit<Turn, 'model'>, baseURL: string) => Promise<unknown>,
): ReturnType<NonNullable<Door['leave']>> {
  const { agent, server, baseURL } = await frameworkStage([callsOf('pay'), 'too many']);
  const report = await agent.runTurn((turn) => run(turn, baseURL));
  if (report.status !== 'completed') throw new Error(`the turn was ${report.status}`);
  return { rows: rowsOf(report), requests: server.requests.map(({ body }) => JSON.stringify(body)) };
}

const nothingOf = (names: readonly FactName[], why: string): Door['leftOut'] =>
  Object.fromEntries(names.map((name) => [name, why]));

export async function doorsOf(major: Major): Promise<readonly Door[]> {
  const ai = await major.load<typeof import('ai')>('ai');
  const openai = await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai');
  const agents = await major.load<typeof import('@openai/agents')>('@openai/agents');
  const langchain = await major.load<typeof import('langchain')>('langchain');
  const langgraph = await major.load<typeof import('@langchain/langgraph')>('@langchain/langgraph');
  const core = await major.load<typeof import('@langchain/core/tools')>('@langchain/core/tools');
  const mastraAgent = await major.load<typeof import('@mastra/core/agent')>('@mastra/core/agent');
  const mastraTools = await major.load<typeof import('@mastra/core/tools')>('@mastra/core/tools');
  const mastraOpenai = await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai-v5');
  const { default: OpenAI } = await import('openai');
  const { ChatOpenAI: chatOpenAI } = await chatModels(major);
  const claude = await claudeAgents(major);
  const pay = { name: 'pay', description: 'pays' };
  const none = z.object({});
  const paid = (): Promise<string> => Promise.resolve('paid');
  const harnessOf = async (make: (of: Major) => Promise<{ name: string; guarded: Door['harness'] }>) => {
    const { name, guarded } = await make(major);
    return { name, ...(guarded && { harness: guarded }) };
  };
  const pi = piAgents;
  return [
    {
      ...(await harnessOf(aiSdkAgents)),
      ...loopsOf(await aiSdk(major)),
      leave: () =>
        left((turn, baseURL) => {
          const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one way that both majors have
          const tools = { pay: ai.tool({ inputSchema: none, needsApproval: true, execute: paid }) };
          return ai.generateText(aiUnderTurn(turn, { model, tools, prompt: 'go', stopWhen: ai.stepCountIs(3) }));
        }),
      leftOut: {},
    },
    {
      ...(await harnessOf(openaiAgentsAgents)),
      ...loopsOf(await openaiAgents(major)),
      leave: () =>
        left((turn, baseURL) => {
          const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
          const tool = agents.tool({ ...pay, parameters: none, needsApproval: true, execute: paid });
          const model = new agents.OpenAIChatCompletionsModel(client, 'scripted');
          const worker = new agents.Agent({ name: 'worker', model, tools: [tool] });
          return agents.run(agentUnderTurn(turn, worker), 'go', { signal: turn.signal });
        }),
      leftOut: { [thrown]: 'its tool makes words of whatever is thrown, so the call is completed' },
    },
    {
      ...(await harnessOf(langgraphAgents)),
      ...loopsOf(await langchainAgent(major)),
      leave: () =>
        left((turn, baseURL) => {
          const { run } = guardTools(
            { run: async () => await Promise.resolve(String(langgraph.interrupt('sure?'))) },
            { turn },
          );
          const tool = core.tool(run, { ...pay, schema: none });
          const model = turnModel(turn, chatOpenAI({ baseURL }));
          const graph = langchain.createAgent({ model, tools: [tool], checkpointer: new langgraph.MemorySaver() });
          const config = { configurable: { thread_id: '1' }, signal: turn.signal };
          return graph.invoke({ messages: [{ role: 'user', content: 'go' }] }, config);
        }),
      leftOut: {},
    },
    {
      ...(await harnessOf(mastraAgents)),
      mostAtOnce: 10,
      ...loopsOf(await mastra(major)),
      leave: () =>
        left(async (turn, baseURL) => {
          const { model } = aiUnderTurn(turn, {
            model: mastraOpenai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted'),
          });
          const tool = mastraTools.createTool({
            ...{ id: 'pay', description: 'pays', inputSchema: none },
            execute: async (
              _input: unknown,
              context?: { agent?: { suspend?: (payload: object) => Promise<unknown> } },
            ) => await context?.agent?.suspend?.({ sum: 7 }),
          });
          const tools = guardTools({ pay: tool }, { turn });
          const own = {
            id: 'worker',
            name: 'worker',
            instructions: 'work',
            model: model as never,
            tools: tools as never,
          };
          const worker = new mastraAgent.Agent(own);
          worker.__setLogger(quiet as never);
          const result = await worker.stream('go', { abortSignal: turn.signal, maxSteps: 3 });
          for await (const part of result.fullStream) if (part.type === 'error') throw part.payload.error;
        }),
      leftOut: {},
    },
    {
      ...{ name: pi.name, harness: pi.guarded, ...loopsOf(...piFrameworks) },
      leftOut: { [leaving]: asksItself, [aside]: keepsItself },
    },
    {
      name: claude.name,
      harness: claude.guarded,
      async spend(budget) {
        const { run, heard } = claudeStage();
        const report = await run('use freeRead', { budget });
        const asked = heard().includes('ran freeRead') ? 1 : 0;
        return { report, asked };
      },
      leftOut: { [leaving]: asksItself, ...nothingOf([aside, inner, copies], keepsItself) },
      close: claude.close,
    },
    {
      ...(await harnessOf(agUiAgents)),
      leftOut: {
        [cost]: 'the body of a run asks its model by the turn, which counts',
        [leaving]: 'a run that ends with interrupts has finished, and its calls are the next one’s',
        ...nothingOf(
          [aside, inner, copies],
          'the body of a run asks its model by the turn, which knows whom it is for',
        ),
      },
    },
    {
      name: 'remote-run',
      leftOut: nothingOf(
        factNames,
        'the model is on the other machine: what becomes of the work is the error of the call',
      ),
    },
  ];
}
