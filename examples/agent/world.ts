/** Everything the demo starts before the first prompt, and stops after the last. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { startModelServer, type ModelServer } from 'desist/testing';
import { anthropicModel, openaiModel, type ChatModel } from './chat-model.ts';
import { UserError, type Options } from './options.ts';
import { embeddedScript } from './script.ts';
import { Traces } from './traces.ts';

export interface World {
  readonly model: ChatModel;
  readonly mcp: Client;
  readonly mcpPid: number;
  readonly workspace: string;
  /** The embedded model; `undefined` with a real one. */
  readonly server: ModelServer | undefined;
  /** The pictures of stops, if somebody wants them. */
  readonly traces: Traces | undefined;
  close(): Promise<void>;
}

/** Anything that answers will do; nobody listening will not. */
async function requireReachable(baseUrl: string): Promise<void> {
  try {
    const response = await fetch(baseUrl, { method: 'HEAD', signal: AbortSignal.timeout(5000) });
    await response.body?.cancel();
  } catch (error) {
    const cause = (error as { readonly cause?: { readonly code?: string } }).cause?.code || (error as Error).message;
    throw new UserError(`no model answers at ${baseUrl} (${cause})`);
  }
}

async function startEmbedded(port: number): Promise<ModelServer> {
  try {
    return await startModelServer({ port, script: embeddedScript(25) });
  } catch (error) {
    throw new UserError(`the embedded model cannot start on port ${port}: ${(error as Error).message}`);
  }
}

async function startMcp(): Promise<{ readonly client: Client; readonly pid: number }> {
  const client = new Client({ name: 'desist-demo', version: '1.0.0' });
  const script = fileURLToPath(new URL('mcp-server.ts', import.meta.url));
  const transport = new StdioClientTransport({ command: process.execPath, args: [script], stderr: 'ignore' });
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0 };
}

/** Starts the model and the MCP server; what was started when a later step fails is stopped again. */
export async function openWorld(options: Options): Promise<World> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer();
  };
  try {
    let server: ModelServer | undefined;
    if (options.baseUrl === undefined) {
      const started = await startEmbedded(options.port);
      server = started;
      closers.push(() => started.close());
    } else await requireReachable(options.baseUrl);
    const embedded = options.provider === 'openai' ? `${server?.url}/v1` : (server?.url ?? '');
    const address = { baseUrl: options.baseUrl ?? embedded, apiKey: options.apiKey, model: options.model };
    const { client, pid } = await startMcp();
    closers.push(() => client.close());
    // The embedded model's commands leave files; a real session works where it was started.
    let workspace = process.cwd();
    if (server !== undefined) {
      const scratch = await mkdtemp(join(tmpdir(), 'desist-demo-'));
      workspace = scratch;
      closers.push(() => rm(scratch, { recursive: true, force: true }));
    }
    const model = options.provider === 'openai' ? openaiModel(address) : anthropicModel(address);
    const traces = options.trace ? new Traces(process.cwd()) : undefined;
    return { model, mcp: client, mcpPid: pid, workspace, server, traces, close };
  } catch (error) {
    await close();
    throw error;
  }
}
