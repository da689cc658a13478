/** An MCP server over stdio: a slow search, a quick look, and something that needs a permission. */
import { setTimeout as sleep } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const SEARCH_MS = 20_000;
const server = new McpServer({ name: 'classic-tools', version: '1.0.0' });
const answer = (text: string) => ({ content: [{ type: 'text' as const, text }] });

server.registerTool(
  'search',
  { description: 'Searches a large index; slow.', inputSchema: { query: z.string() } },
  async ({ query }, { signal }) => {
    signal.addEventListener('abort', () => process.stderr.write('search: told to stop\n'));
    process.stderr.write('search: started\n');
    await sleep(SEARCH_MS, undefined, { signal });
    return answer(`3 matches for ${query}`);
  },
);
server.registerTool('look', { description: 'Looks around; quick.', inputSchema: {} }, () => answer('All is well.'));
server.registerTool('remove', { description: 'Removes the index.', inputSchema: {} }, () => answer('Removed.'));

process.stdin.once('close', () => process.exit()); // whoever has asked is gone
await server.connect(new StdioServerTransport());
