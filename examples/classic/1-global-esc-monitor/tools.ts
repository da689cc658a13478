/** The tool manager: nothing starts after a stop, and what runs is stopped in the way it can be. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { withCancellation, type CancellationToken } from 'desist';
import { cancellableExec, runSubprocessTool, type ProcessRun, type SubprocessTool } from 'desist/child-process';
import { cancellableRequest } from 'desist/mcp';

export type Params = Readonly<Record<string, unknown>>;

/** A tool is a function that hears a signal, or makes something that can only be started, looked at and killed. */
export type Tool =
  | { readonly run: (params: Params, signal: AbortSignal, token: CancellationToken) => Promise<string> }
  | { readonly subprocess: (params: Params) => SubprocessTool<string> };

export class ToolManager {
  readonly #tools: Readonly<Record<string, Tool>>;

  constructor(tools: Readonly<Record<string, Tool>>) {
    this.#tools = tools;
  }

  /** @throws CancelledError – before the tool has started, or once it has stopped. */
  async executeTool(name: string, params: Params, { token }: { readonly token: CancellationToken }): Promise<string> {
    const tool = this.#tools[name];
    if (tool === undefined) throw new TypeError(`there is no tool ${name}`);
    if ('subprocess' in tool) return await runSubprocessTool(token, tool.subprocess(params), { intervalMs: 100 });
    return await withCancellation(token, (context) => tool.run(params, context.signal, context.token), { name });
  }
}

/** Bytes of its output that a command may give to the model: the first and the last ones. */
const LIMIT = 20_000;

/** A command with everything it starts, which ends with this program, however that ends: also by SIGKILL. */
export function shell({ command }: Params): SubprocessTool<string> {
  if (typeof command !== 'string') throw new TypeError(`command must be a string, got ${String(command)}`);
  let run: ProcessRun | undefined;
  let isRunning = true;
  let output = '';
  return {
    name: 'shell',
    start: () => {
      run = cancellableExec(command, { guardian: true, stopSignals: ['SIGKILL'], maxBuffer: LIMIT });
      void run.result
        .then(({ stdout }) => (output = stdout))
        .catch((error: unknown) => (output = String(error)))
        .finally(() => (isRunning = false));
    },
    isRunning: () => isRunning,
    kill: () => run?.stop('user'),
    result: () => output,
  };
}

/** A tool of a server: the server is told when nobody waits any more. */
export function search(mcp: Pick<Client, 'callTool'>): Tool {
  return {
    run: async (params, _, token) => {
      const call = { name: 'search', arguments: params };
      const found = await cancellableRequest(token, ({ signal }) => mcp.callTool(call, undefined, { signal }));
      return JSON.stringify(found.content);
    },
  };
}
