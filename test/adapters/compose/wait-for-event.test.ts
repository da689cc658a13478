import { EventEmitter } from 'node:events';

import { waitForEvent as bare } from 'abort-controller-x';
import { describe, expect, it, vi } from 'vitest';

import { waitForEvent } from '../../../src/adapters/compose/index.ts';
import { CancellationToken, CancellationTokenSource, DeadlineExceededError } from '../../../src/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { errorOf, listeners, plainSignal, stateOf } from './observe.ts';

describe('the event', () => {
  it('of a Node emitter: nothing, one argument, several', async () => {
    const emitter = new EventEmitter();
    const events = [0, 1, 2].map((n) => waitForEvent(null, emitter, `event ${n}`));
    emitter.emit('event 0');
    emitter.emit('event 1', 7);
    emitter.emit('event 2', 7, 8);
    expect(await Promise.all(events)).toEqual([undefined, 7, [7, 8]]);
    expect(emitter.eventNames()).toEqual([]);
  });

  it('of an EventTarget, on the way down if asked', async () => {
    const target = new EventTarget();
    const add = vi.spyOn(target, 'addEventListener');
    const remove = vi.spyOn(target, 'removeEventListener');
    const waiting = waitForEvent<Event>(null, target, { event: 'open', capture: true, passive: true });
    const event = new Event('open');
    target.dispatchEvent(event);
    expect(await waiting).toBe(event);
    const listening = { capture: true, passive: true };
    expect(add).toHaveBeenCalledExactlyOnceWith('open', expect.any(Function), listening);
    expect(remove).toHaveBeenCalledExactlyOnceWith('open', expect.any(Function), listening);
  });

  it('of anything with addListener and removeListener, under a symbol too', async () => {
    const emitter = new EventEmitter();
    const target = {
      addListener: emitter.addListener.bind(emitter),
      removeListener: emitter.removeListener.bind(emitter),
    };
    const ready = Symbol('ready');
    const waiting = waitForEvent(undefined, target, ready);
    emitter.emit(ready, 'yes');
    expect(await waiting).toBe('yes');
    expect(emitter.eventNames()).toEqual([]);
  });

  it('emitted while the listener is being added', async () => {
    const emitter = new EventEmitter();
    const target = {
      on: (event: string, listener: () => void) => emitter.on(event, listener).emit(event, 'at once'),
      off: (event: string, listener: () => void) => emitter.off(event, listener),
    };
    expect(await waitForEvent(null, target, 'ready')).toBe('at once');
    expect(emitter.eventNames()).toEqual([]);
  });

  it('before a cancel of the same tick counts', async () => {
    const source = new CancellationTokenSource();
    const emitter = new EventEmitter();
    const waiting = waitForEvent(source.token, emitter, 'ready');
    emitter.emit('ready', 7);
    source.cancel('user');
    expect(await waiting).toBe(7);
  });
});

describe('the stop', () => {
  it('before the start: nothing is listened to', async () => {
    const token = CancellationToken.alreadyCancelled('user');
    const emitter = new EventEmitter();
    const on = vi.spyOn(emitter, 'on');
    expect(await errorOf(waitForEvent(token, emitter, 'ready'))).toBe(token.signal.reason);
    expect(on).not.toHaveBeenCalled();
  });

  it('ends the wait with the error of the token and takes both listeners away', async () => {
    const controller = new AbortController();
    const source = new CancellationTokenSource({ parent: controller.signal });
    const emitter = new EventEmitter();
    const waiting = errorOf(waitForEvent(source.token, emitter, 'ready'));
    expect(emitter.listenerCount('ready')).toBe(1);
    source.cancel('user');
    expect(await waiting).toBe(source.signal.reason);
    expect(emitter.listenerCount('ready')).toBe(0);
    expect(listeners(controller.signal)).toBe(0);
  });

  it('by timeoutMs is its own error', async () => {
    const clock = new VirtualClock();
    const { token } = new CancellationTokenSource({ clock });
    const emitter = new EventEmitter();
    const waiting = errorOf(waitForEvent(token, emitter, { event: 'ready', timeoutMs: 100 }));
    await clock.advance(100);
    expect(await waiting).toMatchObject({ name: 'TimeoutError', limitMs: 100 });
    expect(await waiting).toBeInstanceOf(DeadlineExceededError);
    expect(emitter.listenerCount('ready')).toBe(0);
  });
});

describe('bad input', () => {
  it.each<[unknown, string]>([
    [{}, 'an instance of Object'],
    [null, 'null'],
    [{ on: () => {} }, 'an instance of Object'],
  ])('target %o', async (target, shown) => {
    expect(await errorOf(waitForEvent(null, target as never, 'x'))).toEqual(
      new TypeError(`target must be an EventTarget or an event emitter, got ${shown}`),
    );
  });

  it.each([[undefined], [7], [{}], [null]])('event %o', async (event) => {
    const error = await errorOf(waitForEvent(null, new EventEmitter(), event as never));
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toHaveProperty('message', expect.stringMatching(/^event must be a string or a symbol, got /));
  });

  it('a target that refuses its listener', async () => {
    const target = {
      on: () => {
        throw new Error('closed');
      },
      off: () => {},
    };
    expect(await errorOf(waitForEvent(null, target, 'x'))).toEqual(new Error('closed'));
  });
});

describe('cures', () => {
  it('cancelled while the listener is being added: the library hangs and leaves it there', async () => {
    const controller = new AbortController();
    const source = new CancellationTokenSource();
    const emitter = new EventEmitter();
    emitter.once('newListener', () => controller.abort());
    const hanging = bare(controller.signal, emitter, 'ready');
    expect(await stateOf(hanging)).toBe('pending');
    expect(emitter.listenerCount('ready')).toBe(1);

    const other = new EventEmitter();
    other.once('newListener', () => source.cancel('user'));
    expect(await errorOf(waitForEvent(source.token, other, 'ready'))).toBe(source.signal.reason);
    expect(other.listenerCount('ready')).toBe(0);
  });

  it('a removal that throws: in the library it hits whoever aborts or emits', async () => {
    const listening: ((value: unknown) => void)[] = [];
    const broken = {
      on: (_event: string, listener: (value: unknown) => void) => listening.push(listener),
      off: () => {
        throw new Error('already destroyed');
      },
    };
    const { signal, abort } = plainSignal();
    const hanging = bare(signal, broken as never, 'ready');
    expect(() => abort(new Error('stop'))).toThrow('already destroyed');
    expect(await stateOf(hanging)).toBe('pending');
    void bare(new AbortController().signal, broken as never, 'ready');
    expect(() => listening.at(-1)?.(7)).toThrow('already destroyed');

    const reported: unknown[] = [];
    const source = new CancellationTokenSource({ onCallbackError: (error) => reported.push(error) });
    const event = waitForEvent(source.token, broken, 'ready');
    listening.at(-1)?.(7);
    expect(await event).toBe(7);
    const stopped = errorOf(waitForEvent(source.token, broken, 'ready'));
    source.cancel('user');
    expect(await stopped).toBe(source.signal.reason);
    expect(reported).toEqual([new Error('already destroyed'), new Error('already destroyed')]);
  });
});

it('an option that there is not is refused where an event has options', async () => {
  const target = new EventTarget();
  await expect(waitForEvent(null, target, { event: 'x', timeoutms: 5 } as never)).rejects.toThrow(
    'options.timeoutms is no option: there are event, timeoutMs, capture, passive',
  );
});
