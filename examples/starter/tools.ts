/** What the agent can do: run commands, and call an MCP server. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { cancellableExec } from 'desist/child-process';
import { cancellableRequest } from 'desist/mcp';
import type { Tool } from './agent.ts';

export const shell: Tool = {
  description: 'Runs a shell command and returns its output.',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  async run({ command }, { token }) {
    if (typeof command !== 'string') throw new TypeError('command must be a text');
    // A stop ends all that the command has started; the guardian ends it where this program was killed.
    const { exitCode, stdout, stderr } = await cancellableExec(command, { token, guardian: true });
    return `${stdout}${stderr}exit code ${String(exitCode)}`;
  },
};

/** The tools of a server that is started by a command; `close` stops it. */
export async function mcpTools(command: string, args: readonly string[]) {
  const client = new Client({ name: 'starter', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args: [...args] }));
  const { tools } = await client.listTools();
  const entries = tools.map(({ name, description = '', inputSchema }): [string, Tool] => [
    name,
    {
      description,
      parameters: inputSchema,
      async run(input, { token }) {
        const { content } = await cancellableRequest(token, (options) =>
          client.callTool({ name, arguments: input }, undefined, options),
        );
        return content;
      },
    },
  ]);
  return { tools: Object.fromEntries(entries), close: () => client.close() };
}
