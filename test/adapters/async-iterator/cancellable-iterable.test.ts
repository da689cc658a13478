import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  cancellableIterable,
  type CancellableIterableOptions,
  type IterableCut,
} from '../../../src/adapters/async-iterator/cancellable-iterable.ts';
import { CancelledError } from '../../../src/core/foundation/errors.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

/** A generator that says what became of it, and is stuck after its items if asked to. */
function spoken(items: readonly string[], end: 'ends' | 'stuck' = 'ends') {
  const log: string[] = [];
  async function* words(): AsyncGenerator<string, undefined> {
    try {
      for (const item of items) {
        log.push(`asked ${item}`);
        yield item;
      }
      if (end === 'stuck') await new Promise(() => undefined);
    } finally {
      log.push('finally');
    }
  }
  return { log, source: words() };
}

const person = () => new CancellationTokenSource({ clock });

async function readAll<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of iterable) items.push(item);
  return items;
}

describe.each(['wake', 'check'] as const)('mode %s', (mode) => {
  it('hands on everything, and ends when the source does', async () => {
    const { source } = spoken(['a', 'b']);
    await expect(readAll(cancellableIterable(person().token, source, { mode }))).resolves.toEqual(['a', 'b']);
  });

  it('S27 an early break calls the source’s return() once, and waits for it', async () => {
    const { log, source } = spoken(['a', 'b', 'c']);
    const returned = vi.spyOn(source, 'return');
    const iterable = cancellableIterable(person().token, source, { mode });
    for await (const item of iterable) if (item === 'b') break;
    expect(log).toEqual(['asked a', 'asked b', 'finally']);
    expect(returned).toHaveBeenCalledTimes(1);
    await expect(iterable.closed).resolves.toEqual({ status: 'cancelled' });
    await expect(iterable.next()).resolves.toEqual({ done: true, value: undefined });
  });

  it('asks for one item at a time, and only when its reader does', async () => {
    const { log, source } = spoken(['a', 'b', 'c']);
    const iterable = cancellableIterable(person().token, source, { mode });
    await iterable.next();
    await clock.advance(1000);
    expect(log).toEqual(['asked a']);
    await iterable.return();
  });

  it('between two reads a cancel is told by the next, and the source is closed', async () => {
    const { log, source } = spoken(['a', 'b']);
    const stop = person();
    const cuts: IterableCut[] = [];
    const iterable = cancellableIterable(stop.token, source, { mode, onCut: (cut) => cuts.push(cut) });
    await iterable.next();
    stop.cancel('user');
    await expect(iterable.next()).rejects.toBe(stop.signal.reason);
    await expect(iterable.next()).rejects.toBe(stop.signal.reason);
    await expect(iterable.closed).resolves.toEqual({ status: 'cancelled' });
    expect(log).toEqual(['asked a', 'finally']);
    expect(cuts.map(({ reason }) => reason)).toEqual([stop.reason]);
  });

  it('under a cancelled token asks for nothing, and closes the source', async () => {
    const { log, source } = spoken(['a']);
    const returned = vi.spyOn(source, 'return');
    const stop = person();
    stop.cancel('user');
    await expect(cancellableIterable(stop.token, source, { mode }).next()).rejects.toBeInstanceOf(CancelledError);
    await clock.advance(0);
    expect([log, returned.mock.calls.length]).toEqual([[], 1]);
  });

  it('reports what closing threw, and passes a failure of the source through', async () => {
    const failure = new Error('no clean-up');
    const source = {
      next: () => Promise.resolve({ done: false as const, value: 1 }),
      return: () => Promise.reject(failure),
    };
    const iterable = cancellableIterable(person().token, source, { mode });
    await iterable.next();
    await iterable.return();
    await expect(iterable.closed).resolves.toEqual({ status: 'failed', error: failure });
    const failing = { next: () => Promise.reject(failure) };
    await expect(cancellableIterable(null, failing, { mode }).next()).rejects.toBe(failure);
  });

  it('closes at the end of an `await using` block', async () => {
    const { log, source } = spoken(['a', 'b']);
    {
      await using iterable = cancellableIterable(person().token, source, { mode });
      await iterable.next();
    }
    expect(log).toEqual(['asked a', 'finally']);
  });

  it('a callback that throws hurts nobody', async () => {
    const errors: unknown[] = [];
    const stop = new CancellationTokenSource({ clock, onCallbackError: (error) => errors.push(error) });
    const failure = new Error('bad callback');
    const onCut = () => {
      throw failure;
    };
    const iterable = cancellableIterable(stop.token, spoken(['a']).source, { mode, onCut });
    await iterable.next();
    stop.cancel('user');
    await expect(iterable.next()).rejects.toBeInstanceOf(CancelledError);
    expect(errors).toEqual([failure]);
  });
});

