/** A real MCP server over stdio with one slow tool that stops when it is told to; started by the demo. */
import { setTimeout as sleep } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const STEPS = 50;
const STEP_MS = 200;

const server = new McpServer({ name: 'slow-search', version: '1.0.0' });

server.registerTool(
  'search',
  { description: 'Searches a large index.', inputSchema: { query: z.string() } },
  async ({ query }, { signal, sendNotification, _meta }) => {
    for (let step = 1; step <= STEPS; step++) {
      await sleep(STEP_MS, undefined, { signal });
      const progressToken = _meta?.progressToken;
      if (progressToken === undefined) continue;
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: step, total: STEPS },
      });
    }
    return { content: [{ type: 'text', text: `3 matches for ${query}` }] };
  },
);

await server.connect(new StdioServerTransport());
