/**
 * `withCancellation` against the real SDKs, real sockets, real time and the real garbage collector.
 */
import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { promisify } from 'node:util';

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';

import {
  CancellationTokenSource,
  CancelledError,
  delay,
  pollUntil,
  raceCancellation,
  retry,
  runUntilCancelled,
  withCancellation,
  type LateOutcome,
} from '../../src/index.ts';
import { startModelServer, type ModelScript, type ModelServer } from '../../src/testing/model-server/index.ts';
import { limitMs } from '../support/limit.ts';

const run = promisify(execFile);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;
const { gc } = globalThis as { gc?: () => void };

/** The error a promise rejects with; listens at once. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => Promise.reject(new Error('did not reject')),
    (error: unknown) => error,
  );

async function withServer(script: ModelScript, use: (server: ModelServer) => Promise<void>): Promise<void> {
  const server = await startModelServer({ script });
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

const messages = [{ role: 'user' as const, content: 'Go.' }];

type Options = Readonly<Record<'signal', AbortSignal>>;

/** One streamed call of each SDK, with the options it is given. */
const sdks: readonly [string, (server: ModelServer, options: Options) => Promise<AsyncIterable<unknown>>][] = [
  [
    'openai',
    (server, options) =>
      new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 2 }).chat.completions.create(
        { model: 'm', messages, stream: true },
        options,
      ),
  ],
  [
    '@anthropic-ai/sdk',
    (server, options) =>
      new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 2 }).messages.create(
        { model: 'm', max_tokens: 100, messages, stream: true },
        options,
      ),
  ],
];

/** Reads until the stream ends in whatever way; says how many chunks came and how it ended. */
async function read(
  stream: AsyncIterable<unknown>,
  onChunk: (count: number) => void,
): Promise<{ count: number; error?: unknown }> {
  let count = 0;
  try {
    for await (const _chunk of stream) onChunk(++count);
  } catch (error) {
    return { count, error };
  }
  return { count };
}

