/** MCP clients that frameworks bring along: what a server hears of a stop, and what the ledger says of its work. */
import { createMCPClient, type MCPTransport } from '@ai-sdk/mcp';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { fc } from '@fast-check/vitest';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { underTurn } from '../../src/adapters/ai-sdk/index.ts';
import { cancellableTransport } from '../../src/adapters/mcp/index.ts';
import { readRun, underTurn as agentUnderTurn } from '../../src/adapters/openai-agents/index.ts';
import { guardTools } from '../../src/guard/index.ts';
import { InterruptController } from '../../src/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { majors } from './majors.ts';
import { frameworkStage } from './stage.ts';
import { stdioParameters } from './support/mcp-rigs.ts';
import type { Message } from './support/mcp-tools.ts';
import { itBare } from '../support/bare.ts';

const aiMajors = await Promise.all(
  majors.map(async (major) => ({
    name: `ai ${major.version('ai')}`,
    ai: await major.load<typeof import('ai')>('ai'),
    openai: await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
  })),
);
const agentMajors = await Promise.all(
  majors.map(async (major) => ({
    name: `@openai/agents ${major.version('@openai/agents')}`,
    sdk: await major.load<typeof import('@openai/agents')>('@openai/agents'),
  })),
);

const geminiMajors = await Promise.all(
  majors.map(async (major) => ({
    name: `@google/genai ${major.version('@google/genai')}`,
    genai: await major.load<typeof import('@google/genai')>('@google/genai'),
  })),
);

const adapterMajors = await Promise.all(
  majors.map(async (major) => ({
    name: `@langchain/mcp-adapters ${major.version('@langchain/mcp-adapters')}`,
    adapters: await major.load<typeof import('@langchain/mcp-adapters')>('@langchain/mcp-adapters'),
  })),
);

const secret = { kind: 'user', message: 'the customer is the one from Monday' } as const;

