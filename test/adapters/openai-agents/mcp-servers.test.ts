import { expect, it } from 'vitest';

import { mcpServersUnder } from '../../../src/adapters/openai-agents/mcp-servers.ts';

class Server {
  readonly #name = 'files';
  readonly said: unknown[] = [];
  get name(): string {
    return this.#name;
  }
  async callTool(tool: string, args: unknown, meta?: unknown, options?: { signal: AbortSignal }): Promise<unknown> {
    return await this.callToolResult(tool, args, meta, options);
  }
  callToolResult(tool: string, args: unknown, _meta?: unknown, options?: { signal: AbortSignal }): Promise<unknown> {
    if (options === undefined) return Promise.resolve([tool, args, this.#name]);
    return new Promise((_resolve, reject) => {
      options.signal.addEventListener('abort', () => {
        this.said.push(String(options.signal.reason));
        reject(Object.assign(new Error('gone'), { code: -32001 }));
      });
    });
  }
}

it.each(['callTool', 'callToolResult'] as const)(
  '%s of a server says nothing of the reason, and is over with its work unknown',
  async (method) => {
    const server = new Server();
    const [under] = (mcpServersUnder([server]) ?? []) as readonly Server[];
    expect(under?.name).toBe('files');
    expect(await under?.[method]('read', {})).toEqual(['read', {}, 'files']);
    const stop = new AbortController();
    const call = under?.[method]('read', {}, undefined, { signal: stop.signal });
    stop.abort('a secret');
    await expect(call).rejects.toMatchObject({ abandoned: { name: 'read', isOver: true } });
    expect(server.said).toEqual(['Request cancelled']);
  },
);

it('an agent without servers stays without, and what is no server is the SDK’s to refuse', () => {
  expect([mcpServersUnder(undefined), mcpServersUnder([])]).toEqual([undefined, undefined]);
  expect(mcpServersUnder(['files', {}])).toEqual(['files', {}]);
});
