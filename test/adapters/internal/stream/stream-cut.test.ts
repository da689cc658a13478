import { afterEach, describe, expect, it, vi } from 'vitest';
import { CallScope } from '../../../../src/adapters/internal/call-scope.ts';
import type { CutOptions } from '../../../../src/adapters/internal/stream/cut-options.ts';
import { CutStream, type SourceIterator } from '../../../../src/adapters/internal/stream/stream-cut.ts';
import { CancelledError } from '../../../../src/core/foundation/errors.ts';
import { CancellationTokenSource } from '../../../../src/core/token/cancellation-token-source.ts';
import { deferred, type Deferred } from '../../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();
const end = { done: true, value: undefined } as const;

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

/** A source whose every answer the test gives, and which may be deaf to `return()`. */
class HandSource implements SourceIterator<string> {
  readonly asked: Deferred<IteratorResult<string, unknown>>[] = [];
  readonly returned: Deferred<IteratorResult<string, unknown>> = deferred();
  returns = 0;

  next(): Promise<IteratorResult<string, unknown>> {
    const answer = deferred<IteratorResult<string, unknown>>();
    this.asked.push(answer);
    return answer.promise;
  }

  return(): Promise<IteratorResult<string, unknown>> {
    this.returns += 1;
    return this.returned.promise;
  }

  say(value: string): void {
    this.asked.shift()?.resolve({ done: false, value });
  }

  finish(): void {
    this.asked.shift()?.resolve(end);
  }
}

function setUp(options: Partial<CutOptions<string>> & { idleMs?: number } = {}) {
  const { idleMs, ...rest } = options;
  const person = new CancellationTokenSource({ clock });
  const scope = new CallScope([person.token], { idleMs });
  const source = new HandSource();
  const open = vi.fn(() => source);
  const stream = new CutStream<string>({ open, scope, graceMs: 50, ...rest });
  return { person, scope, source, open, stream };
}

/** Lets every promise reaction that is due run. */
const settled = () => clock.advance(0);

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const done = () => {
    pending = false;
  };
  promise.then(done, done);
  await settled();
  return pending;
}

it.each([false, true])('fails with a result that cannot be read (with onItem: %s)', async (isWatched) => {
  const { scope, source, stream } = setUp(isWatched ? { onItem: () => undefined } : {});
  const unreadable = Object.defineProperty({ value: 'x' }, 'done', {
    get: () => {
      throw new Error('cannot be read');
    },
  });
  const read = stream.next();
  await settled();
  source.asked[0]?.resolve(unreadable);
  await expect(read).rejects.toThrow('cannot be read');
  await expect(stream.closed).resolves.toMatchObject({ status: 'failed' });
  await expect(stream.next()).resolves.toMatchObject({ done: true });
  expect(scope.token.isCancelled).toBe(true);
});

describe('reading', () => {
  it('opens with the first read, hands items on in order, and ends once', async () => {
    const { source, open, stream, scope } = setUp();
    expect(open).not.toHaveBeenCalled();
    const first = stream.next();
    const second = stream.next();
    await settled();
    source.say('a');
    await expect(first).resolves.toEqual({ done: false, value: 'a' });
    source.finish();
    await expect(second).resolves.toEqual(end);
    await expect(stream.next()).resolves.toEqual(end);
    await expect(stream.closed).resolves.toEqual({ status: 'completed' });
    expect([open.mock.calls.length, source.returns, scope.isCancelled]).toEqual([1, 0, false]);
  });

  it('ends every overlapping read when the source ends', async () => {
    const { source, stream } = setUp();
    const reads = [stream.next(), stream.next(), stream.next()];
    await settled();
    source.finish();
    await expect(Promise.all(reads)).resolves.toEqual([end, end, end]);
  });

  it('passes a failure of the source through, once, and tells its signal', async () => {
    const { source, stream, scope } = setUp();
    const reads = [stream.next(), stream.next()] as const;
    await settled();
    const failure = new Error('connection reset');
    source.asked[0]?.reject(failure);
    await expect(reads[0]).rejects.toBe(failure);
    await expect(reads[1]).resolves.toEqual(end);
    await expect(stream.next()).resolves.toEqual(end);
    await expect(stream.closed).resolves.toEqual({ status: 'failed', error: failure });
    expect(scope.isCancelled).toBe(true);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no model');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no model'))],
  ])('fails the read when opening %s', async (_how, open) => {
    const { stream } = setUp({ open });
    await expect(stream.next()).rejects.toThrow('no model');
    await expect(stream.closed).resolves.toMatchObject({ status: 'failed' });
  });

  it('fails the read and closes the source when the caller’s own code throws', async () => {
    const onItem = () => {
      throw new Error('bad fold');
    };
    const { source, stream } = setUp({ onItem });
    const read = stream.next();
    await settled();
    source.say('a');
    await expect(read).rejects.toThrow('bad fold');
    expect(source.returns).toBe(1);
    source.returned.resolve(end);
    await expect(stream.closed).resolves.toEqual({ status: 'cancelled' });
  });
});

