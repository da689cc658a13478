import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { fromEvent } from '../../../src/adapters/http-request/from-event.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';

describe('fromEvent', () => {
  it('refuses an option that it has not', () => {
    expect(() => fromEvent(new EventEmitter(), 'stop', { reson: 'user' } as object)).toThrow(
      'options.reson is no option',
    );
  });

  it('is cancelled by the first event, and leaves no listener', () => {
    const emitter = new EventEmitter();
    const source = fromEvent(emitter, 'stop');
    expect([source.isCancelled, emitter.listenerCount('stop')]).toEqual([false, 1]);
    emitter.emit('stop');
    expect(source.reason).toMatchObject({ kind: 'unknown', message: 'Event stop' });
    expect(emitter.listenerCount('stop')).toBe(0);
  });

  it('asks what an event means', () => {
    const emitter = new EventEmitter();
    const reason = (key: unknown) => (key === 'esc' ? true : key === 'q' ? { kind: 'shutdown' as const } : undefined);
    const [a, b] = [fromEvent(emitter, 'key', { reason }), fromEvent(emitter, 'key', { reason })];
    emitter.emit('key', 'x');
    expect([a.isCancelled, emitter.listenerCount('key')]).toEqual([false, 2]);
    b.release();
    emitter.emit('key', 'esc');
    expect([a.reason?.kind, b.isCancelled, emitter.listenerCount('key')]).toEqual(['user', false, 0]);
    const c = fromEvent(emitter, 'key', { reason });
    emitter.emit('key', 'q');
    expect(c.reason?.kind).toBe('shutdown');
  });

  it('hangs on a parent, and stops listening with it', () => {
    const target = new EventEmitter();
    const server = new CancellationTokenSource();
    const source = fromEvent(target, 'stop', { token: server.token, name: 'run' });
    server.cancel('shutdown');
    expect([source.reason, source.token.name, target.listenerCount('stop')]).toEqual([server.reason, 'run', 0]);
    expect(fromEvent(target, 'stop', { token: server.token }).isCancelled).toBe(true);
    expect(target.listenerCount('stop')).toBe(0);
  });

  it('stops listening at the end of a `using` block', () => {
    const target = new EventEmitter();
    {
      using source = fromEvent(target, 'stop');
      expect([source.isCancelled, target.listenerCount('stop')]).toEqual([false, 1]);
    }
    expect(target.listenerCount('stop')).toBe(0);
  });

  it('reports what a caller’s function throws, and goes on listening', () => {
    const errors: unknown[] = [];
    const parent = new CancellationTokenSource({ onCallbackError: (error) => errors.push(error) });
    const target = new EventTarget();
    const failure = new Error('bad');
    const source = fromEvent(target, 'stop', {
      token: parent.token,
      reason: () => {
        if (errors.length === 0) throw failure;
        return 'user';
      },
    });
    target.dispatchEvent(new Event('stop'));
    expect([errors, source.isCancelled]).toEqual([[failure], false]);
    target.dispatchEvent(new Event('stop'));
    expect(source.isCancelled).toBe(true);
  });

  it.each([
    [{}, 'stop', {}, 'target must be an EventTarget or an event emitter, got an instance of Object'],
    [new EventTarget(), 5, {}, 'event must be a string or a symbol, got 5'],
    [new EventTarget(), 'x', { timeoutMs: -1 }, 'timeoutMs must be'],
    [new EventTarget(), 'x', { token: 5 }, 'a token must be'],
    [new EventTarget(), 'x', { reason: { kind: 'nonsense' } }, 'kind'],
  ])('refuses %o, %s, %o', (target, event, options, message) => {
    expect(() => fromEvent(target as never, event as never, options as never)).toThrow(message);
  });
});
