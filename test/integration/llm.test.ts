import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  cancellableStream,
  describeUsage,
  foldAnthropic,
  foldOpenAIChat,
  readStream,
  type ModelReply,
  type OpenStream,
  type StreamFold,
} from '../../src/adapters/llm/index.ts';
import { CancellationTokenSource } from '../../src/core/token/token.ts';
import type { TokenLike } from '../../src/core/token/handles.ts';
import { startModelServer, type ModelServer } from '../../src/testing/model-server/index.ts';

const ask = [{ role: 'user' as const, content: 'Go.' }];
const words = Array.from({ length: 200 }, (_, index) => `word${String(index)}`).join(' ');
/** Half a second is generous on a machine that does other things; a cut that waited would take ten. */
const SOON_MS = 500;

let server: ModelServer;

afterEach(() => server.close());

type AnyReply = ModelReply<unknown, unknown>;

/** The four ways in which people stream, each to be read through the adapter. */
const clients = {
  'anthropic create': (): { open: OpenStream<unknown>; fold: () => StreamFold<never, AnyReply> } => ({
    open: ({ signal }) =>
      anthropic().messages.create({ model: 'm', max_tokens: 9, messages: ask, stream: true }, { signal }),
    fold: foldAnthropic,
  }),
  'anthropic stream': () => ({
    open: ({ signal }) => anthropic().messages.stream({ model: 'm', max_tokens: 9, messages: ask }, { signal }),
    fold: foldAnthropic,
  }),
  'openai create': () => ({
    open: ({ signal }) => openai().chat.completions.create({ model: 'm', messages: ask, stream: true }, { signal }),
    fold: foldOpenAIChat,
  }),
  'openai stream': () => ({
    open: ({ signal }) => openai().chat.completions.stream({ model: 'm', messages: ask }, { signal }),
    fold: foldOpenAIChat,
  }),
} satisfies Record<string, () => { open: OpenStream<unknown>; fold: () => StreamFold<never, AnyReply> }>;

function anthropic(): Anthropic {
  return new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
}

function openai(): OpenAI {
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
}

function readWith(
  name: keyof typeof clients,
  token: TokenLike,
  onProgress?: (reply: AnyReply) => void,
): Promise<AnyReply> {
  const { open, fold } = clients[name]();
  return readStream<unknown, AnyReply>(token, open, { fold: fold, onProgress });
}

