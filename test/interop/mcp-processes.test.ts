import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  cancellableTask,
  restartableClient,
  type RestartableClient,
  type RestartableClientOptions,
} from '../../src/adapters/mcp/index.ts';
import type { McpServerStop } from '../../src/adapters/mcp/server-process.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { load } from './newest/load.ts';
import { isAlive } from './support/alive.ts';
import { stdioParameters } from './support/mcp-rigs.ts';
import { itBare } from '../support/bare.ts';
import { machineFactor } from '../support/machine-factor.ts';

const sdk2 = (await load('@modelcontextprotocol/client')) as typeof import('@modelcontextprotocol/client');
const stdio2 = (await load(
  '@modelcontextprotocol/client/stdio',
)) as typeof import('@modelcontextprotocol/client/stdio');

const require = createRequire(new URL('newest/load.ts', import.meta.url));

/** The command of a published server. */
function published(name: string, ...args: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [require.resolve(`@modelcontextprotocol/${name}/dist/index.js`), ...args] };
}

/** At once: a stop that waited for the server, or for its grace, would take far longer. */
// Once slow is a busy machine; three times, with the retries of the tests that use it, is a stop that waits for something.
const soonMs = (): number => 50 * machineFactor();

type Parameters = { command: string; args: string[] };

const connectors = {
  1: async (parameters: Parameters) => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const transport = new StdioClientTransport({ ...parameters, stderr: 'ignore' });
    await client.connect(transport);
    return Object.assign(client, {
      tool: (name: string, args: Record<string, unknown>, options: object): Promise<unknown> =>
        client.callTool({ name, arguments: args }, undefined, options),
    });
  },
  2: async (parameters: Parameters) => {
    const client = new sdk2.Client({ name: 'test', version: '1.0.0' });
    const transport = new stdio2.StdioClientTransport({ ...parameters, stderr: 'ignore' });
    await client.connect(transport);
    return Object.assign(client, {
      tool: (name: string, args: Record<string, unknown>, options: object): Promise<unknown> =>
        client.callTool({ name, arguments: args }, options),
    });
  },
};

type TestClient = Awaited<ReturnType<(typeof connectors)[1 | 2]>>;

