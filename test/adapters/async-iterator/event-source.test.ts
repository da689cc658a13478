import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { cancellableIterable } from '../../../src/adapters/async-iterator/cancellable-iterable.ts';
import { EventReader } from '../../../src/adapters/async-iterator/event-source.ts';
import { CancelledError } from '../../../src/core/foundation/errors.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';

const end = { done: true, value: undefined };

describe('the events of an emitter', () => {
  it('are items from the call on; several arguments are one list', async () => {
    const emitter = new EventEmitter();
    const iterable = cancellableIterable(null, emitter, { event: 'x' });
    emitter.emit('x', 1);
    emitter.emit('x', 2, 3);
    emitter.emit('end');
    const items: unknown[] = [];
    for await (const item of iterable) items.push(item);
    expect(items).toEqual([1, [2, 3]]);
    expect(emitter.eventNames()).toEqual([]);
  });

  it('that come while somebody waits go to who waited first', async () => {
    const emitter = new EventEmitter();
    const reader = new EventReader(emitter, { event: 'x' });
    const reads = [reader.next(), reader.next(), reader.next()];
    emitter.emit('x', 'a');
    emitter.emit('close');
    await expect(Promise.all(reads)).resolves.toEqual([{ done: false, value: 'a' }, end, end]);
    await expect(reader.next()).resolves.toEqual(end);
  });

  it('fail with an error, after what came before, and end then', async () => {
    const failure = new Error('reset');
    const emitter = new EventEmitter();
    const waiting = new EventReader(emitter, { event: 'x' });
    const late = new EventReader(emitter, { event: 'x' });
    const read = waiting.next();
    const second = waiting.next();
    emitter.emit('x', 1);
    emitter.emit('error', failure);
    await expect(read).resolves.toEqual({ done: false, value: 1 });
    await expect(second).rejects.toBe(failure);
    await expect(waiting.next()).resolves.toEqual(end);
    await expect(late.next()).resolves.toEqual({ done: false, value: 1 });
    await expect(late.next()).rejects.toBe(failure);
    await expect(late.next()).resolves.toEqual(end);
  });

  it('end on the events that the caller names', async () => {
    const target = new EventTarget();
    const iterable = cancellableIterable<Event>(null, target, { event: 'tick', endOn: ['done'], failOn: [] });
    target.dispatchEvent(new Event('close'));
    target.dispatchEvent(new Event('tick'));
    target.dispatchEvent(new Event('done'));
    expect((await iterable.next()).value?.type).toBe('tick');
    await expect(iterable.next()).resolves.toEqual(end);
  });

  it('are held back where the emitter can be paused', async () => {
    const emitter = Object.assign(new EventEmitter(), { pause: vi.fn(), resume: vi.fn() });
    const iterable = cancellableIterable<number>(null, emitter, { event: 'x' });
    for (let n = 0; n < 16; n += 1) emitter.emit('x', n);
    expect([emitter.pause.mock.calls.length, emitter.resume.mock.calls.length]).toEqual([1, 0]);
    for (let n = 0; n < 16; n += 1) await expect(iterable.next()).resolves.toEqual({ done: false, value: n });
    expect(emitter.resume).toHaveBeenCalledTimes(1);
    for (let n = 0; n < 16; n += 1) emitter.emit('x', n);
    await iterable.return();
    expect(emitter.resume).toHaveBeenCalledTimes(2); // whoever reads next finds it as it was
  });

  it('leave no listener behind after a cancel, read or not', async () => {
    for (const read of [true, false]) {
      const emitter = new EventEmitter();
      const stop = new CancellationTokenSource();
      const iterable = cancellableIterable(stop.token, emitter, { event: 'x' });
      const pending = read ? iterable.next() : undefined;
      stop.cancel('user');
      await expect(pending ?? iterable.next()).rejects.toBeInstanceOf(CancelledError);
      await iterable.closed;
      expect(emitter.eventNames()).toEqual([]);
    }
  });

  it.each([
    [{}, { event: 'x' }, 'source must be an EventTarget or an event emitter, got an instance of Object'],
    [new EventEmitter(), { event: 5 }, 'event must be a string or a symbol, got 5'],
    [new EventEmitter(), { event: 'x', endOn: [5] }, 'endOn and failOn must be a string or a symbol, got 5'],
    [new EventEmitter(), { event: 'x', endOn: 'end' }, 'endOn must be a list of events, got "end"'],
    [new EventEmitter(), { event: 'x', failOn: 'error' }, 'failOn must be a list of events, got "error"'],
  ])('are refused from %o with %o', (emitter, options, message) => {
    expect(() => cancellableIterable(null, emitter as never, options as never)).toThrow(message);
  });
});
