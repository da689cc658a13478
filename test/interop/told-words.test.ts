/** The words of a guard's `dialect`, in the form in which each framework takes them. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { underTurn } from '../../src/adapters/ai-sdk/index.ts';
import { guardTool } from '../../src/guard/index.ts';
import { mapDialect } from '../../src/transcript/index.ts';
import { openaiChat, type OpenAIChatMessage } from '../../src/transcript/dialects/openai-chat/index.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage } from './stage.ts';
import { serverSdk } from './support/mcp-servers.ts';
import { load } from './newest/load.ts';

const dialect = mapDialect(openaiChat, {
  toWire: (one: { readonly wire: OpenAIChatMessage }) => one.wire,
  fromWire: (wire) => ({ wire }),
});
const stopped = 'This call was stopped part-way: the user cancelled.';

/** Ends with its signal. */
async function held(signal: AbortSignal | undefined): Promise<never> {
  return await new Promise((_resolve, reject) => {
    const stop = (): void => {
      reject(signal?.reason as Error);
    };
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

const loaded = await Promise.all(
  majors.map(async ({ name, load }) => ({
    name,
    ai: await load<typeof import('ai')>('ai'),
    openai: await load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
    tools: await load<typeof import('@langchain/core/tools')>('@langchain/core/tools'),
  })),
);

describe.each(loaded)('the words of a dialect, $name', ({ ai, openai, tools }) => {
  it('are the last piece of a generator of the AI SDK, and its loop goes on', async () => {
    const { agent, server, baseURL } = await frameworkStage([{ toolCalls: [{ name: 'read', input: {} }] }, 'end']);
    const read = ai.tool({
      inputSchema: z.object({}),
      async *execute(_input, { abortSignal, toolCallId }) {
        yield 'half';
        agent.cancelCall(toolCallId, 'user');
        await held(abortSignal);
      },
    });
    const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted');
    const report = await agent.runTurn(async (turn) => {
      const settings = { model, tools: { read }, prompt: 'go', stopWhen: ai.stepCountIs(3) };
      return (await ai.generateText(underTurn(turn, settings, { dialect }))).text;
    });
    expect(report.unwrap()).toBe('end');
    expect(report.calls).toMatchObject([{ name: 'read', status: 'stopped' }]);
    const told = (server.requests.at(-1)?.body['messages'] as { content: string }[]).at(-1);
    expect(told?.content).toMatch(stopped);
  });

  it.each([
    ['content', undefined],
    ['content_and_artifact', (text: string) => [text, undefined]],
  ])('are the %s of a tool of LangChain', async (form, toResult) => {
    const { agent } = await frameworkStage([]);
    const report = await agent.runTurn(async (turn) => {
      const run = guardTool(
        async (_input: object, { signal }: { readonly signal?: AbortSignal }) => {
          agent.cancelCall('a', 'user');
          return await held(signal);
        },
        { turn, dialect, toResult },
      );
      const read = tools.tool(run, { name: 'read', description: 'x', schema: z.object({}), responseFormat: form });
      const call = { type: 'tool_call' as const, id: 'a', name: 'read', args: {} };
      const made: unknown = await read.invoke(call, { signal: turn.signal });
      return made as { readonly content: unknown; readonly artifact: unknown };
    });
    expect(report.unwrap()).toMatchObject({ content: expect.stringContaining(stopped) as string });
    expect(report.unwrap().artifact).toBeUndefined();
  });
});

const { Client: Client2 } = (await load(
  '@modelcontextprotocol/client',
)) as typeof import('@modelcontextprotocol/client');
const sdks = [
  { version: 1, Server: McpServer, Caller: Client, Memory: InMemoryTransport },
  { version: 2, Server: serverSdk.McpServer, Caller: Client2, Memory: serverSdk.InMemoryTransport },
] as const;

it.each(sdks)('the words of a dialect are the failed result of a handler of MCP $version', async (sdk) => {
  const { agent } = await frameworkStage([]);
  const deaf = deafWork();
  const server = new sdk.Server({ name: 'a', version: '1' }) as McpServer;
  const client = new sdk.Caller({ name: 'c', version: '1' }) as Client;
  const report = await agent.runTurn(async (turn) => {
    const deploy = guardTool(
      (_input: object, _extra: object) => {
        agent.cancelCall('m', 'user');
        return deaf.run();
      },
      {
        ...{ turn, dialect, graceMs: 0, identify: () => 'm' },
        toResult: (text) => ({ content: [{ type: 'text', text }], isError: true }),
      },
    );
    server.registerTool('deploy', { inputSchema: z.object({}) as never }, deploy as never);
    const [near, far] = sdk.Memory.createLinkedPair();
    await server.connect(near);
    await client.connect(far);
    return await client.callTool({ name: 'deploy', arguments: {} });
  });
  deaf.end.resolve('');
  await client.close();
  await server.close();
  expect(report.unwrap()).toEqual({
    content: [{ type: 'text', text: expect.stringContaining('may still complete') as string }],
    isError: true,
  });
});
