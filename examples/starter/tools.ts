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

/** The tools of a server that is started by a command line; `close` stops it. */
export async function mcpTools(commandLine: string) {
  const client = new Client({ name: 'starter', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: 'sh', args: ['-c', `exec ${commandLine}`] }));
  const { tools } = await client.listTools();
  const entries = tools.map(({ name, description = '', inputSchema }): [string, Tool] => [
    `mcp_${name}`, // in no way of a tool of yours
    {
      description,
      parameters: inputSchema,
      async run(input, { token }) {
        const result = await cancellableRequest(token, (options) =>
          client.callTool({ name, arguments: input }, undefined, options),
        );
        const parts = result.content as readonly { readonly type: string; readonly text?: string }[];
        const text = parts.map((part) => part.text ?? `[${part.type}]`).join('\n');
        if (result.isError === true) throw new Error(text);
        return text;
      },
    },
  ]);
  return { tools: Object.fromEntries(entries), close: () => client.close() };
}
