/**
 * An MCP server over stdio that remembers every message it received: `log` returns them. Run as a process of its own.
 * `quick` answers at once, `polite` until it is told to stop, `deaf` after `ms` whatever it is told, `report` sends
 * `times` progress notifications and then never answers.
 *
 * @module
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const received: JSONRPCMessage[] = [];
const server = new McpServer({ name: 'recording', version: '1.0.0' });

function say(text: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text }] };
}

server.registerTool('log', {}, () => say(JSON.stringify(received)));
server.registerTool('quick', {}, () => say('quick'));
server.registerTool('polite', {}, async ({ signal }) => {
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
  return say('stopped');
});
server.registerTool('deaf', { inputSchema: { ms: z.number() } }, async ({ ms }) => {
  await sleep(ms);
  return say('late');
});
const schedule = { ms: z.number(), times: z.number() };
server.registerTool('report', { inputSchema: schedule }, async ({ ms, times }, { sendNotification, _meta }) => {
  const progressToken = _meta?.progressToken ?? 0;
  for (let progress = 1; progress <= times; progress += 1) {
    await sleep(ms);
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress } });
  }
  return await new Promise<never>(() => undefined);
});

const transport = new StdioServerTransport();
await server.connect(transport);
const handle = transport.onmessage;
transport.onmessage = (message: JSONRPCMessage): void => {
  received.push(message);
  handle?.(message);
};