/** Collects garbage until a condition holds; a few turns are not enough for finalizers on a busy machine. */
async function collectUntil(condition: () => boolean): Promise<void> {
  for (let round = 0; round < 200 && !condition(); round += 1) {
    gc?.();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe.each(sdks)('a stream of %s made under a bare withCancellation', (_, call) => {
  it('S15 dies mid-body: the loop ends, the server sees its socket close, no listener is left', async () => {
    await withServer([{ text: 'word '.repeat(500), chunkMs: 5 }], async (server) => {
      const session = new AbortController();
      const stream = await withCancellation(session.signal, ({ signal }) => call(server, { signal }));
      expect(listeners(session.signal)).toBe(1);
      const { count } = await read(stream, (chunks) => {
        if (chunks === 3) session.abort();
      });
      expect(count).toBeLessThan(100);
      const [request] = await server.waitFor(({ requests }) =>
        requests[0]?.closedEarly === true ? requests : undefined,
      );
      expect(request?.finishedAt).toBeUndefined();
      expect(server.requests).toHaveLength(1);
      expect(listeners(session.signal)).toBe(0);
    });
  });

  it('S15 dies as well when the context itself is handed over as the client’s options', async () => {
    await withServer([{ text: 'word '.repeat(500), chunkMs: 5 }], async (server) => {
      const session = new CancellationTokenSource();
      const stream = await withCancellation(session.token, (context) => call(server, context));
      const { count } = await read(stream, (chunks) => {
        if (chunks === 3) session.cancel('user');
      });
      expect(count).toBeLessThan(100);
      await server.waitFor(({ requests }) => requests[0]?.closedEarly);
    });
  });

  it('S15 dies while the server is silent', async () => {
    await withServer([{ text: 'one two three four', silentAfter: 2 }], async (server) => {
      const session = new CancellationTokenSource();
      const stream = await withCancellation(session.token, ({ signal }) => call(server, { signal }));
      setTimeout(() => session.cancel('user'), 50);
      await read(stream, () => {});
      await server.waitFor(({ requests }) => requests[0]?.closedEarly);
      expect(session.reason?.kind).toBe('user');
    });
  });

  it('is cancelled before its headers: one error for everybody, and no second request', async () => {
    await withServer([{ silent: true }], async (server) => {
      const session = new CancellationTokenSource();
      const stopped = errorOf(withCancellation(session.token, ({ signal }) => call(server, { signal })));
      await server.waitFor(({ requests }) => requests.length === 1);
      session.cancel({ kind: 'user', by: 'ada' });
      const error = await stopped;
      expect(error).toBeInstanceOf(CancelledError);
      expect(error).toBe(session.signal.reason);
      expect((error as CancelledError).abandoned).toBeUndefined();
      await server.waitFor(({ requests }) => requests[0]?.closedEarly);
      expect(server.requests).toHaveLength(1);
    });
  });

  it('its own limit is reported as that, though the SDK calls it an abort', async () => {
    await withServer([{ silent: true }], async (server) => {
      const stopped = withCancellation(null, ({ signal }) => call(server, { signal }), { timeoutMs: 50 });
      expect(await errorOf(stopped)).toMatchObject({ name: 'TimeoutError', limitMs: 50 });
    });
  });

  it('a refused request is that failure, cancelled or not', async () => {
    await withServer([{ status: 400, message: 'No such model' }], async (server) => {
      const session = new AbortController();
      const failed = errorOf(withCancellation(session.signal, ({ signal }) => call(server, { signal })));
      expect(await failed).toMatchObject({ status: 400 });
      expect(listeners(session.signal)).toBe(0);
    });
  });

  it('S34 read to its end lets go of the session once it is collected', async () => {
    await withServer(
      () => ({ text: 'one two three' }),
      async (server) => {
        const session = new AbortController();
        const all = async (): Promise<void> => {
          for (let i = 0; i < 20; i += 1) {
            await read(await withCancellation(session.signal, ({ signal }) => call(server, { signal })), () => {});
          }
        };
        await all();
        expect(listeners(session.signal)).toBeLessThanOrEqual(1);
        await collectUntil(() => listeners(session.signal) === 0);
        expect(listeners(session.signal)).toBe(0);
      },
    );
  });
});

describe('S35 never crashes', () => {
  it('a hundred streams of both SDKs, stopped at every stage by their own abort and by ours', async () => {
    await withServer(
      () => ({ text: 'word '.repeat(50), chunkMs: 1 }),
      async (server) => {
        const anthropic = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
        const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
        for (let i = 0; i < 50; i += 1) {
          const session = new CancellationTokenSource();
          /** What the streams of both SDKs have in common. */
          interface Stream extends AsyncIterable<unknown> {
            on(event: 'error', listener: () => void): unknown;
            abort(): void;
          }
          const streams = [
            withCancellation<Stream>(session.token, ({ signal }) =>
              anthropic.messages.stream({ model: 'm', max_tokens: 100, messages }, { signal }),
            ),
            withCancellation<Stream>(session.token, ({ signal }) =>
              openai.chat.completions.stream({ model: 'm', messages }, { signal }),
            ),
          ].map(async (opening) => {
            const stream = await opening;
            stream.on('error', () => {});
            return read(stream, (count) => {
              if (i % 3 === 0 && count === 1 + (i % 7)) stream.abort();
            });
          });
          setTimeout(() => session.cancel('user'), i % 10);
          await Promise.all(streams.map((stream) => stream.catch(() => {})));
        }
        await turn();
      },
    );
  });
});

describe('a deaf call', () => {
  it('S01 is answered within its grace, named abandoned, and heard when it ends after all', async () => {
    await withServer([{ silent: true }], async (server) => {
      const session = new CancellationTokenSource();
      const late: LateOutcome<unknown>[] = [];
      const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
      const stopped = errorOf(
        withCancellation(session.token, () => client.chat.completions.create({ model: 'm', messages }), {
          graceMs: 50,
          name: 'ask the model',
          onLateSettle: (outcome) => late.push(outcome),
        }),
      );
      await server.waitFor(({ requests }) => requests.length === 1);
      const start = performance.now();
      session.cancel('user');
      const error = await stopped;
      expect(performance.now() - start).toBeGreaterThanOrEqual(45);
      expect(performance.now() - start).toBeLessThan(limitMs(1_000));
      expect(error).toMatchObject({
        name: 'AbortError',
        reason: { kind: 'user' },
        abandoned: { name: 'ask the model' },
      });
      expect(late).toEqual([]);
      await server.close();
      for (let i = 0; i < 100 && late.length === 0; i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
      // A connection that broke can mean either; under a cancelled token it is taken for the cancel.
      expect(late).toEqual([{ status: 'cancelled', reason: session.reason }]);
    });
  });
});

describe('S09 waits', () => {
  it('of a minute end at once when they are cancelled', async () => {
    const session = new CancellationTokenSource();
    const waits = [
      delay(session.token, 60_000),
      pollUntil(session.token, () => false, { intervalMs: 60_000 }),
      pollUntil(session.token, () => new Promise<never>(() => {})),
      retry(session.token, () => Promise.reject(new Error('busy')), { backoff: 60_000 }),
      raceCancellation(session.token, new Promise(() => {})),
    ].map(errorOf);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const start = performance.now();
    session.cancel('user');
    const errors = await Promise.all(waits);
    expect(performance.now() - start).toBeLessThan(limitMs(250));
    expect(new Set(errors)).toEqual(new Set([session.signal.reason]));
  });
});

describe('S34 no leaks', () => {
  /** An SDK that adds a listener for each call and never removes it. */
  async function sloppy(signal: AbortSignal): Promise<{ readonly text: string }> {
    signal.addEventListener('abort', () => void signal.aborted);
    await Promise.resolve();
    return { text: 'answer' };
  }

  it('10,000 calls one after the other on one session signal: at most one listener, and the heap stays', async () => {
    const session = new AbortController();
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    let most = 0;
    const call = async (i: number): Promise<void> => {
      await withCancellation(session.signal, async ({ signal }) => {
        const answer = sloppy(signal);
        most = Math.max(most, listeners(session.signal));
        if (i % 10 === 0) throw new Error('busy');
        return answer;
      }).catch(() => {});
      await runUntilCancelled(session.signal, ({ token }) => raceCancellation(token, sloppy(token.signal)), {
        timeoutMs: 60_000,
      });
    };
    const heap = async (): Promise<number> => {
      for (let i = 0; i < 4; i += 1) {
        gc?.();
        await turn();
      }
      return process.memoryUsage().heapUsed;
    };
    for (let i = 0; i < 1_000; i += 1) await call(i);
    const before = await heap();
    for (let i = 0; i < 10_000; i += 1) await call(i);
    const growth = (await heap()) - before;
    process.off('warning', warn);
    expect(most).toBe(1);
    expect(listeners(session.signal)).toBe(0);
    expect(growth).toBeLessThan(5 * 1024 * 1024);
    expect(warnings).toEqual([]);
  });

  it('200 calls at once: one listener, none afterwards, one reason for all', async () => {
    const session = new AbortController();
    const calls = Array.from({ length: 200 }, () =>
      errorOf(
        withCancellation(session.signal, async ({ signal, token }) => {
          await sloppy(signal);
          await delay(token, 60_000);
        }),
      ),
    );
    expect(listeners(session.signal)).toBe(1);
    await turn();
    session.abort(new Error('tab closed'));
    const errors = (await Promise.all(calls)) as CancelledError[];
    expect(new Set(errors.map(({ reason }) => reason)).size).toBe(1);
    expect(listeners(session.signal)).toBe(0);
  });
});

describe('the process', () => {
  const door = new URL('../../src/index.ts', import.meta.url).href;
  const script = (code: string): Promise<{ stdout: string }> =>
    run(process.execPath, ['--input-type=module', '-e', `import * as desist from ${JSON.stringify(door)}; ${code}`], {
      timeout: 10_000,
    });

  it('is not kept alive by a limit, pending or past', async () => {
    const { stdout } = await script(`
      const source = new desist.CancellationTokenSource({ timeoutMs: 60_000 });
      await desist.withCancellation(source.token, () => 7, { timeoutMs: 60_000, idleMs: 60_000 });
      void desist.withCancellation(source.token, () => new Promise(() => {}), { timeoutMs: 60_000, idleMs: 60_000 });
      console.log('out');
    `);
    expect(stdout).toBe('out\n');
  });

  it('is kept alive by a wait that somebody asked for', async () => {
    const { stdout } = await script(`
      void desist.delay(null, 20).then(() => console.log('waited'));
      let asked = 0;
      void desist.pollUntil(null, () => ++asked === 2, { intervalMs: 20 }).then(() => console.log('polled'));
    `);
    expect(stdout.split('\n').sort().join(' ').trim()).toBe('polled waited');
  });
});