describe.each(Object.keys(clients) as (keyof typeof clients)[])('%s', (name) => {
  it('S15 cut is not completion: cancelled, with the partial text, and the socket closed', async () => {
    server = await startModelServer({ script: [{ text: words, chunkMs: 50 }] });
    const person = new CancellationTokenSource();
    let last: AnyReply | undefined;
    let cancelledAt = 0;
    let saidByThen = '';
    const reading = readWith(name, person.token, (reply) => {
      last = reply;
      if (reply.text === 'word0 word1' && cancelledAt === 0) {
        setTimeout(() => {
          cancelledAt = performance.now();
          saidByThen = last?.text ?? '';
          person.cancel('user');
        }, 10);
      }
    });
    const error: unknown = await reading.catch((thrown: unknown) => thrown);
    expect(performance.now() - cancelledAt).toBeLessThan(SOON_MS);
    expect(error).toBe(person.signal.reason);
    expect(error).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    // What had come by then is kept, and not a word more.
    expect(saidByThen).toMatch(/^word0 word1/);
    expect(last?.text).toBe(saidByThen);
    expect(last?.isComplete).toBe(false);

    const request = await server.waitFor(({ requests }) => requests.find(({ closedEarly }) => closedEarly));
    expect(performance.now() - cancelledAt).toBeLessThan(2 * SOON_MS);
    expect(request.deltasWritten).toBeLessThan(20);
  });

  it('S16 a cut stream’s usage is unknown, at least what came', async () => {
    server = await startModelServer({ script: [{ text: words, silentAfter: 5 }] });
    const person = new CancellationTokenSource();
    let last: AnyReply | undefined;
    const reading = readWith(name, person.token, (reply) => {
      last = reply;
      if (reply.text.endsWith('word4')) person.cancel('user');
    });
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(last?.usage).toMatchObject({ isExact: false, outputTokens: 5 });
    expect(describeUsage(last?.usage ?? { isExact: true, inputTokens: 0, outputTokens: 0 })).toMatch(
      /^unknown, at least (10 input and )?5 output tokens$/,
    );
  });

  it('reads a whole reply with its calls', async () => {
    server = await startModelServer({ script: [{ text: 'Looking.', toolCalls: [{ name: 'read', input: { a: 1 } }] }] });
    const reply = await readWith(name, new CancellationTokenSource().token);
    expect(reply).toMatchObject({ text: 'Looking.', isComplete: true, calls: [{}] });
  });

  it('closes its socket when the reader leaves', async () => {
    server = await startModelServer({ script: [{ text: words, chunkMs: 20 }] });
    for await (const _event of cancellableStream(undefined, clients[name]().open)) break;
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);
  });

  it('S10 reports silence as its own idle limit', async () => {
    server = await startModelServer({ script: [{ text: words, silentAfter: 2 }] });
    const stream = cancellableStream(undefined, clients[name]().open, { idleMs: 60 });
    const reading = (async () => {
      for await (const _event of stream);
    })();
    await expect(reading).rejects.toMatchObject({ name: 'TimeoutError', limitMs: 60, reason: { kind: 'idle' } });
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);
  });

  it('S34 100 calls leave no listener on the session’s signal', async () => {
    server = await startModelServer({ script: () => 'short answer' });
    const session = new AbortController();
    for (let call = 0; call < 100; call += 1) await readWith(name, session.signal);
    expect(getEventListeners(session.signal, 'abort')).toHaveLength(0);
    session.abort();
    expect(server.requests.filter(({ closedEarly }) => closedEarly)).toEqual([]);
  });
});

describe('S35 a helper that is aborted and never awaited', () => {
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => {
    unheard.push(error);
  };

  beforeEach(async () => {
    unheard.length = 0;
    process.on('unhandledRejection', hear);
    server = await startModelServer({ script: () => ({ text: words, chunkMs: 50 }) });
  });

  afterEach(() => {
    process.off('unhandledRejection', hear);
  });

  /** Aborts the helper by itself, in the tick in which it was made. */
  const openers: Record<string, OpenStream<unknown>> = {
    anthropic: () => {
      const stream = anthropic().messages.stream({ model: 'm', max_tokens: 9, messages: ask });
      stream.abort();
      return stream;
    },
    'anthropic, by a promise': async () => {
      const stream = anthropic().messages.stream({ model: 'm', max_tokens: 9, messages: ask });
      stream.abort();
      return await Promise.resolve(stream);
    },
    'openai, by a promise': async () => {
      const stream = openai().chat.completions.stream({ model: 'm', messages: ask });
      stream.abort();
      return await Promise.resolve(stream);
    },
    openai: () => {
      const stream = openai().chat.completions.stream({ model: 'm', messages: ask });
      stream.abort();
      return stream;
    },
  };

  it.each(Object.keys(openers))('%s: rejects to the reader and to nobody else', async (name) => {
    const open = openers[name];
    if (open === undefined) throw new Error('no such client');
    for (const token of [undefined, new CancellationTokenSource().token]) {
      const stream = cancellableStream(token, open);
      await expect(stream.next()).rejects.toThrow(/aborted/i);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(unheard).toEqual([]);
  });

  it.each(['anthropic stream', 'openai stream'] as const)(
    '%s: 50 cancels while connecting and streaming',
    async (name) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, async (_, index) => {
          const person = new CancellationTokenSource();
          setTimeout(() => person.cancel('user'), index * 3);
          await readWith(name, person.token);
        }),
      );
      const names = outcomes.map((outcome) =>
        outcome.status === 'rejected' ? (outcome.reason as Error).name : 'done',
      );
      expect(new Set(names)).toEqual(new Set(['AbortError']));
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(unheard).toEqual([]);
    },
  );
});
