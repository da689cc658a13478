import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';

import { describe, expect, it, vi } from 'vitest';

import { isCancelledError } from '../../../../src/core/foundation/errors.ts';
import { CancellationToken, CancellationTokenSource, CancelledError } from '../../../../src/index.ts';
import { platformCases } from '../../../support/web-platform/cases.ts';
import { isAbortSignal, nodeOf } from '../../../../src/core/token/bridge/signal.ts';

function listenersOn(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}

describe('the signal of a token', () => {
  it('the signal of a token is real and native, made once, and made only when asked for', () => {
    const made = vi.spyOn(globalThis, 'AbortController');
    const source = new CancellationTokenSource();
    const child = source.token.child();
    source.token.onCancelled(() => {});
    expect(made).not.toHaveBeenCalled();
    const { signal } = source;
    expect(made).toHaveBeenCalledTimes(1);
    made.mockRestore();
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(source.token.signal).toBe(signal);
    expect(child.signal).not.toBe(signal);
    source.cancel();
    expect(source.signal).toBe(signal);
  });

  it('the signal of a token is made anew where the host refuses the first one, as workerd does in another request', () => {
    for (const when of ['before the cancel', 'after it']) {
      const source = new CancellationTokenSource();
      const first = source.signal;
      Object.defineProperty(first, 'aborted', {
        configurable: true,
        get: () => {
          throw new Error('Cannot perform I/O on behalf of a different request');
        },
      });
      if (when === 'after it') source.cancel('user');
      const second = source.signal;
      expect(second).not.toBe(first);
      expect(source.signal).toBe(second);
      source.cancel('user');
      expect(second.reason).toMatchObject({ reason: source.reason });
      Reflect.deleteProperty(first, 'aborted');
    }
  });

  it('the signal of a token aborts with one CancelledError, the same for everybody the cancel reached', () => {
    const source = new CancellationTokenSource();
    const { signal } = source;
    const child = source.token.child().signal;
    expect([signal.aborted, signal.reason]).toEqual([false, undefined]);
    source.cancel('user');
    expect(signal.reason).toBeInstanceOf(CancelledError);
    expect((signal.reason as CancelledError).reason).toBe(source.reason);
    expect(child.reason).toBe(signal.reason);
    expect(source.token.child().signal.reason).toBe(signal.reason);
    expect(() => signal.throwIfAborted()).toThrow(signal.reason as Error);
    expect(() => source.token.throwIfCancelled()).toThrow(signal.reason as Error);
  });

  it('the signal of a token stops what the platform does with it, under the name of an abort', async () => {
    const source = new CancellationTokenSource();
    const sleeping = sleep(60_000, undefined, { signal: source.signal });
    source.cancel('user');
    await expect(sleeping).rejects.toMatchObject({ name: 'AbortError', cause: source.signal.reason as unknown });
    await expect(fetch('http://127.0.0.1:1', { signal: source.signal })).rejects.toBe(source.signal.reason);
  });

  it('the signal of a token fires in the place of a callback registered when it was made', () => {
    const source = new CancellationTokenSource();
    const order: string[] = [];
    source.token.onCancelled(() => void order.push('before'));
    source.signal.addEventListener('abort', () => order.push('signal'));
    source.token.onCancelled(() => void order.push('after'));
    source.cancel();
    expect(order).toEqual(['before', 'signal', 'after']);
  });

  it('the signal of a token that cannot change any more stays as it is', () => {
    const source = new CancellationTokenSource();
    source.release();
    expect(source.signal.aborted).toBe(false);
    expect(CancellationToken.none.signal.aborted).toBe(false);
    expect(CancellationToken.none.signal).toBe(CancellationToken.none.signal);
    expect(CancellationToken.alreadyCancelled('user').signal.aborted).toBe(true);
  });

  it('the signal of a token finds its token back', () => {
    const source = new CancellationTokenSource();
    expect(CancellationToken.from(source.signal)).toBe(source.token);
    expect(nodeOf(source.signal)).toBe(source.token);
    expect(nodeOf(new AbortController().signal)).toBeUndefined();
    const child = new CancellationTokenSource({ parent: source.signal });
    source.cancel('user');
    expect(child.reason).toBe(source.reason);
    expect(listenersOn(source.signal)).toBe(0);
  });
});