describe.each([1, 2] as const)('S25 a server on stdio that does not stop, version %i', (version) => {
  const open: RestartableClient<TestClient>[] = [];
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });

  function start(parameters: Parameters, options: RestartableClientOptions<TestClient> = {}) {
    const stops: McpServerStop[] = [];
    const server = restartableClient<TestClient>(() => connectors[version](parameters), {
      graceMs: 500,
      onServerStopped: (stop) => stops.push(stop),
      ...options,
    });
    open.push(server);
    const call = (token: CancellationTokenSource['token'] | null, name: string, args: Record<string, unknown> = {}) =>
      server.request(token, (client, context) => client.tool(name, args, context));
    const pid = () => (server.client?.transport as { pid?: number } | undefined)?.pid;
    return { server, stops, call, pid };
  }

  /** Cancels a running call after `ms`; says how long its rejection took. */
  async function cancelAfter(
    ms: number,
    call: (token: CancellationTokenSource['token']) => Promise<unknown>,
  ): Promise<number> {
    const person = new CancellationTokenSource();
    const outcome = call(person.token).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, ms));
    const cancelledAt = performance.now();
    person.cancel('user');
    expect(await outcome).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    return performance.now() - cancelledAt;
  }

  it('is killed when it is deaf, and started again for the next call', { retry: 2 }, async () => {
    const { server, stops, call, pid } = start(stdioParameters(version));
    await call(null, 'quick');
    const first = pid();
    expect(await cancelAfter(100, (token) => call(token, 'block', { ms: 60_000 }))).toBeLessThan(soonMs());
    await server.settled();
    expect(stops).toEqual([{ pid: first, why: 'deaf', survivors: [] }]);
    expect(isAlive(first)).toBe(false);
    expect(await call(null, 'quick')).toMatchObject({ content: [{ text: 'quick' }] });
    expect(pid()).not.toBe(first);
  });

  it('is kept when it still answers', async () => {
    const { server, stops, call, pid } = start(stdioParameters(version));
    await call(null, 'quick');
    const first = pid();
    await cancelAfter(50, (token) => call(token, 'polite'));
    await server.settled();
    await call(null, 'quick');
    expect([stops, pid()]).toEqual([[], first]);
  });

  it(
    'server-everything goes on with what it was told to drop: abandoned, and stopped by choice',
    { retry: 2 },
    async () => {
      const work = { duration: 60, steps: 2 };
      const { server, stops, call, pid } = start(published('server-everything', 'stdio'), { afterCancel: 'stop' });
      await call(null, 'echo', { message: 'ready' });
      const first = pid();
      expect(await cancelAfter(100, (token) => call(token, 'trigger-long-running-operation', work))).toBeLessThan(
        soonMs(),
      );
      await server.settled();
      expect(stops).toEqual([{ pid: first, why: 'cancelled', survivors: [] }]);
      expect(isAlive(first)).toBe(false);
      expect(await call(null, 'echo', { message: 'again' })).toMatchObject({ content: [{ text: 'Echo: again' }] });
    },
  );

  it('that ends once it is initialized fails the request, and is not started again for it', async () => {
    const answer = `process.stdin.once('data', (line) => {
      const { id, params } = JSON.parse(line);
      const result = { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' } };
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
      process.stdin.once('data', () => process.exit(1));
    })`;
    let starts = 0;
    const server = restartableClient<TestClient>(async () => {
      if (++starts > 3) throw new Error('started over and over');
      const client = await connectors[version]({ command: process.execPath, args: ['-e', answer] });
      await new Promise<void>((resolve) => {
        if (client.transport === undefined) resolve();
        client.onclose = resolve;
      });
      return client;
    });
    open.push(server);
    await expect(server.request(null, (client) => client.tool('quick', {}, {}))).rejects.toThrow('has no connection');
    expect(starts).toBe(1);
  });

  it('server-filesystem likewise', { retry: 2 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'desist-mcp-'));
    try {
      await writeFile(join(folder, 'note.txt'), 'hello');
      const command = published('server-filesystem', folder, '/usr');
      const { server, stops, call, pid } = start(command, { afterCancel: 'stop' });
      await call(null, 'list_directory', { path: folder });
      const first = pid();
      const search = { path: '/usr', pattern: '**/nothing-is-called-so' };
      expect(await cancelAfter(50, (token) => call(token, 'search_files', search))).toBeLessThan(soonMs());
      await server.settled();
      expect(stops).toEqual([{ pid: first, why: 'cancelled', survivors: [] }]);
      expect(isAlive(first)).toBe(false);
      expect(await call(null, 'read_text_file', { path: join(folder, 'note.txt') })).toMatchObject({
        content: [{ text: 'hello' }],
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('S25 a task', () => {
  /** A client whose server runs `build` as a task that never ends by itself. */
  async function connected() {
    const store = new InMemoryTaskStore();
    const capabilities = { tasks: { cancel: {}, list: {}, requests: { tools: { call: {} } } } };
    const server = new McpServer({ name: 'test', version: '1.0.0' }, { capabilities, taskStore: store });
    server.experimental.tasks.registerToolTask(
      'build',
      { execution: { taskSupport: 'required' } },
      {
        createTask: async (extra) => ({ task: await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 20 }) }),
        getTask: (extra) => extra.taskStore.getTask(extra.taskId),
        getTaskResult: async (extra) => (await extra.taskStore.getTaskResult(extra.taskId)) as { content: [] },
      },
    );
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    const received: string[] = [];
    const handle = far.onmessage;
    far.onmessage = (message, extra) => {
      if ('method' in message) received.push(message.method);
      handle?.(message, extra);
    };
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(near);
    await client.listTools();
    const close = async () => {
      await client.close();
      store.cleanup();
    };
    return { client, received, close };
  }

  itBare('bare, goes on after its caller has been stopped', async () => {
    const { client, received, close } = await connected();
    const person = new AbortController();
    let taskId = '';
    const stream = client.experimental.tasks.callToolStream({ name: 'build' }, undefined, { signal: person.signal });
    for await (const message of stream) {
      if (message.type !== 'taskCreated') continue;
      ({ taskId } = message.task);
      person.abort();
    }
    expect(received).not.toContain('tasks/cancel');
    expect(await client.experimental.tasks.getTask(taskId)).toMatchObject({ status: 'working' });
    await close();
  });

  it('is cancelled with its call, once', async () => {
    const { client, received, close } = await connected();
    const person = new CancellationTokenSource();
    const ids: string[] = [];
    const { tasks } = client.experimental;
    const call = cancellableTask(
      person.token,
      (context) => tasks.callToolStream({ name: 'build' }, undefined, context),
      {
        cancelTask: (taskId) => tasks.cancelTask(taskId),
        onStatus: ({ taskId }) => {
          ids.push(taskId);
          if (ids.length === 3) person.cancel('user');
        },
      },
    );
    await expect(call).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    expect(received.filter((method) => method === 'tasks/cancel')).toHaveLength(1);
    expect(await tasks.getTask(ids[0] ?? '')).toMatchObject({ status: 'cancelled' });
    await close();
  });
});
