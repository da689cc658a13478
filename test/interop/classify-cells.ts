/**
 * How each real package is made to fail: by our stop, by a limit of its own, and by itself.
 *
 * @module
 */
import type { generateText } from 'ai';
import type { createOpenAI } from '@ai-sdk/openai';
import type { execa } from 'execa';
import type pRetry from 'p-retry';

import { axiosCells, grpcCells, mcpCells, mcpV2Cells } from './classify-cells-single.ts';
import { bareStop, loadClients, type Target } from './llm-clients.ts';
import type { Major } from './majors.ts';

/** Where a cell may call. */
export interface Places {
  /** Takes the request and answers nothing. */
  readonly silent: string;
  /** Answers with headers and the beginning of a body, and then nothing. */
  readonly stalled: string;
  /** Answers 503. */
  readonly broken: string;
  /** Nobody listens there. */
  readonly closed: string;
}

/** One way of being cut or of failing. */
export interface Cell {
  readonly name: string;
  run(places: Places, signal: AbortSignal): PromiseLike<unknown>;
}

/** Every way, by what must become of it under a cancelled token. */
export interface Cells {
  /** Cut by the signal. */
  readonly stops: readonly Cell[];
  /** A limit of the package's own. */
  readonly limits: readonly Cell[];
  /** A failure that a cancel merely raced. */
  readonly failures: readonly Cell[];
  /** Ends what the cells share. */
  close(): Promise<void>;
}

/** Rejects with what a signal was aborted with, as the platform does. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener(
      'abort',
      () => {
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });
}

/** Cells that need no package. */
const platform: Pick<Cells, 'stops' | 'failures'> = {
  stops: [
    { name: 'global fetch, waiting', run: ({ silent }, signal) => fetch(silent, { signal }) },
    {
      name: 'global fetch, reading',
      run: async ({ stalled }, signal) => await (await fetch(stalled, { signal })).text(),
    },
    {
      name: 'abort(null)',
      run: async (_places, signal) => {
        const own = new AbortController();
        signal.addEventListener('abort', () => {
          own.abort(null);
        });
        return untilAborted(own.signal);
      },
    },
    {
      // As a proxy or an agent does it that closes the socket under a `fetch` instead of aborting it.
      name: 'TypeError: terminated',
      run: async ({ stalled }, signal) => {
        const { createServer, connect } = await import('node:net');
        const { port } = new URL(stalled);
        const proxy = createServer((client) => {
          const server = connect(Number(port), '127.0.0.1');
          client.pipe(server).pipe(client);
          for (const socket of [client, server]) socket.on('error', () => undefined);
          const cut = (): void => {
            client.destroy();
            server.destroy();
            proxy.close();
          };
          // Not before the response has begun, also where the stop is earlier: its body is what is terminated.
          server.once('data', () => {
            if (signal.aborted) setTimeout(cut, 20);
            else signal.addEventListener('abort', cut);
          });
        });
        await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
        const { port: own } = proxy.address() as { port: number };
        return await (await fetch(`http://127.0.0.1:${String(own)}`)).text();
      },
    },
  ],
  failures: [
    { name: 'global fetch, refused', run: ({ closed }) => fetch(closed) },
    { name: 'global fetch, no such scheme', run: () => fetch('gopher://localhost') },
  ],
};

/** The model SDKs, as the table of them calls. */
async function models(major: Major): Promise<Pick<Cells, 'stops' | 'failures'>> {
  const clients = await loadClients(major);
  const cells = (place: keyof Places, retries: number, title: string): Cell[] =>
    clients.map(({ name, call }) => ({
      name: `${name}, ${title}`,
      run: (places, signal) => call({ url: places[place], retries } satisfies Target, bareStop(signal)),
    }));
  return {
    stops: [
      ...cells('silent', 0, 'waiting'),
      ...cells('stalled', 0, 'reading'),
      ...cells('broken', 2, 'between two attempts').filter(({ name }) => !name.startsWith('ollama')),
    ],
    failures: [...cells('broken', 0, 'refused by the server'), ...cells('closed', 0, 'no connection')],
  };
}

