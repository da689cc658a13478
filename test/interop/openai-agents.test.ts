/** The loop of OpenAI Agents under a turn: nothing starts after a stop, and everything that ran is accounted for. */
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readRun, turnProvider, underTurn } from '../../src/adapters/openai-agents/index.ts';
import { InterruptController, type Turn } from '../../src/index.ts';
import type { ModelScript } from '../../src/testing/model-server/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { Conversation } from '../../src/transcript/index.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage, sentTexts } from './stage.ts';
import { itBare } from '../support/bare.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `@openai/agents ${major.version('@openai/agents')}`,
    sdk: await major.load<typeof import('@openai/agents')>('@openai/agents'),
  })),
);

const callSlow = { toolCalls: [{ name: 'slow', input: {} }] };
const twoSteps: ModelScript = [callSlow, 'All done.', 'too many'];

describe.each(loaded)('$name', ({ sdk }) => {
  sdk.setTracingDisabled(true);

  async function stage(script: ModelScript, graceMs = 1000) {
    const base = await frameworkStage(script, { graceMs });
    const client = new OpenAI({ baseURL: base.baseURL, apiKey: 'none', maxRetries: 0 });
    const model = new sdk.OpenAIChatCompletionsModel(client, 'scripted');
    return { ...base, model };
  }
  const toolOf = (execute: () => unknown) =>
    sdk.tool({
      name: 'slow',
      description: 'works',
      parameters: z.object({}),
      execute: execute,
    });
  const agentOf = (model: InstanceType<typeof sdk.OpenAIChatCompletionsModel>, execute?: () => unknown) =>
    new sdk.Agent({ name: 'worker', model, tools: execute === undefined ? [] : [toolOf(execute)] });
  const runWhole = (turn: Turn, worker: ReturnType<typeof agentOf>) =>
    readRun(turn.token, sdk.run(underTurn(turn, worker), 'go', { signal: turn.signal })).then(
      ({ finalOutput }) => finalOutput,
    );
  itBare('S15 bare, a stopped stream ends and completes; only a flag tells', async () => {
    const { agent, server, model } = await stage([{ text: 'one two three four', chunkMs: 100 }]);
    const running = agent.runTurn(async ({ signal }) => {
      const result = await sdk.run(agentOf(model), 'go', { signal, stream: true });
      for await (const event of result) void event;
      await result.completed;
      return result.cancelled;
    });
    await server.waitFor(({ requests }) => (requests[0]?.deltasWritten ?? 0) >= 2);
    agent.cancel('user');
    expect(await running).toMatchObject({ completed: { value: true } });
  });

  it.each([
    ['a yes of the hook', true, false],
    ['a no of the hook', false, false],
    ['a yes, before a stop', true, true],
  ])('what a hosted server of MCP asks has the answer that it was sent: %s', async (_what, approve, isStopped) => {
    const asks = { type: 'mcp_approval_request', id: 'q', name: 'pay', arguments: '{}', server_label: 'bank' };
    const content = [{ type: 'output_text', text: 'Well.', annotations: [] }];
    const said = { type: 'message', id: 'm1', role: 'assistant', status: 'completed', content };
    const sent: { readonly type: string; readonly approve?: boolean }[][] = [];
    const fetch = (_url: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
      const isFirst = sent.push((JSON.parse(String(init?.body)) as { input: (typeof sent)[number] }).input) === 1;
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
      return Promise.resolve(Response.json({ id: 'r', status: 'completed', output: [isFirst ? asks : said], usage }));
    };
    const model = new sdk.OpenAIResponsesModel(new OpenAI({ apiKey: 'none', fetch }), 'scripted');
    const onApproval = () => Promise.resolve({ approve });
    const bank = {
      serverLabel: 'bank',
      serverUrl: 'http://127.0.0.1/mcp',
      requireApproval: 'always',
      onApproval,
    } as const;
    const worker = new sdk.Agent({ name: 'w', model, tools: [sdk.hostedMcpTool(bank)] });
    const agent = new InterruptController();
    const chat = new Conversation(openaiAgents);
    for (const isLast of [false, true]) {
      await chat.runTurn(agent, 'go', async (turn) => {
        await readRun(turn.token, sdk.run(underTurn(turn, worker), chat.messages as never, { signal: turn.signal }));
        if (isStopped && !isLast) agent.cancel('user');
      });
    }
    const answers = sent.map((input) =>
      input.flatMap(({ type, approve: own }) => (type === 'mcp_approval_response' ? own : [])),
    );
    expect(answers).toEqual([[], [approve], [approve]]);
  });

  it('models that are only named are found under the turn', async () => {
    const { agent, server, model } = await stage(twoSteps);
    const worker = new sdk.Agent({
      name: 'worker',
      model: 'any',
      tools: [
        toolOf(() => {
          agent.interject('use pnpm');
          return 'ok';
        }),
      ],
    });
    const report = await agent.runTurn(async (turn) => {
      const runner = new sdk.Runner({ modelProvider: turnProvider(turn, { getModel: () => model }) });
      const { finalOutput } = await readRun(
        turn.token,
        runner.run(underTurn(turn, worker), 'go', { signal: turn.signal }),
      );
      return finalOutput;
    });
    expect(report.unwrap()).toBe('All done.');
    expect(sentTexts(server, 2).at(-1)).toContain('use pnpm');
  });

  it.each(['an agent', 'handoff()'])('S04 %s that was handed over to is under the turn too', async (how) => {
    const { agent, server, model } = await stage(
      [{ toolCalls: [{ name: 'transfer_to_worker', input: {} }] }, callSlow, 'too many'],
      0,
    );
    const work = deafWork();
    const worker = agentOf(model, work.run);
    const boss = new sdk.Agent({
      name: 'boss',
      model,
      handoffs: [how === 'an agent' ? worker : sdk.handoff(worker)],
    });
    const running = agent.runTurn((turn) => runWhole(turn, boss));
    await work.started;
    agent.cancel('user');
    expect(await running).toMatchObject({ status: 'cancelled', calls: [{ name: 'slow', status: 'unknown' }] });
    expect(server.requests).toHaveLength(2);
    work.end.resolve('');
  });

  it('S02 a stop while a handoff is on its way leads to no other agent', async () => {
    const { agent, server, model } = await stage([
      { toolCalls: [{ name: 'transfer_to_worker', input: {} }] },
      'too many',
    ]);
    const onHandoff = (): void => {
      agent.cancel('user');
    };
    const boss = new sdk.Agent({ name: 'boss', model, handoffs: [sdk.handoff(agentOf(model), { onHandoff })] });
    expect((await agent.runTurn((turn) => runWhole(turn, boss))).status).toBe('cancelled');
    expect(server.requests).toHaveLength(1);
  });

  it('S01 a deaf tool of an MCP server that the agent lists does not hold up a stop, and is named', async () => {
    const { agent, server, model } = await stage(twoSteps, 0);
    const work = deafWork();
    const inputSchema = { type: 'object' as const, properties: {}, required: [], additionalProperties: false };
    const mcp = {
      name: 'files',
      cacheToolsList: false,
      connect: () => Promise.resolve(),
      close: () => Promise.resolve(),
      invalidateToolsCache: () => Promise.resolve(),
      listTools: () => Promise.resolve([{ name: 'slow', description: 'works', inputSchema }]),
      callTool: () => work.run().then((text) => [{ type: 'text', text }]),
    };
    const worker = new sdk.Agent({ name: 'worker', model, mcpServers: [mcp] });
    const running = agent.runTurn((turn) => runWhole(turn, worker));
    await work.started;
    agent.cancel('user');
    expect(await running).toMatchObject({ status: 'cancelled', calls: [{ name: 'slow', status: 'unknown' }] });
    expect(server.requests).toHaveLength(1);
    work.end.resolve('');
  });

  it('leaves a failure of the model what it is', async () => {
    const { agent, model } = await stage([{ status: 400, message: 'no such model' }]);
    const report = await agent.runTurn((turn) => runWhole(turn, agentOf(model)));
    expect(report).toMatchObject({ status: 'failed', error: { status: 400 } });
  });
});
