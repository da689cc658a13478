import { EventEmitter } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { cancellableIterable } from '../../../src/adapters/async-iterator/cancellable-iterable.ts';
import { sourceOf } from '../../../src/adapters/async-iterator/sources.ts';
import { CancelledError } from '../../../src/core/foundation/errors.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';

async function readAll(source: unknown): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of cancellableIterable<unknown>(null, source as AsyncIterable<unknown>)) items.push(item);
  return items;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('reads', () => {
  const numbers = function* () {
    yield 1;
    yield Promise.resolve(2);
  };
  async function* asyncNumbers() {
    yield 1;
    yield 2;
  }
  let at = 0;

  it.each<[string, unknown]>([
    ['a list, promises in it too', [1, Promise.resolve(2)]],
    ['a generator', numbers()],
    ['an async generator', asyncNumbers()],
    ['an async iterable', { [Symbol.asyncIterator]: asyncNumbers }],
    ['an iterator by itself', { next: () => Promise.resolve({ done: at >= 2, value: ++at }) }],
    ['a web stream', Readable.toWeb(Readable.from([1, 2]))],
    ['a Node stream', Readable.from([1, 2])],
  ])('%s', async (_what, source) => {
    await expect(readAll(source)).resolves.toEqual([1, 2]);
  });
});

describe('a web stream', () => {
  it('that cannot be iterated is read all the same, and unlocked at its end', async () => {
    const stream = new ReadableStream<string>({
      start: (controller) => {
        controller.enqueue('a');
        controller.close();
      },
    });
    Object.defineProperty(stream, Symbol.asyncIterator, { value: undefined });
    await expect(readAll(stream)).resolves.toEqual(['a']);
    expect(stream.locked).toBe(false);
  });

  it('is cancelled by a cancel, although a read is pending, and a failure of that is reported', async () => {
    const failure = new Error('cannot close');
    const stop = new CancellationTokenSource();
    const iterable = cancellableIterable(stop.token, new ReadableStream({ cancel: () => Promise.reject(failure) }));
    const read = iterable.next();
    await turn();
    stop.cancel('user');
    await expect(read).rejects.toBeInstanceOf(CancelledError);
    await expect(iterable.closed).resolves.toEqual({ status: 'failed', error: failure });
  });
});

describe('a Node stream', () => {
  it('that is stuck in a read is destroyed, which its own iterator would not do', async () => {
    const stream = new PassThrough();
    const stop = new CancellationTokenSource();
    const iterable = cancellableIterable(stop.token, stream);
    const read = iterable.next();
    await turn();
    stop.cancel('user');
    await expect(read).rejects.toBeInstanceOf(CancelledError);
    await expect(iterable.closed).resolves.toEqual({ status: 'cancelled' });
    expect(stream.destroyed).toBe(true);
  });

  it('is destroyed before it was read, and what that throws is reported', async () => {
    const failure = new Error('cannot close');
    const stream = new Readable({ read: () => undefined, destroy: (_error, done) => done(failure) });
    const stop = new CancellationTokenSource();
    const iterable = cancellableIterable(stop.token, stream);
    stop.cancel('user');
    await expect(iterable.closed).resolves.toEqual({ status: 'failed', error: failure });
  });

  it('keeps its back-pressure', async () => {
    let made = 0;
    const stream = new Readable({
      objectMode: true,
      highWaterMark: 1,
      read() {
        this.push(++made);
      },
    });
    const iterable = cancellableIterable(null, stream);
    await iterable.next();
    for (let round = 0; round < 10; round += 1) await turn();
    expect(made).toBeLessThanOrEqual(3);
    await iterable.return();
    await iterable.return(); // harmless
    expect(stream.destroyed).toBe(true);
  });

  it('of the old kind, that never says it is closed, is not waited for', async () => {
    const destroy = vi.fn();
    const old = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
      destroy,
      once: vi.fn(),
    };
    const stop = new CancellationTokenSource();
    const iterable = cancellableIterable(stop.token, old as unknown as AsyncIterable<number>);
    iterable.next().catch(() => undefined);
    await turn();
    stop.cancel('user');
    await expect(iterable.closed).resolves.toEqual({ status: 'cancelled' });
    expect(destroy).toHaveBeenCalledTimes(1);
  });
});

it('closes a synchronous generator', async () => {
  const closed = vi.fn();
  const iterable = cancellableIterable(
    null,
    (function* () {
      try {
        yield 1;
        yield 2;
      } finally {
        closed();
      }
    })(),
  );
  await iterable.next();
  await iterable.return();
  expect(closed).toHaveBeenCalledTimes(1);
});

it('an iterable that was never opened has nothing to close', () => {
  const open = vi.fn();
  const source = sourceOf({ [Symbol.asyncIterator]: open }, {});
  expect([source.discard(), open.mock.calls.length]).toEqual([undefined, 0]);
  expect(sourceOf([1], {}).discard()).toBeUndefined();
});

it('asks for the name of an event', () => {
  expect(() => sourceOf(new EventEmitter(), {})).toThrow('an emitter needs the name of an event, got undefined');
});
