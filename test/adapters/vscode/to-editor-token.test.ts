import { afterEach, describe, expect, it, vi } from 'vitest';
import { toEditorToken, type EditorDisposable } from '../../../src/adapters/vscode/index.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

describe('a listener', () => {
  it('hears in the tick of the cancel, once, with its own `this` and no payload', () => {
    const stop = new CancellationTokenSource({ clock });
    const token = toEditorToken(stop.token);
    const heard: unknown[] = [];
    const owner = { name: 'connection' };
    token.onCancellationRequested(function (this: unknown, ...args) {
      heard.push(this, args);
    }, owner);
    expect(token.isCancellationRequested).toBe(false);
    stop.cancel({ kind: 'user', message: 'secret' });
    stop.kill();
    expect(token.isCancellationRequested).toBe(true);
    expect(heard).toEqual([owner, [undefined]]);
    token.dispose();
  });

  it('that is disposed hears nothing', () => {
    const stop = new CancellationTokenSource({ clock });
    const token = toEditorToken(stop.token);
    const disposables: EditorDisposable[] = [];
    const listener = vi.fn();
    const subscription = token.onCancellationRequested(listener, undefined, disposables);
    expect(disposables).toEqual([subscription]);
    for (const { dispose } of disposables) dispose();
    stop.cancel();
    expect(listener).not.toHaveBeenCalled();
    token.dispose();
  });

  it('that comes after the cancel hears later, so that a request goes out before its cancel', async () => {
    const stop = new CancellationTokenSource({ clock });
    const { onCancellationRequested, dispose } = toEditorToken(stop.token);
    stop.cancel();
    const order: string[] = [];
    onCancellationRequested(() => order.push('cancel'));
    const other = onCancellationRequested(() => order.push('disposed'));
    other.dispose();
    order.push('request');
    await clock.advance(0);
    expect(order).toEqual(['request', 'cancel']);
    dispose();
  });

  it('that throws, then or later, stops nobody and is reported', async () => {
    const errors: unknown[] = [];
    const stop = new CancellationTokenSource({ clock, onCallbackError: (error) => errors.push(error) });
    const token = toEditorToken(stop.token);
    const listener = vi.fn();
    const fail = (): never => {
      throw new Error('broken listener');
    };
    token.onCancellationRequested(fail);
    token.onCancellationRequested(listener);
    stop.cancel();
    token.onCancellationRequested(fail);
    await clock.advance(0);
    expect(listener).toHaveBeenCalledOnce();
    expect(errors).toHaveLength(2);
  });
});

it.each(['dispose', 'using'])('letting go by %s is not cancelling: nobody hears, the state stays', async (way) => {
  const stop = new CancellationTokenSource({ clock });
  const token = toEditorToken(stop.token);
  const late = toEditorToken(stop.token);
  const listener = vi.fn();
  token.onCancellationRequested(listener);
  if (way === 'using') token[Symbol.dispose]();
  else token.dispose();
  stop.cancel();
  late.onCancellationRequested(listener);
  late.dispose();
  await clock.advance(10);
  expect(listener).not.toHaveBeenCalled();
  expect([token.isCancellationRequested, late.isCancellationRequested]).toEqual([false, true]);
});

it('nothing gives a token that never fires', () => {
  const listener = vi.fn();
  const token = toEditorToken(undefined);
  token.onCancellationRequested(listener).dispose();
  expect(token.isCancellationRequested).toBe(false);
  token.dispose();
});

it('refuses what is no token and no listener', () => {
  expect(() => toEditorToken('x' as never)).toThrow('a token must be');
  expect(() => toEditorToken(null).onCancellationRequested(7 as never)).toThrow('listener must be a function, got 7');
});