describe('a cancel', () => {
  it('S27 settles a read of a stuck generator at once, bounds its return(), and reports the finally that never ran', async () => {
    const { log, source } = spoken(['a'], 'stuck');
    const stop = person();
    const cuts: IterableCut[] = [];
    const returned = vi.spyOn(source, 'return');
    const options: CancellableIterableOptions = { graceMs: 50, onCut: (cut) => cuts.push(cut) };
    const iterable = cancellableIterable(stop.token, source, options);
    await iterable.next();
    const stuck = iterable.next();
    await clock.advance(0);
    stop.cancel('user');
    await expect(stuck).rejects.toBe(stop.signal.reason); // no time has passed
    expect(returned).toHaveBeenCalledTimes(1);
    await clock.advance(50);
    await expect(iterable.closed).resolves.toEqual({ status: 'abandoned' });
    await expect(cuts[0]?.closed).resolves.toEqual({ status: 'abandoned' });
    expect(log).toEqual(['asked a']); // no 'finally'
  });

  describe('of a source without return(), in a read', () => {
    function asked() {
      const answer = deferred<IteratorResult<string, undefined>>();
      const stop = person();
      const iterable = cancellableIterable<string>(stop.token, { next: () => answer.promise }, { graceMs: 50 });
      const read = iterable.next();
      return { answer, stop, iterable, read };
    }

    it('is abandoned when it never answers', async () => {
      const { stop, iterable, read } = asked();
      await clock.advance(0);
      stop.cancel('user');
      await expect(read).rejects.toBe(stop.signal.reason);
      await clock.advance(50);
      await expect(iterable.closed).resolves.toEqual({ status: 'abandoned' });
    });

    it('has unwound when it answers within its grace', async () => {
      const { answer, stop, iterable, read } = asked();
      await clock.advance(0);
      stop.cancel('user');
      await expect(read).rejects.toBe(stop.signal.reason);
      answer.resolve({ done: false, value: 'late' });
      await expect(iterable.closed).resolves.toEqual({ status: 'cancelled' });
    });

    it.each([
      ['with the stop has unwound', (reason: unknown) => reason, { status: 'cancelled' }],
      ['with a failure of its own has failed', () => 'disk full', { status: 'failed', error: 'disk full' }],
    ])('that answers %s', async (_how, errorOf, end) => {
      const { answer, stop, iterable, read } = asked();
      await clock.advance(0);
      stop.cancel('user');
      await expect(read).rejects.toBe(stop.signal.reason);
      answer.reject(errorOf(stop.signal.reason));
      await expect(iterable.closed).resolves.toEqual(end);
    });

    it('is abandoned when several reads overlap, and one has no answer', async () => {
      const answers = [deferred<IteratorResult<string, undefined>>(), deferred<IteratorResult<string, undefined>>()];
      let at = 0;
      const source = { next: () => (answers[at++] as (typeof answers)[number]).promise };
      const iterable = cancellableIterable<string>(person().token, source, { graceMs: 50 });
      const reads = [iterable.next(), iterable.next()];
      await clock.advance(0);
      const left = iterable.return();
      expect((await Promise.all(reads)).map(({ done }) => done)).toEqual([true, true]);
      answers[0]?.resolve({ done: false, value: 'late' });
      await clock.advance(50);
      await left;
      await expect(iterable.closed).resolves.toEqual({ status: 'abandoned' });
    });
  });

  it('closes a source that nobody has begun to read', async () => {
    const cancel = vi.fn();
    const stream = new ReadableStream({ cancel });
    const stop = person();
    const iterable = cancellableIterable(stop.token, stream);
    stop.cancel('user');
    await clock.advance(0);
    expect(cancel).toHaveBeenCalledTimes(1);
    await expect(iterable.next()).rejects.toBeInstanceOf(CancelledError);
  });

  it('takes one registration for the whole iteration', async () => {
    const stop = person();
    const spy = vi.spyOn(Object.getPrototypeOf(stop.token) as { onCancelled: () => void }, 'onCancelled');
    await readAll(cancellableIterable(stop.token, spoken(['a', 'b', 'c', 'd']).source));
    expect(spy).toHaveBeenCalledTimes(1);
    spy.mockRestore();
  });

  it('works by a plain AbortSignal', async () => {
    const controller = new AbortController();
    const iterable = cancellableIterable(controller.signal, spoken([], 'stuck').source, { graceMs: 0 });
    const read = iterable.next();
    controller.abort();
    await expect(read).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('in mode check delivers what was asked for before it', async () => {
    const emitter = new EventEmitter();
    const stop = person();
    const iterable = cancellableIterable(stop.token, emitter, { event: 'x', mode: 'check' });
    const read = iterable.next();
    stop.cancel('user');
    emitter.emit('x', 7);
    await expect(read).resolves.toEqual({ done: false, value: 7 });
    await expect(iterable.next()).rejects.toBeInstanceOf(CancelledError);
  });
});

it('idleMs is a limit of this iteration, counted while somebody waits', async () => {
  const stop = person();
  const iterable = cancellableIterable(stop.token, spoken(['a'], 'stuck').source, { idleMs: 30, graceMs: 0 });
  await iterable.next();
  await clock.advance(1000);
  const read = expect(iterable.next()).rejects.toMatchObject({ name: 'TimeoutError', limitMs: 30 });
  await clock.advance(30);
  await read;
  expect(stop.isCancelled).toBe(false);
  await clock.advance(0);
});

it.each([
  [5, {}, 'source must be an iterable, an iterator or a stream, got 5'],
  ['abc', {}, 'source must be an iterable, an iterator or a stream, got "abc"'],
  [[], { graceMs: -1 }, 'graceMs must be a finite number of milliseconds, 0 or more, got -1'],
  [[], { graceMs: Infinity }, 'graceMs must be a finite number of milliseconds, 0 or more, got Infinity'],
  [[], { idleMs: Number.NaN }, 'idleMs must be 0 or more milliseconds, got NaN'],
  [[], { onCut: 1 }, 'onCut must be a function, got 1'],
  [[], { mode: 'fast' }, "mode must be one of 'wake', 'check', got \"fast\""],
  [[], { mode: 'check', idleMs: 5 }, "idleMs needs mode 'wake'"],
])('refuses %o with %o', (source, options, message) => {
  expect(() => cancellableIterable(null, source as never, options as never)).toThrow(message);
  expect(() => cancellableIterable(7 as never, [])).toThrow('a token must be');
});