describe('a cancel', () => {
  it('settles every pending read at once with the caller’s error, and every later one', async () => {
    const cuts: unknown[] = [];
    const { person, source, stream } = setUp({ onCut: (error) => cuts.push(error) });
    const reads = [stream.next(), stream.next()];
    await settled();
    person.cancel('user');
    const error: unknown = person.signal.reason;
    expect(error).toBeInstanceOf(CancelledError);
    expect(cuts).toEqual([error]);
    for (const read of [...reads, stream.next()]) await expect(read).rejects.toBe(error);
    expect(source.returns).toBe(1);
    source.returned.resolve(end);
    await expect(stream.closed).resolves.toEqual({ status: 'cancelled' });
  });

  it('is no completion, although the source just ends', async () => {
    const { person, source, stream } = setUp();
    const read = stream.next();
    await settled();
    person.token.onCancelled(() => {
      source.finish();
    });
    person.cancel('user');
    await expect(read).rejects.toMatchObject({ reason: { kind: 'user' } });
    source.returned.resolve(end);
    await stream.closed;
  });

  it('does not wait for a source that is stuck, and says that it was given up', async () => {
    const { person, source, stream } = setUp();
    const read = stream.next();
    await settled();
    person.cancel('user');
    await expect(read).rejects.toBeInstanceOf(CancelledError);
    await clock.advance(49);
    expect(await isPending(stream.closed)).toBe(true);
    await clock.advance(1);
    await expect(stream.closed).resolves.toEqual({ status: 'abandoned' });
    source.say('late'); // nobody's
    source.returned.reject(new Error('late too'));
    await expect(stream.next()).rejects.toBeInstanceOf(CancelledError);
  });

  it('before the first read opens nothing', async () => {
    const { person, open, stream } = setUp();
    person.cancel('user');
    await expect(stream.next()).rejects.toMatchObject({ reason: { kind: 'user' } });
    await expect(stream.closed).resolves.toEqual({ status: 'cancelled' });
    expect(open).not.toHaveBeenCalled();
  });

  it('while the source is being opened closes the one that comes late', async () => {
    const opening = deferred<SourceIterator<string>>();
    const { person, source, stream } = setUp({ open: () => opening.promise });
    const read = stream.next();
    await settled();
    person.cancel('user');
    await expect(read).rejects.toBeInstanceOf(CancelledError);
    opening.resolve(source);
    await settled();
    expect([source.returns, source.asked.length]).toEqual([1, 0]);
    source.returned.resolve(end);
    await expect(stream.closed).resolves.toEqual({ status: 'cancelled' });
  });

  it.each<[string, () => SourceIterator<string> | Promise<SourceIterator<string>>]>([
    [
      'throws',
      () => {
        throw new Error('refused');
      },
    ],
    ['rejects', () => Promise.reject(new Error('refused'))],
  ])('inside `open` hears that it %s', async (_what, open) => {
    const { person, stream } = setUp({
      open: () => {
        person.cancel('user');
        return open();
      },
    });
    const read = stream.next();
    await expect(read).rejects.toThrow(CancelledError);
    expect(await stream.closed).toEqual({ status: 'failed', error: new Error('refused') });
  });

  it('inside `open` closes what that brings', async () => {
    const { person, stream, source } = setUp({
      open: () => {
        person.cancel('user');
        return source;
      },
    });
    await expect(stream.next()).rejects.toThrow(CancelledError);
    source.returned.resolve(end);
    expect([await stream.closed, source.returns, source.asked]).toEqual([{ status: 'cancelled' }, 1, []]);
  });

  it('between reads is told by the next one', async () => {
    const { person, source, stream } = setUp();
    const read = stream.next();
    await settled();
    source.say('a');
    await read;
    person.cancel('user');
    await expect(stream.next()).rejects.toBeInstanceOf(CancelledError);
    source.returned.resolve(end);
    await stream.closed;
  });

  it('reports what the source threw while it was closed', async () => {
    const { person, source, stream } = setUp();
    void stream.next().catch(() => undefined);
    await settled();
    person.cancel('user');
    const error = new Error('clean-up failed');
    source.returned.reject(error);
    await expect(stream.closed).resolves.toEqual({ status: 'failed', error });
  });

  it('after the end changes nothing', async () => {
    const onCut = vi.fn();
    const { person, source, stream } = setUp({ onCut });
    const read = stream.next();
    await settled();
    source.finish();
    await read;
    person.cancel('user');
    await expect(stream.next()).resolves.toEqual(end);
    expect(onCut).not.toHaveBeenCalled();
  });
});