/** A server that works until it is told, or until the test lets it, and writes down what reaches it. */
async function serverOf() {
  const server = new McpServer({ name: 'files', version: '1.0.0' });
  const told: unknown[] = [];
  const started = deferred();
  const end = deferred();
  let calls = 0;
  server.registerTool('slow', { description: 'works' }, async ({ signal }) => {
    calls += 1;
    started.resolve();
    signal.addEventListener('abort', () => end.resolve());
    await end.promise;
    return { content: [{ type: 'text', text: 'done' }] };
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const heard = far.onmessage;
  far.onmessage = (message, extra) => {
    const { method, params } = message as { method?: string; params?: { reason?: string } };
    if (method === 'notifications/cancelled') told.push(params?.reason);
    heard?.(message, extra);
  };
  onTestFinished(async () => {
    end.resolve();
    await server.close();
  });
  return { transport: near as unknown as MCPTransport, told, started: started.promise, end, calls: () => calls };
}

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe.each(aiMajors)('the MCP client of the AI SDK, $name', ({ ai, openai }) => {
  async function play(isWrapped: boolean, by: 'door' | 'guard' | 'guard and door' = 'door') {
    const server = await serverOf();
    const base = await frameworkStage([{ toolCalls: [{ name: 'slow', input: {} }] }, 'done', 'too many']);
    const transport = isWrapped ? cancellableTransport(server.transport) : server.transport;
    const client = await createMCPClient({ transport });
    onTestFinished(() => client.close());
    const given = await client.tools();
    const tools = by === 'door' ? given : guardTools(given);
    const model = openai.createOpenAI({ baseURL: base.baseURL, apiKey: 'none' }).chat('scripted');
    const settings = { model, tools, prompt: 'go', stopWhen: ai.stepCountIs(3), maxRetries: 0 };
    const running = base.agent.runTurn((turn) =>
      ai.generateText(
        (by === 'guard' ? { ...settings, abortSignal: turn.signal } : underTurn(turn, settings as never)) as never,
      ),
    );
    return { ...server, ...base, running };
  }

  it.each(['door', 'guard', 'guard and door'] as const)(
    'a stopped call is unknown, and the server learns nothing of it, under a %s',
    async (by) => {
      const { agent, running, started, told } = await play(false, by);
      await started;
      agent.cancel(secret);
      const report = await running;
      expect(report).toMatchObject({ status: 'cancelled', calls: [{ name: 'slow', status: 'unknown' }] });
      expect(report.calls).toHaveLength(1);
      expect(report.stop?.abandoned).toEqual([]);
      await turnOfLoop();
      expect(told).toEqual([]);
    },
  );

  it('a stopped call is unknown, and over a wrapped transport the server is told once, in neutral words', async () => {
    const { agent, running, started, told } = await play(true);
    await started;
    agent.cancel(secret);
    expect(await running).toMatchObject({ status: 'cancelled', calls: [{ name: 'slow', status: 'unknown' }] });
    await turnOfLoop();
    expect(told).toEqual(['Request cancelled']);
  });

  it('a call that was answered is completed, and no stop announces it', async () => {
    const { agent, running, started, end, told } = await play(true);
    await started;
    end.resolve();
    expect(await running).toMatchObject({ status: 'completed', calls: [{ name: 'slow', status: 'completed' }] });
    agent.cancel(secret);
    await turnOfLoop();
    expect(told).toEqual([]);
  });
});

it('five hundred calls of the AI SDK’s client, half of which are stopped: the server is told of each of these once', async () => {
  const { transport, told, end, started, calls } = await serverOf();
  const client = await createMCPClient({ transport: cancellableTransport(transport) });
  onTestFinished(() => client.close());
  const { slow } = guardTools(await client.tools());
  const agent = new InterruptController();
  const stops = Array.from({ length: 500 }, () => new AbortController());
  const call = (stop: AbortController, at: number): unknown =>
    slow?.execute({}, { abortSignal: stop.signal, toolCallId: String(at), messages: [], context: {} } as never);
  const running = Promise.allSettled(stops.map(call));
  await started;
  await expect.poll(calls).toBe(500);
  for (const stop of stops.filter((_, at) => at % 2 === 0)) stop.abort('a secret');
  end.resolve();
  await running;
  for (const stop of stops) stop.abort('later');
  await turnOfLoop();
  await agent.close();
  expect([told.length, new Set(told)]).toEqual([250, new Set(['Request cancelled'])]);
});

describe.each(adapterMajors)('the MCP tools of $name', ({ adapters }) => {
  async function play(isHandedOn: boolean) {
    const server = await serverOf();
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(server.transport);
    onTestFinished(() => client.close());
    const tools = await adapters.loadMcpTools('files', client);
    const agent = new InterruptController();
    const running = agent.runTurn(async (turn) => {
      const [slow] = guardTools(tools, { turn });
      const config = isHandedOn ? { signal: turn.signal } : undefined;
      return (await slow?.invoke({ id: 'c1', name: 'slow', args: {}, type: 'tool_call' }, config)) as unknown;
    });
    await server.started;
    return { ...server, agent, running };
  }

  it.each([true, false])(
    'a stopped call is unknown, and the server is told in neutral words, signal: %s',
    async (is) => {
      const { agent, running, told } = await play(is);
      agent.cancel(secret);
      const report = await running;
      expect(report).toMatchObject({ status: 'cancelled', calls: [{ id: 'c1', name: 'slow', status: 'unknown' }] });
      expect(report.stop?.abandoned).toEqual([]);
      await turnOfLoop();
      expect(told).toEqual(['Request cancelled']);
    },
  );

  it('a call that was answered is completed', async () => {
    const { running, end, told } = await play(true);
    end.resolve();
    expect(await running).toMatchObject({ status: 'completed', calls: [{ id: 'c1', status: 'completed' }] });
    expect(told).toEqual([]);
  });
});

describe.each(agentMajors)('the MCP servers of $name', ({ sdk }) => {
  sdk.setTracingDisabled(true);

  /** A server of the SDK's own class, in a process of its own, which remembers what reached it. */
  async function play(tool: string, isUnder = true) {
    const base = await frameworkStage([{ toolCalls: [{ name: tool, input: {} }] }, 'done', 'too many']);
    const openai = new OpenAI({ baseURL: base.baseURL, apiKey: 'none', maxRetries: 0 });
    const mcp = new sdk.MCPServerStdio({ name: 'recording', clientSessionTimeoutSeconds: 120, ...stdioParameters(1) });
    await mcp.connect();
    onTestFinished(() => mcp.close());
    const received = async (): Promise<readonly Message[]> => {
      const [content] = (await mcp.callTool('log', {})) as readonly { readonly text?: string }[];
      return (JSON.parse(content?.text ?? '') as { received: Message[] }).received;
    };
    const model = new sdk.OpenAIChatCompletionsModel(openai, 'scripted');
    const worker = new sdk.Agent({ name: 'worker', model, mcpServers: [mcp] });
    const running = base.agent.runTurn((turn) =>
      readRun(turn.token, sdk.run(isUnder ? agentUnderTurn(turn, worker) : worker, 'go', { signal: turn.signal })),
    );
    const reasons = async (): Promise<readonly unknown[]> =>
      (await received())
        .filter(({ method }) => method === 'notifications/cancelled')
        .map(({ params }) => params?.reason);
    const isCalled = async (): Promise<boolean> => (await received()).some(({ params }) => params?.name === tool);
    return { ...base, running, reasons, isCalled };
  }

  it('the words of a person do not reach a server, and its work is unknown', async () => {
    const { agent, running, reasons, isCalled } = await play('polite');
    await expect.poll(isCalled).toBe(true);
    agent.cancel(secret);
    expect(await running).toMatchObject({ status: 'cancelled', calls: [{ name: 'polite', status: 'unknown' }] });
    expect(JSON.stringify(await reasons())).not.toContain('Monday');
  });

  it('a call that was answered is completed, and no stop announces it', async () => {
    const { agent, running, reasons } = await play('quick');
    expect(await running).toMatchObject({ status: 'completed', calls: [{ name: 'quick', status: 'completed' }] });
    agent.cancel(secret);
    expect(await reasons()).toEqual([]);
  });

  itBare('bare, a server reads what the person has said, where the SDK hands a signal on at all', async () => {
    const { agent, running, reasons, isCalled } = await play('polite', false);
    await expect.poll(isCalled).toBe(true);
    agent.cancel(secret);
    await running;
    expect(['AbortError: the customer is the one from Monday', undefined]).toContain((await reasons())[0]);
  });
});

describe.each(geminiMajors)('mcpToTool of $name', ({ genai }) => {
  type McpClient = Parameters<typeof genai.mcpToTool>[0];

  /** A client as `mcpToTool` takes one; of its own accord it hands no signal on. */
  async function clientOf() {
    const server = await serverOf();
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(cancellableTransport(server.transport));
    onTestFinished(() => client.close());
    const under = (signal: AbortSignal): McpClient => {
      const callTool: Client['callTool'] = (params, schema, options) =>
        client.callTool(params, schema, { ...options, signal });
      return { listTools: client.listTools.bind(client), callTool } as McpClient;
    };
    return { ...server, client: client as unknown as McpClient, under };
  }

  async function play(isUnder: boolean) {
    const server = await clientOf();
    const base = await frameworkStage([{ toolCalls: [{ name: 'slow', input: {} }] }, 'done', 'too many']);
    const httpOptions = { baseUrl: base.server.url };
    const { models } = new genai.GoogleGenAI({ apiKey: 'none', httpOptions });
    const running = base.agent.runTurn(async (turn) => {
      const tools = [genai.mcpToTool(isUnder ? server.under(turn.signal) : server.client)];
      const config = { tools, abortSignal: turn.signal };
      return (await models.generateContent({ model: 'gemini-3-pro', contents: 'go', config })).text;
    });
    await Promise.race([server.started, running]);
    return { ...server, ...base, running };
  }

  itBare('bare, the SDK waits for a stopped call, and its server learns nothing', async () => {
    const { agent, running, told, end } = await play(false);
    agent.cancel(secret);
    await turnOfLoop();
    expect(told).toEqual([]);
    end.resolve();
    await running;
    await turnOfLoop();
    expect(told).toEqual([]);
  });

  it('a call of a client that is given the signal ends with the stop, and the server is told once, in neutral words', async () => {
    const { agent, running, told, server } = await play(true);
    agent.cancel(secret);
    expect((await running).status).toBe('cancelled');
    await turnOfLoop();
    expect([told, server.requests.length]).toEqual([['Request cancelled'], 1]);
  });

  it('a call of a client that was answered is announced by no stop', async () => {
    const { agent, running, told, end } = await play(true);
    end.resolve();
    expect((await running).unwrap()).toBe('done');
    agent.cancel(secret);
    await turnOfLoop();
    expect(told).toEqual([]);
  });

  it('five hundred calls, stopped at random, before their answer or after it: the server is told of each open one once', async () => {
    const moments = fc.sample(fc.constantFrom('open', 'answered', 'never'), 500);
    const { under, told, end, calls } = await clientOf();
    const stops = moments.map((moment) => ({ moment, stop: new AbortController() }));
    const running = stops.map(({ stop }) => genai.mcpToTool(under(stop.signal)).callTool([{ name: 'slow', args: {} }]));
    const settled = Promise.allSettled(running);
    await expect.poll(calls).toBe(500);
    for (const { moment, stop } of stops) if (moment === 'open') stop.abort('a secret');
    end.resolve();
    const rejected = (await settled).filter(({ status }) => status === 'rejected');
    for (const { moment, stop } of stops) if (moment === 'answered') stop.abort('a secret');
    await turnOfLoop();
    const open = moments.filter((moment) => moment === 'open').length;
    expect([rejected.length, told.length, new Set(told)]).toEqual([open, open, new Set(['Request cancelled'])]);
  });
});
