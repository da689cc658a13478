/**
 * A restartable client of either version of the SDK, for servers on stdio that behave badly.
 *
 * @module
 */
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';

import {
  restartableClient,
  type RestartableClient,
  type RestartableClientOptions,
} from '../../../src/adapters/mcp/index.ts';
import type { McpConnectContext } from '../../../src/adapters/mcp/server-keeper.ts';
import { load } from '../newest/load.ts';

const sdk2 = (await load('@modelcontextprotocol/client')) as typeof import('@modelcontextprotocol/client');
const stdio2 = (await load(
  '@modelcontextprotocol/client/stdio',
)) as typeof import('@modelcontextprotocol/client/stdio');

/** How a server is started. */
export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
}

async function connect1(server: ServerCommand, { signal, env }: McpConnectContext) {
  const client = new Client1({ name: 'test', version: '1.0.0' });
  const parameters = { ...server, env: { ...getDefaultEnvironment(), ...env }, stderr: 'ignore' as const };
  await client.connect(new Stdio1(parameters), { signal });
  const tool = (name: string, options: object): Promise<unknown> => client.callTool({ name }, undefined, options);
  return Object.assign(client, { tool });
}

async function connect2(server: ServerCommand, { signal, env }: McpConnectContext) {
  const client = new sdk2.Client({ name: 'test', version: '1.0.0' });
  const parameters = { ...server, env: { ...stdio2.getDefaultEnvironment(), ...env }, stderr: 'ignore' as const };
  await client.connect(new stdio2.StdioClientTransport(parameters), { signal });
  const tool = (name: string, options: object): Promise<unknown> => client.callTool({ name }, options);
  return Object.assign(client, { tool });
}

/** A client of either version. */
export type AnyClient = Awaited<ReturnType<typeof connect1>> | Awaited<ReturnType<typeof connect2>>;

export function keeperOf(
  version: 1 | 2,
  server: ServerCommand,
  options: RestartableClientOptions<AnyClient> = {},
): RestartableClient<AnyClient> {
  const connect = version === 1 ? connect1 : connect2;
  return restartableClient<AnyClient>((context) => connect(server, context), { graceMs: 500, ...options });
}

/** A server that answers `initialize` and then does what `onMessage`, the body of a function of `message`, says. */
export function rawServer(onMessage: string): ServerCommand {
  const program = `
    const say = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    const onMessage = (message) => { ${onMessage} };
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.method !== 'initialize') return onMessage(message);
      const { protocolVersion } = message.params;
      say(message.id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } });
    });`;
  return { command: process.execPath, args: ['--eval', program] };
}

/** A server that never answers `initialize`, is deaf to SIGTERM, and has a daemon. */
export function deafFromTheStart(tag: string): ServerCommand {
  return { command: 'sh', args: ['-c', `setsid sleep ${tag} & trap '' TERM; while :; do sleep ${tag}; done`] };
}