describe('leaving early', () => {
  it('lets a source at rest unwind before its signal fires', async () => {
    const { source, stream, scope } = setUp();
    const read = stream.next();
    await settled();
    source.say('a');
    await read;
    const left = stream.return();
    expect(await isPending(left)).toBe(true);
    expect([source.returns, scope.isCancelled]).toEqual([1, false]);
    source.returned.resolve(end);
    await expect(left).resolves.toEqual(end);
    expect(scope.isCancelled).toBe(true);
    await expect(stream.return()).resolves.toEqual(end);
    expect(source.returns).toBe(1);
  });

  it('fires the signal at once when the source is at work', async () => {
    const { source, stream, scope } = setUp();
    const read = stream.next();
    await settled();
    const left = stream.return();
    expect(scope.isCancelled).toBe(true);
    await expect(read).resolves.toEqual(end);
    source.returned.resolve(end);
    await left;
  });

  it('waits for a stuck source no longer than the grace', async () => {
    const { stream } = setUp();
    const read = stream.next();
    const left = stream.return();
    await expect(read).resolves.toEqual(end);
    await clock.advance(50);
    await expect(left).resolves.toEqual(end);
    await expect(stream.closed).resolves.toEqual({ status: 'abandoned' });
  });

  it('before the first read opens nothing', async () => {
    const { open, stream } = setUp();
    await stream.return();
    await expect(stream.next()).resolves.toEqual(end);
    expect(open).not.toHaveBeenCalled();
  });
});

it('counts idleness only while somebody waits', async () => {
  const { source, stream } = setUp({ idleMs: 10 });
  const first = stream.next();
  await clock.advance(9);
  source.say('a');
  await first;
  await clock.advance(1000); // the reader is busy with 'a'
  const second = stream.next();
  await clock.advance(9);
  expect(await isPending(second)).toBe(true);
  await clock.advance(1);
  await expect(second).rejects.toMatchObject({ name: 'TimeoutError', limitMs: 10 });
  source.returned.resolve(end);
  await stream.closed;
});

function endlessSource(): SourceIterator<string> {
  return { next: () => Promise.resolve({ done: false, value: 'a' }) };
}

/** Reads one item of a stream that it then forgets. */
async function forgetStream(person: CancellationTokenSource): Promise<{ scope: CallScope; stream: WeakRef<object> }> {
  const scope = new CallScope([person.token], {});
  const asked: unknown[] = [];
  // As a caller would write it, `open` sees the stream itself.
  const open = () => {
    asked.push(stream);
    return endlessSource();
  };
  const stream: CutStream<string> = new CutStream<string>({ open, scope, graceMs: 0 });
  await stream.next();
  return { scope, stream: new WeakRef(stream) };
}

/** Collects garbage until something is gone; a reference that was read lives to the end of its turn. */
async function collect(isDone: () => boolean, rounds = 50): Promise<void> {
  for (let round = 0; round < rounds && !isDone(); round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    (globalThis as unknown as { gc: () => void }).gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('a stream that nobody holds is collected, and its source told', async () => {
  const person = new CancellationTokenSource({ clock });
  const { scope, stream } = await forgetStream(person);
  await collect(() => stream.deref() === undefined && scope.isCancelled);
  expect(stream.deref()).toBeUndefined();
  expect(scope.isCancelled).toBe(true);
  expect(person.isCancelled).toBe(false);
});

/** In a function of its own: a frame that waits holds what it has touched. */
function readSilence(person: CancellationTokenSource): Promise<unknown> {
  const scope = new CallScope([person.token], {});
  const silent = () => ({ next: () => new Promise<never>(() => undefined) });
  return new CutStream<string>({ open: silent, scope, graceMs: 0 }).next();
}

it('a stream that somebody reads from lives, although only its token holds it', async () => {
  const person = new CancellationTokenSource({ clock });
  const read = readSilence(person);
  await collect(() => false, 5);
  person.cancel('user');
  await expect(read).rejects.toBeInstanceOf(CancelledError);
  await clock.advance(0); // its source never answers
});
