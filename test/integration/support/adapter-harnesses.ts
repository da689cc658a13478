/**
 * Our adapters as the laws want them: a call each, with the real thing behind it, and a witness that is not the adapter.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { client as acpApp, agent as acpAgent } from '@agentclientprotocol/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

import { acpClient, acpSessions } from '../../../src/adapters/acp/index.ts';
import { cancellableIterable } from '../../../src/adapters/async-iterator/index.ts';
import { cancellableExec, runSubprocessTool } from '../../../src/adapters/child-process/index.ts';
import { all, race } from '../../../src/adapters/compose/index.ts';
import { cancellableFetch } from '../../../src/adapters/fetch/index.ts';
import { cancellableCall, readStream } from '../../../src/adapters/llm/index.ts';
import { cancellableRequest } from '../../../src/adapters/mcp/index.ts';
import { runBlocking } from '../../../src/adapters/worker/index.ts';
import { guardTool } from '../../../src/guard/index.ts';
import { withCancellation, type CancelReason, type TokenLike } from '../../../src/index.ts';
import { deferred, type AdapterHarness } from '../../../src/testing/index.ts';
import type { AdapterCall } from '../../../src/testing/adapter-suite/describe-adapter.ts';
import { harness } from '../../testing/adapter-suite/counted-harness.ts';

/** A harness, and what is to be closed after it. */
export interface OpenHarness extends AdapterHarness {
  readonly close: () => Promise<unknown>;
}

const nothing = (): Promise<void> => Promise.resolve();

const verbs: Readonly<Record<string, AdapterHarness['start']>> = {
  withCancellation: harness((token, work) => withCancellation(token, ({ signal }) => work(signal))),
  'compose: all': harness((token, work) => all(token, [({ signal }) => work(signal), () => 1])),
  'compose: race': harness((token, work) => race(token, [({ signal }) => work(signal), () => new Promise(() => undefined)], { graceMs: 10 })), // prettier-ignore
  'guard: guardTool': harness((token, work) => {
    const tool = guardTool({
      execute: (_input: object, { abortSignal }: { abortSignal: AbortSignal }) => work(abortSignal),
    });
    const signal = token === undefined ? new AbortController().signal : 'signal' in token ? token.signal : token;
    return tool.execute({}, { abortSignal: signal });
  }),
  'async-iterator: cancellableIterable': harness(async (token, work) => {
    // The source hears of the stop by its `return`.
    const gone = new AbortController();
    let isFirst = true;
    const source: AsyncIterable<string> & AsyncIterator<string> = {
      [Symbol.asyncIterator]: () => source,
      next: async () =>
        isFirst ? { value: await work(gone.signal), done: !(isFirst = false) } : { value: undefined, done: true },
      return: () => {
        gone.abort();
        return Promise.resolve({ value: undefined, done: true });
      },
    };
    for await (const item of cancellableIterable(token, source)) if (item !== 'done') throw new Error(item);
  }),
};

/** A loopback server that holds each request until it is told: what a client of it sees is real. */
async function holdingServer(head: Readonly<Record<string, string>>) {
  const held = new Map<string, ServerResponse>();
  const arrived = new Map<string, () => void>();
  const server = createServer((request, response) => {
    const id = request.url ?? '';
    response.writeHead(200, head);
    response.write('data: {"choices":[{"index":0,"delta":{"content":"one"}}]}\n\n');
    held.set(id, response);
    response.on('close', () => held.delete(id));
    arrived.get(id)?.();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let calls = 0;
  return {
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
    start(fetched: (url: string) => PromiseLike<unknown>): AdapterCall {
      const id = `/${String((calls += 1))}`;
      const begun = new Promise<void>((resolve) => arrived.set(id, resolve));
      return {
        begun,
        done: fetched(`http://127.0.0.1:${String(port)}${id}`),
        isRunning: () => held.has(id),
        finish: () => held.get(id)?.end('data: [DONE]\n\n'),
        fail: () => held.get(id)?.destroy(),
      };
    },
  };
}

async function overHttp(
  name: string,
  call: (token: TokenLike | undefined, url: string) => PromiseLike<unknown>,
): Promise<OpenHarness> {
  const server = await holdingServer({ 'content-type': 'text/event-stream' });
  return { name, start: (token) => server.start((url) => call(token, url)), close: server.close };
}

/** Events of a body, as an SDK hands them out. */
async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const chunk of body) yield Buffer.from(chunk).toString();
}

