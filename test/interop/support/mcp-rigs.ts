/**
 * A client and the recording server, joined by each transport that each version of the SDK has.
 *
 * @module
 */
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport as Memory1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { McpClientLike } from '../../../src/adapters/mcp/server-probe.ts';
import { compiled } from '../../support/compiled.ts';
import { load } from '../newest/load.ts';
import { serverOfVersion1, serverOfVersion2, serverSdk } from './mcp-servers.ts';
import { journal, record, type Journal, type ToolResult } from './mcp-tools.ts';

const clientSdk = (await load('@modelcontextprotocol/client')) as typeof import('@modelcontextprotocol/client');
const clientStdio = (await load(
  '@modelcontextprotocol/client/stdio',
)) as typeof import('@modelcontextprotocol/client/stdio');

/** Request options, as both versions take them. */
export interface Options {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly onprogress?: (progress: { progress: number }) => void;
}

/** A connected client, and what the server at the other end saw. */
export interface Rig extends AsyncDisposable {
  readonly client: McpClientLike;
  readonly complaints: Error[];
  /** Questions of the server's that the client was asked, and told to drop. */
  readonly questions: { asked: number; dropped: number };
  call(name: string, args?: Record<string, number>, options?: Options): Promise<string>;
  journal(): Promise<Journal>;
  /** Response streams that the client closed before their end; only over HTTP. */
  closedStreams(): number;
}

export interface RigKind {
  readonly name: string;
  readonly sdk: 1 | 2;
  /** How a cancel reaches the server. */
  readonly cancelsBy: 'notification' | 'end of stream';
  /** Whether the handler that runs is the one that hears of it. */
  readonly handlerHears: boolean;
  /** Whether the server can ask the client. */
  readonly asks: boolean;
  open(): Promise<Rig>;
}

const stdioServer = fileURLToPath(new URL('mcp-stdio-server.ts', import.meta.url));

/** The SDKs give a server little of our environment. */
export function stdioParameters(version: 1 | 2): { command: string; args: string[]; env: Record<string, string> } {
  return { command: process.execPath, args: [stdioServer, String(version)], env: { ...compiled } };
}

interface Questions {
  asked: number;
  dropped: number;
}

const capabilities = { sampling: {}, elicitation: {} };

/** Never answers a question; counts it, and its end. */
function unanswered(questions: Questions, signal: AbortSignal): Promise<never> {
  questions.asked += 1;
  signal.addEventListener('abort', () => {
    questions.dropped += 1;
  });
  return new Promise<never>(() => undefined);
}

