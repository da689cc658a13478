/**
 * Stop a tool call of an MCP client. Here it is a cancel of kind `user`; the server is told once, in neutral words, and a
 * call that had finished is not announced as cancelled.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CancellationTokenSource } from 'desist';
import { cancellableRequest } from 'desist/mcp';

// A server with one quick tool and one that never ends.
const server = new McpServer({ name: 'demo', version: '1.0.0' });
let started = (): void => undefined;
const running = new Promise<void>((resolve) => {
  started = resolve;
});
server.registerTool('quick', {}, () => ({ content: [{ type: 'text', text: 'quick is done' }] }));
server.registerTool('slow', {}, async () => {
  started();
  return await new Promise<never>(() => undefined);
});
const [near, far] = InMemoryTransport.createLinkedPair();
await server.connect(far);
const handle = far.onmessage;
far.onmessage = (message, extra) => {
  if ('method' in message && message.method === 'notifications/cancelled') console.log('server hears:', message.params);
  handle?.(message, extra);
};

const client = new Client({ name: 'agent', version: '1.0.0' });
await client.connect(near);

// One session, one token for all its calls.
const session = new CancellationTokenSource({ name: 'session' });
const call = (name: string) =>
  cancellableRequest(session.token, (options) => client.callTool({ name }, undefined, options), { graceMs: 200 });

const { content } = await call('quick');
console.log('quick:', content);

const slow = call('slow');
await running;
session.cancel({ kind: 'user', message: 'not with the production database!' });
await slow.catch((error: unknown) => {
  console.log('slow:', error instanceof Error && `${error.name}, ${error.message}`);
});
await client.close();

// Output:
// quick: [ { type: 'text', text: 'quick is done' } ]
// server hears: { requestId: 2, reason: 'Request cancelled' }
// slow: AbortError, not with the production database!
