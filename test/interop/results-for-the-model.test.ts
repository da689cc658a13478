/**
 * What of a result is not for the model – an artifact, the state of a graph, what a guardrail withholds – is not told by
 * settling either; and what the SDK would send in parts goes out in parts.
 */
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { underTurn } from '../../src/adapters/openai-agents/index.ts';
import { turnModel } from '../../src/adapters/langchain/index.ts';
import { guardTool, guardTools } from '../../src/guard/index.ts';
import { InterruptController, type Turn, type TurnReport } from '../../src/index.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { aiSDKUI } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { checkTranscript, type Render } from '../../src/transcript/index.ts';
import { repairWith } from '../transcript/support/repair-with.ts';
import { majors } from './majors.ts';
import { repairReport } from '../transcript/support/repair-report.ts';

const loaded = await Promise.all(
  majors.map(async ({ name, load }) => ({
    name,
    ai: await load<typeof import('ai')>('ai'),
    agents: await load<typeof import('@openai/agents')>('@openai/agents'),
    tools: await load<typeof import('@langchain/core/tools')>('@langchain/core/tools'),
    messages: await load<typeof import('@langchain/core/messages')>('@langchain/core/messages'),
    graph: await load<typeof import('@langchain/langgraph')>('@langchain/langgraph'),
    chat: await load<typeof import('@langchain/openai')>('@langchain/openai'),
  })),
);

const parameters = z.object({});

describe.each(loaded)('$name', ({ ai, agents, tools, messages, graph, chat }) => {
  /** What LangChain itself says of a tool's result, and what settling says where the graph died before it said so. */
  async function toldByLangChain(work: () => unknown, responseFormat = 'content') {
    const controller = new InterruptController();
    let own: unknown;
    const report = await controller.runTurn(async (turn) => {
      const run = guardTool(async (_input: object, _config: object) => await Promise.resolve(work()), { turn });
      const look = tools.tool(run, { name: 'look', description: 'looks', schema: parameters, responseFormat });
      const model = new chat.ChatOpenAI({ model: 'gpt', apiKey: 'none' });
      turnModel(turn, model as never as { invoke(): Promise<unknown>; bindTools(tools: unknown[]): unknown }).bindTools(
        [look],
      );
      own = await look.invoke({ type: 'tool_call', id: 'a', name: 'look', args: {} }, { signal: turn.signal });
      controller.cancel('user');
      turn.checkpoint();
    });
    const call = { id: 'a', name: 'look', args: {}, type: 'tool_call' as const };
    const asked = ['Look.', new messages.AIMessage({ content: '', tool_calls: [call] })];
    const settled = repairReport(asked, report, { dialect: langchain }).messages.at(-1) as { content: unknown };
    return { own: (own as { content?: unknown }).content, settled: settled.content };
  }

  it('LangChain: an artifact beside the content is not told', async () => {
    const told = await toldByLangChain(() => ['3 rows', { rows: ['SECRET'] }], 'content_and_artifact');
    expect(told).toEqual({ own: '3 rows', settled: '3 rows' });
  });

  it('LangChain: a list of two that is no such pair is told whole', async () => {
    expect((await toldByLangChain(() => ['a', 'b'])).settled).toBe('["a","b"]');
  });

  it('LangChain: the artifact of a message is not told', async () => {
    const fields = { content: 'fetched', artifact: { k: 'SECRET' }, tool_call_id: 'a' };
    const told = await toldByLangChain(() => new messages.ToolMessage(fields));
    expect(told).toEqual({ own: 'fetched', settled: 'fetched' });
  });

  it('LangChain: the state that a command sets is not told', async () => {
    const answer = new messages.ToolMessage({ content: 'logged in', tool_call_id: 'a' });
    const told = await toldByLangChain(() => new graph.Command({ update: { token: 'SECRET', messages: [answer] } }));
    expect(told.settled).toBe('logged in');
  });

  it.each([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    { type: 'file', mimeType: 'application/pdf', data: 'JVBERi0=' },
    { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'x' }] },
  ])('LangChain: a block of type $type is told as a block', async (block) => {
    expect(await toldByLangChain(() => [block])).toEqual({ own: [block], settled: [block] });
  });

  it('OpenAI Agents: what an output guardrail withholds is not told', async () => {
    const withhold = agents.defineToolOutputGuardrail({
      name: 'pii',
      run: () => Promise.resolve(agents.ToolGuardrailFunctionOutputFactory.rejectContent('[withheld]')),
    });
    const told = await toldByAgents('SSN 078-05-1120', { outputGuardrails: [withhold] });
    expect(told.settled).toEqual({ type: 'text', text: '[withheld]' });
    expect(JSON.stringify(told.items)).not.toContain('078');
  });

  it.each([
    ['a picture', { type: 'image', image: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' }],
    ['a picture by its id', { type: 'image', image: { fileId: 'file_1' } }],
    ['a file', { type: 'file', file: { data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'a.pdf' } }],
    ['a file without a name', { type: 'file', file: { data: 'JVBERi0=', mediaType: 'application/pdf' } }],
    ['a file by its address', { type: 'file', file: { url: 'https://example.org/a.pdf' } }],
    ['texts', [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }]], // prettier-ignore
  ])('OpenAI Agents: %s in the form of the SDK is told as the SDK tells it', async (_what, value) => {
    const told = await toldByAgents(value);
    expect(told.settled).toEqual(told.own);
  });

  /** What settling says of a tool that ended beside one that was stopped, and what the SDK had made of it by itself. */
  async function toldByAgents(value: unknown, more: object = {}) {
    agents.setTracingDisabled(true);
    const both = ['look', 'wait'].map((name) => ({ name, input: {} }));
    const server = await startModelServer({ script: [{ toolCalls: both }, { toolCalls: both.slice(0, 1) }, 'ok'] });
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
    const model = new agents.OpenAIResponsesModel(client, 'gpt');
    const controller = new InterruptController();
    const settings = { description: 'x', parameters, ...more };
    const look = agents.tool({ ...settings, name: 'look', execute: () => Promise.resolve(value as string) });
    const wait = agents.tool({
      description: 'x',
      parameters,
      name: 'wait',
      execute: async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        controller.cancel('user');
        return 'waited';
      },
    });
    const worker = new agents.Agent({ name: 'worker', model, tools: [look, wait] });
    const report: TurnReport<unknown> = await controller.runTurn((turn: Turn) =>
      agents.run(underTurn(turn, worker), 'go', { signal: turn.signal }),
    );
    const plain = new agents.Agent({ name: 'worker', model, tools: [look] });
    const { history } = await agents.run(plain, 'go');
    await server.close();
    const call = { type: 'function_call', callId: 'call_1_1', name: 'look', arguments: '{}', status: 'completed' };
    const items = repairReport([{ role: 'user', content: 'go' }, call as object], report, { dialect: openaiAgents });
    const outputIn = (list: readonly object[]): unknown =>
      (list.find((item) => (item as { type?: string }).type === 'function_call_result') as { output?: unknown }).output;
    return { items: items.messages, settled: outputIn(items.messages), own: outputIn(history) };
  }

  it('AI SDK: a call whose output JSON has left out gets one that the SDK takes', async () => {
    const saved = [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] },
      {
        id: 'm',
        role: 'assistant',
        parts: [{ type: 'tool-save', toolCallId: 'a', state: 'output-available', input: {} }],
      },
    ] as const;
    expect(checkTranscript(saved, { dialect: aiSDKUI })).toMatchObject([{ at: 1, rule: 'result-content' }]);
    const { messages: settled } = repairWith(saved, { dialect: aiSDKUI });
    expect(checkTranscript(settled, { dialect: aiSDKUI })).toEqual([]);
    await expect(ai.validateUIMessages({ messages: settled })).resolves.toHaveLength(2);
  });
});