describe('a foreign signal', () => {
  it('a foreign signal has one token for its life, whose signal is that signal', () => {
    const { signal } = new AbortController();
    const token = CancellationToken.from(signal);
    expect(CancellationToken.from(signal)).toBe(token);
    expect(token.signal).toBe(signal);
    expect(token.canBeCancelled).toBe(true);
    expect(CancellationToken.any(signal, signal)).toBe(token);
  });

  it('a foreign signal has one native listener whatever hangs on it, and only while something is observed', () => {
    const controller = new AbortController();
    const { signal } = controller;
    const token = CancellationToken.from(signal);
    const sources = Array.from({ length: 50 }, () => new CancellationTokenSource({ parent: signal }));
    const other = new CancellationTokenSource();
    const any = CancellationToken.any(signal, other.token);
    expect(sources.map((one) => one.isCancelled)).not.toContain(true);
    expect(listenersOn(signal)).toBe(0);
    const registrations = [token, any, ...sources.map((one) => one.token)].map((one) => one.onCancelled(() => {}));
    for (const one of sources) void one.signal;
    expect(listenersOn(signal)).toBe(1);
    for (const registration of registrations) registration.unregister();
    expect(listenersOn(signal)).toBe(1); // the signals of the children still listen
    for (const one of sources) one.release();
    expect(listenersOn(signal)).toBe(0);
    const again = any.onCancelled(() => {});
    expect(listenersOn(signal)).toBe(1);
    again.unregister();
    expect(listenersOn(signal)).toBe(0);
  });

  it('a foreign signal tells those who listen, and leaves no listener behind', () => {
    const controller = new AbortController();
    const token = CancellationToken.from(controller.signal);
    const child = token.child();
    const heard = vi.fn();
    child.token.onCancelled(heard);
    controller.abort('stop');
    expect(heard).toHaveBeenCalledExactlyOnceWith(token.reason);
    expect(child.reason).toBe(token.reason);
    expect(listenersOn(controller.signal)).toBe(0);
    child.token.onKilled(() => {});
    expect(listenersOn(controller.signal)).toBe(0);
  });

  it('a foreign signal is let go of by its abort also where somebody still waits for a kill', () => {
    const controller = new AbortController();
    const child = new CancellationTokenSource({ parent: controller.signal });
    const killed = vi.fn();
    child.token.onKilled(killed);
    expect(listenersOn(controller.signal)).toBe(1);
    controller.abort();
    expect(listenersOn(controller.signal)).toBe(0);
    child.kill();
    expect(killed).toHaveBeenCalledTimes(1);
  });

  it('a foreign signal has aborted before it is linked', () => {
    const signal = AbortSignal.abort('early');
    const token = CancellationToken.from(signal);
    expect(token.reason).toMatchObject({ kind: 'unknown', message: 'early', cause: 'early' });
    const child = new CancellationTokenSource({ parent: [signal, new CancellationTokenSource().token] });
    expect(child.reason).toBe(token.reason);
    expect(child.cancel()).toBe(false);
    expect(listenersOn(signal)).toBe(0);
  });

  it('a foreign signal has aborted after it was linked, without anybody listening: the next look sees it', () => {
    const controller = new AbortController();
    const child = new CancellationTokenSource({ parent: controller.signal });
    const grandchild = child.token.child();
    const any = CancellationToken.any(grandchild.token, new CancellationTokenSource().token);
    expect(any.isCancelled).toBe(false);
    controller.abort('now');
    expect([any, grandchild.token, child.token].map((one) => one.isCancelled)).toEqual([true, true, true]);
    expect(child.cancel()).toBe(false);
    expect(any.reason).toBe(child.reason);
  });

  it.each(['nothing', 'a child', 'a link'])(
    'a foreign signal is seen at the first look after the abort, with %s below',
    (below) => {
      const controller = new AbortController();
      const token = CancellationToken.from(controller.signal);
      if (below === 'a child') token.child();
      if (below === 'a link') CancellationToken.any(token, new CancellationTokenSource().token);
      expect(token.isCancelled).toBe(false);
      controller.abort('now');
      expect(token.isCancelled).toBe(true);
      expect(() => token.throwIfCancelled()).toThrow('now');
    },
  );

  it('a foreign signal tells a callback that comes after an abort nobody has looked at', () => {
    const controller = new AbortController();
    const token = CancellationToken.from(controller.signal);
    expect(token.isCancelled).toBe(false);
    controller.abort();
    const heard = vi.fn();
    expect(token.onCancelled(heard).unregister()).toBe(false);
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('a foreign signal is seen by a listener of its own that runs before ours', () => {
    const controller = new AbortController();
    const token = CancellationToken.from(controller.signal);
    const order: string[] = [];
    controller.signal.addEventListener('abort', () => {
      order.push(`native ${String(token.isCancelled)}`);
      token.onCancelled(() => void order.push('late'));
      token.child().token.onCancelled(() => void order.push('late child'));
    });
    token.child().token.onCancelled(() => void order.push('ours'));
    controller.abort();
    expect(order).toEqual(['native true', 'late', 'late child', 'ours']);
  });

  it('a foreign signal may lose our listener in the dispatch of its own event', () => {
    const controller = new AbortController();
    const token = CancellationToken.from(controller.signal);
    const heard = vi.fn();
    const registration: { unregister: () => boolean }[] = [];
    controller.signal.addEventListener('abort', () => void registration[0]!.unregister());
    registration.push(token.onCancelled(heard));
    controller.abort();
    expect(heard).not.toHaveBeenCalled();
    expect(token.isCancelled).toBe(true);
  });

  it('a foreign signal survives an event that says abort while nothing was aborted', () => {
    const controller = new AbortController();
    const token = CancellationToken.from(controller.signal);
    const heard = vi.fn();
    token.onCancelled(heard);
    controller.signal.dispatchEvent(new Event('abort'));
    expect([token.isCancelled, heard.mock.calls.length]).toEqual([false, 0]);
    controller.abort();
    expect([token.isCancelled, heard.mock.calls.length]).toEqual([true, 1]);
  });

  it('a foreign signal of several foreign signals, the one that aborted first counts, while somebody listens', () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const any = CancellationToken.any(one.signal, two.signal);
    any.onCancelled(() => {});
    two.abort('two');
    one.abort('one');
    expect(any.reason?.message).toBe('two');
  });

  it('a foreign signal is not kept by a child that was released', () => {
    const controller = new AbortController();
    const child = new CancellationTokenSource({ parent: controller.signal });
    void child.signal;
    child.release();
    expect(listenersOn(controller.signal)).toBe(0);
    controller.abort();
    expect([child.isCancelled, child.signal.aborted]).toEqual([false, false]);
  });
});

describe('the reason of a foreign abort', () => {
  it.each<[string, unknown, object]>([
    ['nothing', undefined, { kind: 'unknown', message: 'This operation was aborted' }],
    ['null', null, { kind: 'unknown', message: 'Cancelled' }],
    ['a string', 'stop pressed', { kind: 'unknown', message: 'stop pressed', cause: 'stop pressed' }],
    ['an object', { message: 'x', code: 7 }, { kind: 'unknown', message: 'x' }],
    ['a timeout', new DOMException('late', 'TimeoutError'), { kind: 'deadline', message: 'late' }],
  ])('the reason of a foreign abort given %s', (_title, value, expected) => {
    const controller = new AbortController();
    controller.abort(value);
    const token = CancellationToken.from(controller.signal);
    expect(token.reason).toMatchObject(expected);
    expect(() => token.throwIfCancelled()).toThrow(CancelledError);
    expect(token.child().signal.reason).toSatisfy(isCancelledError);
  });

  it('the reason of a foreign abort is ours where it carries one, and so is its error', () => {
    const ours = new CancelledError({ kind: 'budget', by: 'ada' });
    const controller = new AbortController();
    controller.abort(ours);
    const token = CancellationToken.from(controller.signal);
    expect(token.reason).toBe(ours.reason);
    expect(token.child().signal.reason).toBe(ours);
  });

  it('the reason of a foreign abort of AbortSignal.any over ours is ours', () => {
    const source = new CancellationTokenSource();
    const composite = AbortSignal.any([source.signal, new AbortController().signal]);
    const token = CancellationToken.from(composite);
    const heard = vi.fn();
    token.onCancelled(heard);
    source.cancel('user');
    expect(heard).toHaveBeenCalledExactlyOnceWith(source.reason);
  });
});

describe('what counts as a signal', () => {
  it('what counts as a signal is anything that behaves like one, of any realm', () => {
    expect(isAbortSignal(new AbortController().signal)).toBe(true);
    for (const value of [null, undefined, 5, 'signal', {}, { aborted: false }, new EventTarget(), () => 1]) {
      expect(isAbortSignal(value)).toBe(false);
    }
    expect(isAbortSignal({ aborted: false, addEventListener() {} })).toBe(false);
  });

  it('a signal is recognised across realms', () => {
    const foreign = runInNewContext(`
      const listeners = new Set();
      const signal = {
        aborted: false,
        reason: undefined,
        addEventListener(type, fn) { listeners.add(fn); },
        removeEventListener(type, fn) { listeners.delete(fn); },
      };
      ({
        signal,
        count: () => listeners.size,
        abort() {
          signal.aborted = true;
          signal.reason = Object.assign(new Error('from there'), { name: 'AbortError' });
          for (const fn of [...listeners]) fn();
        },
      })`) as { signal: AbortSignal; count: () => number; abort: () => void };
    const token = CancellationToken.from(foreign.signal);
    const child = token.child();
    const heard = vi.fn();
    child.token.onCancelled(heard);
    expect(foreign.count()).toBe(1);
    foreign.abort();
    expect(heard).toHaveBeenCalledTimes(1);
    expect(child.reason).toMatchObject({ kind: 'unknown', message: 'from there' });
    expect(foreign.count()).toBe(0);
  });
});

describe('as the web platform has it', () => {
  it.each(platformCases)('$name', async ({ run }) => {
    await run({ CancellationToken, CancellationTokenSource });
  });
});
