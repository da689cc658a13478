/**
 * MCP tools of LangChain under a stop. `@langchain/mcp-adapters` sends the person's own words to the server, and its tool fails; here the call is a row
 * of the turn, and the server reads a fixed text. A `MultiServerMCPClient` makes its clients itself: load the tools of each with a client of your own.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { tool } from '@langchain/core/tools';
import { loadMcpTools } from '@langchain/mcp-adapters';
import { InterruptController, type Turn } from 'desist';
import { guardTools } from 'desist/guard';
import { cancellableRequest } from 'desist/mcp';

/** The tools of a server as calls of a turn. */
async function mcpTools(turn: Turn, name: string, client: Client) {
  const stops = new Map<unknown, unknown>(); // the adapter keeps only the words of an error
  const callTool: Client['callTool'] = (params, schema, options) =>
    cancellableRequest(
      options?.signal,
      ({ signal }) => client.callTool(params, schema, { ...options, signal }), // its reason is a fixed text
      { name: params.name },
    ).catch((error: unknown) => {
      stops.set(options?.signal, error);
      throw error;
    });
  const own = { listTools: client.listTools.bind(client), callTool } as unknown as Client;
  return (await loadMcpTools(name, own)).map((mcpTool) => {
    const call = async (input: object, config: { signal?: AbortSignal }): Promise<unknown> => {
      try {
        return await mcpTool.invoke(input, config);
      } catch (error) {
        throw stops.get(config.signal) ?? error;
      }
    };
    const { name: toolName, description, schema } = mcpTool;
    const guarded = guardTools({ [toolName]: call }, { turn })[toolName] ?? call;
    return tool(guarded, { name: toolName, description, schema });
  });
}

const agent = new InterruptController({ name: 'agent' });
const told: unknown[] = [];
const server = new McpServer({ name: 'files', version: '1.0.0' });
server.registerTool('write', { description: 'writes' }, async ({ signal }) => {
  agent.cancel({ kind: 'user', message: 'no, the other customer' }); // a person presses Stop
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  told.push(signal.reason);
  return { content: [] };
});
const [near, far] = InMemoryTransport.createLinkedPair();
await server.connect(far);
const client = new Client({ name: 'agent', version: '1.0.0' });
await client.connect(near);

// Alone: the server reads what the person has said.
const alone = await agent.runTurn(async ({ signal }) => {
  const [write] = await loadMcpTools('files', client);
  return await write?.invoke({}, { signal });
});
console.log(alone.calls);
console.log(told);

// Under the turn: a row for the call, and a fixed text.
const report = await agent.runTurn(async (turn) => {
  const [write] = await mcpTools(turn, 'files', client);
  return await write?.invoke({}, { signal: turn.signal });
});
console.log(report.calls.map(({ name, status }) => [name, status]));
console.log(told[1]);
await client.close();

// Output:
// []
// [ 'AbortError: no, the other customer' ]
// [ [ 'write', 'unknown' ] ]
// Request cancelled
