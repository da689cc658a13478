/**
 * The packages that are installed in one major only: axios, gRPC, and both lines of the MCP SDK.
 *
 * @module
 */
import type * as Grpc from '@grpc/grpc-js';
import type axios from 'axios';
import type { Client as ClientV2, InMemoryTransport as TransportV2 } from '@modelcontextprotocol/client';
import type { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import type { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { McpServer as ServerV2 } from '@modelcontextprotocol/server';

import type { Cells } from './classify-cells.ts';
import type { Major } from './majors.ts';

export async function axiosCells(major: Major): Promise<Omit<Cells, 'close'>> {
  const { default: client } = await major.load<{ default: typeof axios }>('axios');
  return {
    stops: [
      { name: 'axios, waiting', run: ({ silent }, signal) => client.get(silent, { signal }) },
      { name: 'axios, reading', run: ({ stalled }, signal) => client.get(stalled, { signal }) },
    ],
    limits: [{ name: 'axios', run: ({ silent }, signal) => client.get(silent, { signal, timeout: 20 }) }],
    failures: [
      { name: 'axios, refused by the server', run: ({ broken }, signal) => client.get(broken, { signal }) },
      { name: 'axios, no connection', run: ({ closed }, signal) => client.get(closed, { signal }) },
    ],
  };
}

/** A gRPC server that never answers, and a client for it. */
export async function grpcCells(major: Major): Promise<Cells> {
  const grpc = await major.load<typeof Grpc>('@grpc/grpc-js');
  const pass = (value: Buffer): Buffer => value;
  const ends = { requestSerialize: pass, requestDeserialize: pass, responseSerialize: pass, responseDeserialize: pass };
  const method = (path: string): Grpc.MethodDefinition<Buffer, Buffer> => ({
    path,
    requestStream: false,
    responseStream: false,
    ...ends,
  });
  const service = { wait: method('/test/wait'), fail: method('/test/fail') };
  const Client = grpc.makeGenericClientConstructor(service, 'test');
  const server = new grpc.Server();
  server.addService(service, {
    wait: () => undefined,
    fail: (_call: unknown, answer: Grpc.sendUnaryData<Buffer>) => {
      answer({ code: grpc.status.INTERNAL, details: 'broken' });
    },
  });
  const credentials = grpc.ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  const call = (name: 'wait' | 'fail', signal: AbortSignal, deadline?: number, to = port): Promise<unknown> => {
    const client = new Client(`127.0.0.1:${String(to)}`, grpc.credentials.createInsecure());
    return new Promise((resolve, reject) => {
      const { path } = service[name];
      const options = deadline === undefined ? {} : { deadline };
      const running = client.makeUnaryRequest(path, pass, pass, Buffer.of(), options, (error, value) => {
        client.close();
        if (error === null) resolve(value);
        else reject(error);
      });
      signal.addEventListener('abort', () => {
        running.cancel();
      });
    });
  };
  return {
    stops: [{ name: 'grpc', run: (_places, signal) => call('wait', signal) }],
    limits: [{ name: 'grpc', run: (_places, signal) => call('wait', signal, Date.now() + 20) }],
    failures: [
      { name: 'grpc, refused by the server', run: (_places, signal) => call('fail', signal) },
      {
        name: 'grpc, no connection',
        run: ({ closed }, signal) => call('wait', signal, undefined, Number(new URL(closed).port)),
      },
    ],
    close: () => {
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}

export async function mcpCells(major: Major): Promise<Cells> {
  const [{ Client }, { McpServer: Server }, { InMemoryTransport: Transport }, { CallToolRequestSchema: schema }] =
    await Promise.all([
      major.load<{ Client: typeof McpClient }>('@modelcontextprotocol/sdk/client/index.js'),
      major.load<{ McpServer: typeof McpServer }>('@modelcontextprotocol/sdk/server/mcp.js'),
      major.load<{ InMemoryTransport: typeof InMemoryTransport }>('@modelcontextprotocol/sdk/inMemory.js'),
      major.load<{ CallToolRequestSchema: typeof CallToolRequestSchema }>('@modelcontextprotocol/sdk/types.js'),
    ]);
  const [near, far] = Transport.createLinkedPair();
  const { server } = new Server({ name: 'silent', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(schema, ({ params }) =>
    params.name === 'fail' ? Promise.reject(new Error('broken')) : new Promise(() => undefined),
  );
  const client = new Client({ name: 'caller', version: '1' });
  await Promise.all([server.connect(far), client.connect(near)]);
  return mcpTable('mcp', client, (name, options) => client.callTool({ name, arguments: {} }, undefined, options));
}

export async function mcpV2Cells(major: Major): Promise<Cells> {
  const [{ Client, InMemoryTransport: Transport }, { McpServer: Server }] = await Promise.all([
    major.load<{ Client: typeof ClientV2; InMemoryTransport: typeof TransportV2 }>('@modelcontextprotocol/client'),
    major.load<{ McpServer: typeof ServerV2 }>('@modelcontextprotocol/server'),
  ]);
  const [near, far] = Transport.createLinkedPair();
  const { server } = new Server({ name: 'silent', version: '2' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', ({ params }) =>
    params.name === 'fail' ? Promise.reject(new Error('broken')) : new Promise(() => undefined),
  );
  const client = new Client({ name: 'caller', version: '2' });
  await Promise.all([server.connect(far), client.connect(near)]);
  return mcpTable('mcp v2', client, (name, options) => client.callTool({ name, arguments: {} }, options));
}

function mcpTable(
  title: string,
  client: { close(): Promise<void> },
  call: (name: string, options: { signal: AbortSignal; timeout?: number }) => Promise<unknown>,
): Cells {
  return {
    stops: [{ name: title, run: (_places, signal) => call('wait', { signal }) }],
    limits: [{ name: title, run: (_places, signal) => call('wait', { signal, timeout: 20 }) }],
    failures: [{ name: `${title}, refused by the server`, run: (_places, signal) => call('fail', { signal }) }],
    close: () => client.close(),
  };
}