it('LangChain: what a middleware makes of a result is not known, and `render` says it', async () => {
  const { load } = majors[0] as (typeof majors)[number];
  const { createAgent, createMiddleware } = await load<typeof import('langchain')>('langchain');
  const [{ tools, messages, chat }] = loaded as [(typeof loaded)[number]];
  const both = ['look', 'wait'].map((name) => ({ name, input: {} }));
  const server = await startModelServer({ script: [{ toolCalls: both }] });
  const configuration = { baseURL: `${server.url}/v1` };
  const model = new chat.ChatOpenAI({ model: 'gpt', apiKey: 'none', maxRetries: 0, configuration });
  const controller = new InterruptController();
  const withhold = createMiddleware({
    name: 'withhold',
    wrapToolCall: async (request, handler) => {
      const { tool_call_id } = (await handler(request)) as InstanceType<typeof messages.ToolMessage>;
      return new messages.ToolMessage({ tool_call_id, content: '[withheld]' });
    },
  });
  const report = await controller.runTurn(async (turn) => {
    const work = {
      look: (_input: object, _config: object) => Promise.resolve('SSN 078-05-1120'),
      wait: async (_input: object, _config: object) => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        controller.cancel('user');
      },
    };
    const own = Object.entries(guardTools(work, { turn })).map(([name, run]) =>
      tools.tool(run as () => unknown, { name, description: name, schema: parameters }),
    );
    const agent = createAgent({ model: turnModel(turn, model), tools: own, middleware: [withhold] });
    await agent.invoke({ messages: [{ role: 'user', content: 'go' }] }, { signal: turn.signal });
  });
  await server.close();
  const asked = [
    'go',
    new messages.AIMessage({
      content: '',
      tool_calls: [{ id: 'call_1_1', name: 'look', args: {}, type: 'tool_call' }],
    }),
  ];
  const told = (render?: Render): string => {
    const options = { dialect: langchain, ...(render && { render }) };
    return JSON.stringify(repairReport(asked, report, options).messages[2]);
  };
  expect(told()).toContain('078-05-1120');
  expect(told(({ name, status }) => (name === 'look' && status === 'completed' ? '[withheld]' : undefined))).toContain(
    '"content":"[withheld]"',
  );
});