/** A fold that keeps everything. */
const collect = () => {
  let value = '';
  return {
    get value() {
      return value;
    },
    add: (event: string) => void (value += event),
  };
};

/** Commands and blocking calls say by files that they have begun, and end when a file is there. */
async function inFiles(
  name: string,
  call: (token: TokenLike | undefined, file: string) => PromiseLike<unknown>,
  more: Partial<AdapterHarness> = {},
): Promise<OpenHarness> {
  const dir = await mkdtemp(join(tmpdir(), 'desist-laws-'));
  let calls = 0;
  let isClosed = false;
  const begin = async (file: string): Promise<void> => {
    // A call that is stopped at once never begins.
    while (!isClosed && (!existsSync(`${file}.pid`) || readFileSync(`${file}.pid`, 'utf8').trim() === ''))
      await sleep(5);
  };
  const isAlive = (file: string): boolean => {
    if (!existsSync(`${file}.pid`)) return false;
    const pid = readFileSync(`${file}.pid`, 'utf8').trim();
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      return !/\) [ZX]/.test(stat);
    } catch {
      return false;
    }
  };
  return {
    name,
    atOnce: 12,
    ...more,
    start: (token) => {
      const file = join(dir, String((calls += 1)));
      return {
        done: call(token, file),
        // Of a call that never begins nobody waits for it.
        begun: begin(file),
        isRunning: () => isAlive(file),
        finish: () => {
          writeFileSync(`${file}.end`, '');
        },
      };
    },
    close: () => {
      isClosed = true;
      return rm(dir, { recursive: true, force: true });
    },
  };
}

const waiting = (file: string): string =>
  `echo $$ > ${file}.pid; while [ ! -e ${file}.end ]; do sleep 0.02; done; echo done`;

const blocking = `data:text/javascript,
import { existsSync, writeFileSync } from 'node:fs';
export default (file) => {
  writeFileSync(file + '.pid', String(process.pid));
  while (!existsSync(file + '.end')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  return 'done';
};`;

