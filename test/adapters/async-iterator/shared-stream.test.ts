import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sharedStream } from '../../../src/adapters/async-iterator/shared-stream.ts';
import { CancelledError } from '../../../src/core/foundation/errors.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();
const end = { done: true, value: undefined };
const item = (value: number) => ({ done: false, value });

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

function setUp(count = 3, options: { maxLag?: number; graceMs?: number } = {}) {
  const person = new CancellationTokenSource({ clock });
  const log: string[] = [];
  async function* numbers(): AsyncGenerator<number, undefined> {
    try {
      for (let n = 1; n <= count; n += 1) {
        log.push(`asked ${n}`);
        yield n;
      }
      if (count === 0) await new Promise(() => undefined);
    } finally {
      log.push('finally');
    }
  }
  return { person, log, shared: sharedStream(person.token, numbers(), options) };
}

async function readAll<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const one of source) items.push(one);
  return items;
}

describe('readers', () => {
  it('each get everything, and the source is asked once per item', async () => {
    const { log, shared } = setUp();
    const [first, second] = [shared.reader(), shared.reader()];
    await expect(Promise.all([readAll(first), readAll(second)])).resolves.toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(log).toEqual(['asked 1', 'asked 2', 'asked 3', 'finally']);
    await expect(shared.closed).resolves.toEqual({ status: 'completed' });
  });

  it('that come late join where the fastest is; after the end they end', async () => {
    const { shared } = setUp();
    const first = shared.reader();
    await first.next();
    const second = shared.reader();
    await expect(first.next()).resolves.toEqual(item(2));
    await expect(readAll(second)).resolves.toEqual([2, 3]);
    await expect(readAll(first)).resolves.toEqual([3]);
    await expect(readAll(shared)).resolves.toEqual([]);
    expect(shared.readers).toBe(0);
  });

  it('ask for nothing that nobody wants', async () => {
    const { log, shared } = setUp();
    const [first] = [shared.reader(), shared.reader()];
    await first.next();
    await clock.advance(100);
    expect(log).toEqual(['asked 1']);
    await shared[Symbol.asyncIterator]().return();
  });
});

describe('leaving', () => {
  it('S27 stops nobody else; the last one out closes the source', async () => {
    const { log, shared } = setUp();
    const [first, second] = [shared.reader(), shared.reader()];
    await first.next();
    await first.return();
    expect([log, shared.readers]).toEqual([['asked 1'], 1]);
    await expect(second.next()).resolves.toEqual(item(1));
    await expect(second.next()).resolves.toEqual(item(2));
    await second.return();
    expect(log).toEqual(['asked 1', 'asked 2', 'finally']);
    await expect(shared.closed).resolves.toEqual({ status: 'cancelled' });
    expect(() => shared.reader()).toThrow('The last reader has left: the shared stream is closed');
  });

  it('by a token of one’s own cuts only that reader, also in the middle of a read', async () => {
    const { shared } = setUp(0);
    const stop = new CancellationTokenSource({ clock });
    const [mine, other] = [shared.reader(stop.token), shared.reader()];
    const [cut, pending] = [mine.next(), other.next()];
    await clock.advance(0);
    stop.cancel('user');
    await expect(cut).rejects.toBe(stop.signal.reason);
    expect(shared.readers).toBe(1);
    const left = other.return();
    await expect(pending).resolves.toEqual(end);
    await clock.advance(1000);
    await left;
    await expect(shared.closed).resolves.toEqual({ status: 'abandoned' });
  });

  it('before it came makes no reader', async () => {
    const { log, shared } = setUp();
    const stop = new CancellationTokenSource({ clock });
    stop.cancel('user');
    await expect(shared.reader(stop.token).next()).rejects.toBe(stop.signal.reason);
    expect([shared.readers, log]).toEqual([0, []]);
    await expect(readAll(shared)).resolves.toEqual([1, 2, 3]);
  });
});

describe('the shared token', () => {
  it('cuts every reader and the source', async () => {
    const { person, shared } = setUp(0, { graceMs: 10 });
    const reads = [shared.reader().next(), shared.reader().next()];
    await clock.advance(0);
    person.cancel('user');
    for (const read of reads) await expect(read).rejects.toBe(person.signal.reason);
    await clock.advance(10);
    await expect(shared.closed).resolves.toEqual({ status: 'abandoned' });
    await expect(shared.reader().next()).rejects.toBeInstanceOf(CancelledError);
  });
});

describe('a failure', () => {
  it('reaches every reader, each after what came before it, and late ones', async () => {
    const failure = new Error('reset');
    const emitter = new EventEmitter();
    const shared = sharedStream<number>(null, emitter, { event: 'x' });
    const [fast, slow] = [shared.reader(), shared.reader()];
    emitter.emit('x', 1);
    await expect(fast.next()).resolves.toEqual(item(1));
    emitter.emit('error', failure);
    await expect(fast.next()).rejects.toBe(failure);
    await expect(slow.next()).resolves.toEqual(item(1));
    await expect(slow.next()).rejects.toBe(failure);
    await expect(shared.reader().next()).rejects.toBe(failure);
    expect(shared.readers).toBe(0);
  });

  it('of closing is reported to the last one out', async () => {
    const failure = new Error('cannot close');
    const cancel = vi.fn(() => Promise.reject(failure));
    const shared = sharedStream(null, new ReadableStream({ cancel }));
    const reader = shared.reader();
    void reader.next();
    await clock.advance(0);
    await reader.return();
    await expect(reader.closed).resolves.toEqual({ status: 'failed', error: failure });
    await expect(shared.closed).resolves.toEqual({ status: 'failed', error: failure });
  });
});

describe('maxLag', () => {
  it('makes the fastest wait for the slowest, until that one moves or leaves', async () => {
    const { log, shared } = setUp(4, { maxLag: 2 });
    const [fast, slow] = [shared.reader(), shared.reader()];
    await fast.next();
    await fast.next();
    const third = fast.next();
    await clock.advance(0);
    expect(log).toEqual(['asked 1', 'asked 2']);
    await slow.next();
    await expect(third).resolves.toEqual(item(3));
    const fourth = fast.next();
    await clock.advance(0);
    expect(log).toHaveLength(3);
    await slow.return();
    await expect(fourth).resolves.toEqual(item(4));
    await expect(fast.next()).resolves.toEqual(end);
  });

  it('lets a reader that waits go when it leaves', async () => {
    const { log, shared } = setUp(4, { maxLag: 1 });
    const [fast, slow] = [shared.reader(), shared.reader()];
    await fast.next();
    const waiting = fast.next();
    await clock.advance(0);
    await fast.return();
    await expect(waiting).resolves.toEqual(end);
    await slow.return();
    expect(log).toEqual(['asked 1', 'finally']);
  });

  it.each([0, 1.5, Number.NaN, '2'])('refuses %s', (maxLag) => {
    expect(() => sharedStream(null, [], { maxLag: maxLag as number })).toThrow('maxLag must be');
  });
});
