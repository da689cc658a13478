import { describe, expect, it, vi } from 'vitest';

import { CancellationTokenSource } from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { armGrace, cancellationOf, limit } from '../../../../src/core/token/time/deadline.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

const LONGEST = 2 ** 31 - 1;

describe('limits', () => {
  it('limits pass with a reason that makes no sense too, which is reported', () => {
    const clock = new VirtualClock();
    const onCallbackError = vi.fn();
    const source = new CancellationTokenSource({ clock, onCallbackError });
    source.cancelAfter(5, 7 as never);
    clock.advanceSync(10);
    expect(source.reason).toMatchObject({ kind: 'unknown', cause: 7 });
    expect(onCallbackError.mock.calls).toEqual([[expect.any(TypeError)]]);
    const other = new CancellationTokenSource({ clock });
    other.cancelAfter(5, null);
    clock.advanceSync(10);
    expect(other.reason).toMatchObject({ kind: 'deadline', message: 'Not finished within 5 ms' });
  });

  it('limits say how long they were, and which scope they belonged to', () => {
    const clock = new VirtualClock({ startAt: 1_000 });
    const source = new CancellationTokenSource({ name: 'fetch', timeoutMs: 250, clock });
    clock.advanceSync(250);
    expect(source.reason).toMatchObject({ kind: 'deadline', source: 'fetch', at: 1_250 });
    expect(source.reason?.message).toContain('250 ms');
  });

  it('limits of nothing, and those that have passed, cancel inside the call', () => {
    const clock = new VirtualClock({ startAt: 100 });
    const now = [
      new CancellationTokenSource({ deadlineAt: 50, clock }),
      new CancellationTokenSource({ deadlineAt: 100, clock }),
      new CancellationTokenSource({ timeoutMs: 0, clock }),
    ];
    const later = new CancellationTokenSource({ clock });
    const heard = vi.fn();
    later.token.onCancelled(heard);
    later.cancelAfter(0);
    expect(heard).toHaveBeenCalledTimes(1);
    for (const { reason } of [...now, later]) expect(reason?.kind).toBe('deadline');
    expect(clock.pending).toBe(0);
  });

  it('limits as an instant say how long they were in whole milliseconds', () => {
    const clock = new VirtualClock({ startAt: 100 });
    const source = new CancellationTokenSource({ deadlineAt: 150.4, clock });
    clock.advanceSync(51);
    expect(source.reason?.message).toBe('Not finished within 50 ms');
  });

  it('limits re-arm: later, sooner, off and on again', () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ timeoutMs: 10, clock });
    source.cancelAfter(100);
    clock.advanceSync(99);
    expect(source.isCancelled).toBe(false);
    source.cancelAfter(Infinity);
    expect(source.token.deadlineAt).toBe(Infinity);
    clock.advanceSync(1_000);
    expect(source.isCancelled).toBe(false);
    source.cancelAfter(50);
    source.cancelAfter(5);
    expect(source.token.deadlineAt).toBe(1_104);
    clock.advanceSync(5);
    expect(source.reason).toMatchObject({ kind: 'deadline', at: 1_104 });
  });

  it.each([LONGEST + 1, 2 ** 40, Number.MAX_VALUE])('limits of %d ms do not fire at once', (ms) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const source = new CancellationTokenSource({ timeoutMs: ms });
    vi.advanceTimersByTime(LONGEST);
    expect(source.isCancelled).toBe(false);
    source.release();
    vi.useRealTimers();
  });

  it('limits take a reason of the caller’s, of kind deadline unless it says otherwise', () => {
    for (const [reason, expected] of [
      ['idle', { kind: 'idle' }],
      ['too slow for us', { kind: 'deadline', message: 'too slow for us' }],
      [{ by: 'watchdog' }, { kind: 'deadline', by: 'watchdog' }],
      [
        { kind: 'budget', cause: 5 },
        { kind: 'budget', cause: 5 },
      ],
    ] as const) {
      const clock = new VirtualClock();
      const source = new CancellationTokenSource({ clock });
      source.cancelAfter(5, reason);
      clock.advanceSync(5);
      expect(source.reason).toMatchObject(expected);
    }
  });

  it('limits do nothing once the token is cancelled', () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    source.cancel('user');
    source.cancelAfter(5);
    expect([clock.pending, source.token.deadlineAt]).toEqual([0, Infinity]);
    clock.advanceSync(10);
    expect(source.reason?.kind).toBe('user');
  });

  it('limits leave no timer behind when they are cancelled, re-armed or released', () => {
    const clock = new VirtualClock();
    for (const end of [
      (source: CancellationTokenSource) => void source.cancel(),
      (source: CancellationTokenSource) => void source.kill(),
      (source: CancellationTokenSource) => source.cancelAfter(Infinity),
      (source: CancellationTokenSource) => source.release(),
      (source: CancellationTokenSource) => source[Symbol.dispose](),
    ]) {
      const source = new CancellationTokenSource({ timeoutMs: 10, clock });
      expect(clock.pending).toBe(1);
      end(source);
      expect(clock.pending).toBe(0);
    }
  });
});

describe('what other files set', () => {
  it('a limit replaces the one before, at the instant it is told', () => {
    const clock = new VirtualClock({ startAt: 100 });
    const source = new CancellationTokenSource({ clock, timeoutMs: 5 });
    const node = tokenOf(source.token);
    limit(node, 150, 'idle');
    clock.advanceSync(49);
    expect(source.isCancelled).toBe(false);
    clock.advanceSync(1);
    expect(source.reason).toMatchObject({ kind: 'idle', at: 150 });
  });

  it('a grace kills what is cancelled, and only that', () => {
    const clock = new VirtualClock();
    const [live, cancelled] = [new CancellationTokenSource({ clock }), new CancellationTokenSource({ clock })];
    cancelled.cancel('user');
    for (const source of [live, cancelled]) armGrace(tokenOf(source.token), 10);
    clock.advanceSync(10);
    expect([live.isCancelled, cancelled.token.isKilled, cancelled.reason?.kind]).toEqual([false, true, 'user']);
  });

  it('a cancellation is stamped with the clock and the name of its token', () => {
    const clock = new VirtualClock({ startAt: 7 });
    const { token } = new CancellationTokenSource({ clock, name: 'turn' });
    const { reason, error } = cancellationOf(tokenOf(token), undefined, 'deadline');
    expect(reason).toMatchObject({ kind: 'deadline', at: 7, source: 'turn' });
    expect(error).toBeUndefined();
  });
});