async function clientOfVersion1(transport: Transport1): Promise<Omit<Rig, 'journal' | 'closedStreams'>> {
  const client = new Client1({ name: 'test', version: '1.0.0' }, { capabilities });
  const questions: Questions = { asked: 0, dropped: 0 };
  client.setRequestHandler(CreateMessageRequestSchema, (_request, { signal }) => unanswered(questions, signal));
  client.setRequestHandler(ElicitRequestSchema, (_request, { signal }) => unanswered(questions, signal));
  const complaints: Error[] = [];
  client.onerror = (error) => complaints.push(error);
  await client.connect(transport);
  return {
    client,
    complaints,
    questions,
    call: async (name, args = {}, options) =>
      textOf((await client.callTool({ name, arguments: args }, undefined, options)) as ToolResult),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

type Transport2 = Parameters<InstanceType<typeof clientSdk.Client>['connect']>[0];

async function clientOfVersion2(
  transport: Transport2,
  revision?: '2026-07-28',
): Promise<Omit<Rig, 'journal' | 'closedStreams'>> {
  const versionNegotiation = { mode: revision === undefined ? ('legacy' as const) : { pin: revision } };
  const client = new clientSdk.Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation });
  const questions: Questions = { asked: 0, dropped: 0 };
  client.setRequestHandler('sampling/createMessage', (_request, { mcpReq }) => unanswered(questions, mcpReq.signal));
  client.setRequestHandler('elicitation/create', (_request, { mcpReq }) => unanswered(questions, mcpReq.signal));
  const complaints: Error[] = [];
  client.onerror = (error) => complaints.push(error);
  await client.connect(transport);
  return {
    client,
    complaints,
    questions,
    call: async (name, args = {}, options) =>
      textOf((await client.callTool({ name, arguments: args }, options)) as ToolResult),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function textOf({ content }: ToolResult): string {
  return content[0]?.text ?? '';
}

/** A rig over stdio: the journal is in the other process. */
function overStdio(rig: Omit<Rig, 'journal' | 'closedStreams'>): Rig {
  return { ...rig, closedStreams: () => 0, journal: async () => JSON.parse(await rig.call('log')) as Journal };
}

function inProcess(rig: Omit<Rig, 'journal' | 'closedStreams'>, log: Journal, close: () => Promise<void>): Rig {
  return {
    ...rig,
    closedStreams: () => 0,
    journal: () => Promise.resolve(log),
    [Symbol.asyncDispose]: async () => {
      await rig.client.close();
      await close();
    },
  };
}

/** Starts an HTTP server whose requests are handed on with their body. */
async function listen(
  handle: (request: Request, response: ServerResponse) => void | Promise<void>,
): Promise<{ url: URL; server: Server; closed: () => number }> {
  let closed = 0;
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const gone = new AbortController();
      response.on('close', () => {
        if (response.writableFinished) return;
        if (message.method === 'POST') closed += 1;
        gone.abort();
      });
      const request = new Request(new URL(message.url ?? '/', 'http://127.0.0.1'), {
        method: message.method ?? 'GET',
        headers: message.headers as Record<string, string>,
        signal: gone.signal,
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      void handle(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${String(port)}/mcp`), server, closed: () => closed };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

async function http1(): Promise<Rig> {
  const log = journal();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  const mcp = serverOfVersion1(log);
  await mcp.connect(transport);
  record(transport, log);
  let closed = 0;
  const server = createServer((message, response) => {
    response.on('close', () => {
      if (!response.writableFinished && message.method === 'POST') closed += 1;
    });
    void transport.handleRequest(message, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${String(port)}/mcp`);
  const rig = inProcess(await clientOfVersion1(new Http1(url)), log, async () => {
    await mcp.close();
    await closeServer(server);
  });
  return { ...rig, closedStreams: () => closed };
}

async function http2(revision?: '2026-07-28'): Promise<Rig> {
  const log = journal();
  const handler = serverSdk.createMcpHandler(() => serverOfVersion2(log));
  const { url, server, closed } = await listen(async (request, response) => {
    const text = await request.clone().text();
    if (text !== '') log.received.push(...([JSON.parse(text)].flat() as Journal['received']));
    const answer = await handler.fetch(request);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    try {
      for await (const chunk of answer.body ?? []) response.write(chunk);
    } catch {
      // The client closed the stream.
    }
    response.end();
  });
  const transport = new clientSdk.StreamableHTTPClientTransport(url);
  const rig = inProcess(await clientOfVersion2(transport, revision), log, async () => {
    await handler.close();
    await closeServer(server);
  });
  return { ...rig, closedStreams: closed };
}

async function memory1(): Promise<Rig> {
  const log = journal();
  const [near, far] = Memory1.createLinkedPair();
  const server = serverOfVersion1(log);
  await server.connect(far);
  record(far, log);
  return inProcess(await clientOfVersion1(near), log, () => server.close());
}

async function memory2(): Promise<Rig> {
  const log = journal();
  const [near, far] = serverSdk.InMemoryTransport.createLinkedPair();
  const server = serverOfVersion2(log);
  await server.connect(far);
  record(far, log);
  return inProcess(await clientOfVersion2(near), log, () => server.close());
}

const byNotification = { cancelsBy: 'notification', handlerHears: true, asks: true } as const;

/** Every way there is. */
export const rigs: readonly RigKind[] = [
  { name: 'v1 in-memory', sdk: 1, ...byNotification, open: memory1 },
  {
    name: 'v1 stdio',
    sdk: 1,
    ...byNotification,
    open: async () => overStdio(await clientOfVersion1(new Stdio1(stdioParameters(1)))),
  },
  { name: 'v1 Streamable HTTP', sdk: 1, ...byNotification, open: http1 },
  { name: 'v2 in-memory', sdk: 2, ...byNotification, open: memory2 },
  {
    name: 'v2 stdio',
    sdk: 2,
    ...byNotification,
    open: async () => overStdio(await clientOfVersion2(new clientStdio.StdioClientTransport(stdioParameters(2)))),
  },
  {
    name: 'v2 Streamable HTTP, revision 2025-11-25, stateless',
    sdk: 2,
    cancelsBy: 'notification',
    handlerHears: false,
    asks: false,
    open: () => http2(),
  },
  {
    name: 'v2 Streamable HTTP, revision 2026-07-28',
    sdk: 2,
    cancelsBy: 'end of stream',
    handlerHears: true,
    asks: false,
    open: () => http2('2026-07-28'),
  },
];
