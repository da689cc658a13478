import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { cancellableRequest } from '../../src/adapters/mcp/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';

const calls = 10;

/** A session of version 1: each request is a POST, whose response is a stream. */
let server: Server;
let client: Client;
let openResponses: number;
/** Called with each call of the tool. */
let called: () => void;
let heard: number;

beforeEach(async () => {
  openResponses = heard = 0;
  let transport: StreamableHTTPServerTransport | undefined;
  server = createServer((request, response) => {
    void (async () => {
      if (request.method === 'POST') {
        openResponses += 1;
        response.on('close', () => (openResponses -= 1));
      }
      if (transport === undefined) {
        transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
        const tools = new McpServer({ name: 'server', version: '1' });
        tools.registerTool('wait', { inputSchema: {} }, async (_args, { signal }) => {
          const aborted = once(signal, 'abort');
          called();
          await aborted;
          heard += 1;
          throw new Error('stopped');
        });
        await tools.connect(transport);
      }
      await transport.handleRequest(request, response, request.method === 'POST' ? await json(request) : undefined);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`);
  client = new Client({ name: 'client', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url));
});

afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('cancelled requests over HTTP of version 1', () => {
  it('reach the server, and keep their response streams open until the client is closed, as the guide says', async () => {
    for (let n = 0; n < calls; n++) {
      const person = new CancellationTokenSource();
      const started = new Promise<void>((resolve) => (called = resolve));
      const call = cancellableRequest(person.token, (options) =>
        client.callTool({ name: 'wait', arguments: {} }, undefined, options),
      );
      await started;
      person.cancel('user');
      await expect(call).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    }
    await expect.poll(() => heard).toBe(calls);
    await expect.poll(() => openResponses).toBe(calls); // those of the cancels are answered
    await client.close();
    await expect.poll(() => openResponses).toBe(0);
  });
});