async function aiSDK(major: Major): Promise<Pick<Cells, 'stops' | 'failures'>> {
  const ai = await major.load<{ generateText: typeof generateText }>('ai');
  const provider = await major.load<{ createOpenAI: typeof createOpenAI }>('@ai-sdk/openai');
  const ask = (url: string, maxRetries: number, signal: AbortSignal): Promise<unknown> =>
    ai.generateText({
      model: provider.createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' }).chat('m'),
      prompt: 'Go.',
      abortSignal: signal,
      maxRetries,
    });
  return {
    stops: [
      { name: 'ai, waiting', run: ({ silent }, signal) => ask(silent, 0, signal) },
      { name: 'ai, reading', run: ({ stalled }, signal) => ask(stalled, 0, signal) },
      { name: 'ai, between two attempts', run: ({ broken }, signal) => ask(broken, 2, signal) },
    ],
    failures: [
      { name: 'ai, refused by the server', run: ({ broken }, signal) => ask(broken, 0, signal) },
      { name: 'ai, no connection', run: ({ closed }, signal) => ask(closed, 0, signal) },
    ],
  };
}

async function tools(major: Major): Promise<Omit<Cells, 'close'>> {
  const retry = await major.load<{ default: typeof pRetry }>('p-retry');
  const processes = await major.load<{ execa: typeof execa }>('execa');
  const sleep = process.platform === 'win32' ? ['timeout', '60'] : ['sleep', '60'];
  const [program = '', ...args] = sleep;
  return {
    stops: [
      {
        name: 'p-retry, in an attempt',
        run: ({ silent }, signal) => retry.default(() => fetch(silent, { signal }), { signal }),
      },
      {
        name: 'p-retry, between two attempts',
        run: (_places, signal) =>
          retry.default(() => Promise.reject(new Error('busy')), { signal, minTimeout: 60_000 }),
      },
      {
        name: 'p-retry, of a reason that is no error',
        run: (_places, signal) =>
          retry.default(
            () =>
              new Promise((_resolve, reject) => {
                signal.addEventListener('abort', () => {
                  reject(null);
                });
              }),
            { retries: 0 },
          ),
      },
      { name: 'execa', run: (_places, signal) => processes.execa(program, args, { cancelSignal: signal }) },
      {
        name: 'execa, gracefully',
        run: (_places, signal) =>
          processes.execa(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], {
            cancelSignal: signal,
            gracefulCancel: true,
            ipc: true,
            forceKillAfterDelay: 50,
          }),
      },
    ],
    limits: [
      {
        name: 'execa',
        run: (_places, signal) => processes.execa(program, args, { cancelSignal: signal, timeout: 20 }),
      },
    ],
    failures: [
      {
        name: 'execa, exit code 1',
        run: (_places, signal) =>
          processes.execa(process.execPath, ['-e', 'process.exit(1)'], { cancelSignal: signal }),
      },
      {
        name: 'p-retry, its last attempt',
        run: (_places, signal) => retry.default(() => Promise.reject(new Error('busy')), { signal, retries: 0 }),
      },
    ],
  };
}

/** Loads every package; call it at the top level of a test file. Those that have one major here belong to the newest. */
export async function loadCells(major: Major): Promise<Cells> {
  const loading: Promise<Partial<Cells>>[] = [models(major), aiSDK(major), tools(major)];
  const single = [axiosCells, grpcCells, mcpCells, mcpV2Cells];
  if (major.name === 'newest') loading.unshift(Promise.resolve(platform), ...single.map((load) => load(major)));
  const parts = await Promise.all(loading);
  return {
    stops: parts.flatMap(({ stops = [] }) => stops),
    limits: parts.flatMap(({ limits = [] }) => limits),
    failures: parts.flatMap(({ failures = [] }) => failures),
    close: async () => {
      for (const { close } of parts) await close?.();
    },
  };
}
