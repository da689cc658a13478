import { afterEach, describe, expect, it, vi } from 'vitest';
import { cancellableStream, type OpenStream } from '../../../src/adapters/llm/cancellable-stream.ts';
import type { StreamFold } from '../../../src/adapters/llm/folds/fold.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

/** Joins words; good enough a model reply. */
function joinWords(): StreamFold<string, string> {
  let value = '';
  return {
    add: (word) => {
      value += word;
    },
    get value() {
      return value;
    },
  };
}

async function* words(...all: string[]): AsyncGenerator<string> {
  for (const word of all) yield await Promise.resolve(word);
}

/** Ends without a word when its signal fires, as SDK loops do. */
async function* politeSource(signal: AbortSignal, ...all: string[]): AsyncGenerator<string> {
  yield* words(...all);
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
}

async function read<E>(stream: AsyncIterable<E>): Promise<{ events: E[]; error: unknown }> {
  const events: E[] = [];
  try {
    for await (const event of stream) events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events, error: undefined };
}

describe('S15 a cut is not completion', () => {
  it('although the source just ends, and the partial text is kept', async () => {
    const person = new CancellationTokenSource({ clock });
    const cuts: unknown[] = [];
    const stream = cancellableStream(person.token, ({ signal }) => politeSource(signal, 'Hel', 'lo'), {
      fold: joinWords,
      onCut: (partial, reason) => cuts.push([partial, reason.kind]),
    });
    const reading = read(stream);
    await clock.advance(0);
    person.cancel('user');
    const { events, error } = await reading;
    expect(events).toEqual(['Hel', 'lo']);
    expect(error).toBe(person.signal.reason);
    expect(stream.partial).toBe('Hello');
    expect(cuts).toEqual([['Hello', 'user']]);
    await expect(stream.closed).resolves.toEqual({ status: 'cancelled' });
  });

  it('of its own limits either: they are the caller’s to see', async () => {
    const person = new CancellationTokenSource({ clock });
    const stream = cancellableStream(person.token, ({ signal }) => politeSource(signal, 'Hel'), {
      fold: joinWords,
      idleMs: 20,
    });
    const reading = read(stream);
    await clock.advance(20);
    expect((await reading).error).toMatchObject({ name: 'TimeoutError', limitMs: 20, reason: { kind: 'idle' } });
    expect(stream.partial).toBe('Hel');
    expect(person.isCancelled).toBe(false);
    await stream.closed;
  });
});

it('reads a stream to its end, opened at once or by a promise', async () => {
  for (const open of [() => words('a', 'b'), () => Promise.resolve(words('a', 'b'))]) {
    const stream = cancellableStream(undefined, open);
    expect(await read(stream)).toEqual({ events: ['a', 'b'], error: undefined });
    expect(stream.partial).toBeUndefined();
    await expect(stream.closed).resolves.toEqual({ status: 'completed' });
  }
});

it('does nothing before the first read, and nothing at all under a cancelled token', async () => {
  const person = new CancellationTokenSource({ clock });
  const open = vi.fn(() => words('a'));
  const stream = cancellableStream(person.token, open);
  person.cancel('user');
  expect((await read(stream)).error).toMatchObject({ reason: { kind: 'user' } });
  expect(open).not.toHaveBeenCalled();
});

it('does not wait for a generator that is stuck', async () => {
  const person = new CancellationTokenSource({ clock });
  let cleanedUp = false;
  async function* stuck(): AsyncGenerator<string> {
    try {
      yield 'a';
      await new Promise(() => undefined);
    } finally {
      cleanedUp = true;
    }
  }
  const stream = cancellableStream(person.token, () => stuck(), { graceMs: 30 });
  const reading = read(stream);
  await clock.advance(0);
  person.cancel('user');
  expect((await reading).error).toMatchObject({ name: 'AbortError' });
  await clock.advance(30);
  await expect(stream.closed).resolves.toEqual({ status: 'abandoned' });
  expect(cleanedUp).toBe(false);
});

it('closes the source and fires its signal on an early `break`', async () => {
  const log: string[] = [];
  let seen: AbortSignal | undefined;
  async function* source(): AsyncGenerator<string> {
    try {
      yield* words('a', 'b');
    } finally {
      log.push(`closed, aborted: ${String(seen?.aborted)}`);
      await Promise.resolve();
    }
  }
  const open: OpenStream<string> = ({ signal }) => {
    seen = signal;
    return source();
  };
  for await (const word of cancellableStream(undefined, open)) {
    log.push(word);
    break;
  }
  expect(log).toEqual(['a', 'closed, aborted: false']);
  expect(seen?.aborted).toBe(true);
});

it('can be left with `await using`', async () => {
  const stream = cancellableStream(undefined, () => words('a', 'b'));
  await stream.next();
  await stream[Symbol.asyncDispose]();
  expect(await stream.next()).toEqual({ done: true, value: undefined });
});

it('reports a throwing onCut, and cuts all the same', async () => {
  const reported: unknown[] = [];
  const person = new CancellationTokenSource({ clock, onCallbackError: (error) => reported.push(error) });
  const mistake = new Error('mistake');
  const stream = cancellableStream(person.token, ({ signal }) => politeSource(signal), {
    onCut: () => {
      throw mistake;
    },
  });
  const reading = read(stream);
  await clock.advance(0);
  person.cancel('user');
  expect((await reading).error).toMatchObject({ name: 'AbortError' });
  expect(reported).toEqual([mistake]);
  await stream.closed;
});

it('fails the read when the fold throws', async () => {
  const fold = () => ({
    add: () => {
      throw new Error('bad event');
    },
    value: 0,
  });
  expect((await read(cancellableStream(undefined, () => words('a'), { fold }))).error).toMatchObject({
    message: 'bad event',
  });
});

it.each([
  [undefined, 'open must be a function, got undefined', {}],
  [() => words(), 'fold must be a function, got "x"', { fold: 'x' }],
  [() => words(), 'onCut must be a function, got 5', { onCut: 5 }],
  [() => words(), 'fetch must be a function, got 5', { fetch: 5 }],
  [() => words(), 'graceMs must be a finite number of milliseconds', { graceMs: Infinity }],
  [() => words(), 'idleMs must be 0 or more milliseconds, got -1', { idleMs: -1 }],
])('refuses at the call: %o, %s', (open, message, options) => {
  expect(() => cancellableStream(undefined, open as never, options as never)).toThrow(message);
});

it('refuses what is no stream, at the read', async () => {
  const open = (() => Promise.resolve({ data: [] })) as unknown as OpenStream<string>;
  const { error } = await read(cancellableStream(undefined, open));
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ message: 'open must return an async iterable, got an instance of Object' });
});