async function overMcp(): Promise<OpenHarness> {
  const calls = new Map<string, { readonly begin: () => void; readonly end: ReturnType<typeof deferred<string>> }>();
  const running = new Set<string>();
  const server = new McpServer({ name: 'holding', version: '1.0.0' });
  server.registerTool('hold', { description: 'Holds.' }, () => ({ content: [] }));
  server.server.setRequestHandler(
    (await import('@modelcontextprotocol/sdk/types.js')).CallToolRequestSchema,
    async ({ params }, { signal }) => {
      const id = params.name;
      const { begin, end } = calls.get(id)!;
      running.add(id);
      begin();
      // A stop may come with the request.
      if (signal.aborted) end.reject(new Error('cancelled'));
      signal.addEventListener('abort', () => end.reject(new Error('cancelled')));
      try {
        return { content: [{ type: 'text', text: await end.promise }] };
      } finally {
        running.delete(id);
      }
    },
  );
  const client = new Client({ name: 'laws', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  let n = 0;
  return {
    name: 'mcp: cancellableRequest',
    start: (token) => {
      const name = `hold-${String((n += 1))}`;
      const end = deferred<string>();
      end.promise.catch(() => undefined);
      const begun = new Promise<void>((resolve) => calls.set(name, { begin: resolve, end }));
      return {
        begun,
        done: cancellableRequest(token, (options) => client.callTool({ name }, undefined, options)),
        isRunning: () => running.has(name),
        finish: () => end.resolve('done'),
        fail: end.reject,
      };
    },
    close: () => Promise.all([client.close(), server.close()]),
  };
}

function overAcp(): OpenHarness {
  const calls = new Map<string, { readonly begin: () => void; readonly end: ReturnType<typeof deferred<string>> }>();
  const running = new Set<string>();
  const sessions = acpSessions();
  const far = acpAgent()
    .onRequest('session/prompt', (context) =>
      sessions.prompt(context, async ({ turn: { signal } }) => {
        const { sessionId } = context.params;
        const { begin, end } = calls.get(sessionId)!;
        running.add(sessionId);
        begin();
        signal.addEventListener('abort', () => end.reject(signal.reason as Error));
        try {
          await end.promise;
          return { stopReason: 'end_turn' };
        } finally {
          running.delete(sessionId);
        }
      }),
    )
    .onNotification('session/cancel', (context) => void sessions.cancel(context));
  const acp = acpClient();
  const connection = acpApp().connect(far);
  let n = 0;
  return {
    name: 'acp: prompt',
    reasonOf: (value) => (value as { readonly stoppedBy?: CancelReason }).stoppedBy,
    start: (token) => {
      const sessionId = `s${String((n += 1))}`;
      const end = deferred<string>();
      end.promise.catch(() => undefined);
      const begun = new Promise<void>((resolve) => calls.set(sessionId, { begin: resolve, end }));
      const params = { sessionId, prompt: [{ type: 'text' as const, text: 'go' }] };
      return {
        begun,
        done: acp.prompt(token, { agent: connection.agent, params }),
        isRunning: () => running.has(sessionId),
        finish: () => end.resolve('done'),
        fail: end.reject,
      };
    },
    close: () => {
      connection.close();
      return acp.close();
    },
  };
}

const stoppedBy = (value: unknown): CancelReason | undefined =>
  (value as { readonly stoppedBy?: CancelReason }).stoppedBy;

/** A command as a program that can only be started, looked at and killed. */
function subprocess(file: string) {
  const command = execFile('/bin/sh', ['-c', waiting(file)]);
  return {
    start: () => undefined,
    isRunning: () => command.exitCode === null && command.signalCode === null,
    kill: () => command.kill('SIGKILL'),
    result: () => 'done',
  };
}

/** Every adapter that makes a call, by name. */
export const openHarness: Readonly<Record<string, () => OpenHarness | Promise<OpenHarness>>> = {
  ...Object.fromEntries(Object.entries(verbs).map(([name, start]) => [name, () => ({ name, start, close: nothing })])),
  'fetch: cancellableFetch': () =>
    overHttp('fetch: cancellableFetch', async (token, url) =>
      (await cancellableFetch(url, { token: token ?? null })).text(),
    ),
  'llm: readStream': () =>
    overHttp('llm: readStream', (token, url) =>
      readStream(token, async ({ signal }) => events((await fetch(url, { signal })).body!), { fold: collect }),
    ),
  'llm: cancellableCall': () =>
    overHttp('llm: cancellableCall', (token, url) =>
      cancellableCall(token, async ({ signal }) => (await fetch(url, { signal })).text()),
    ),
  'child-process: cancellableExec': () =>
    inFiles(
      'child-process: cancellableExec',
      (token, file) => cancellableExec(waiting(file), { token: token ?? null }),
      {
        reasonOf: stoppedBy,
      },
    ),
  'child-process: runSubprocessTool': () =>
    inFiles('child-process: runSubprocessTool', (token, file) =>
      runSubprocessTool(token, lazily(file), { intervalMs: 10 }),
    ),
  'worker: runBlocking': () => inFiles('worker: runBlocking', (token, file) => runBlocking(token, blocking, [file])),
  'mcp: cancellableRequest': overMcp,
  'acp: prompt': overAcp,
};

/** Nothing may run before `start`. */
function lazily(file: string) {
  let one: ReturnType<typeof subprocess> | undefined;
  return {
    start: () => void (one = subprocess(file)),
    isRunning: () => one?.isRunning() ?? false,
    kill: () => one?.kill(),
    result: () => 'done',
  };
}
