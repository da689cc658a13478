import { describe, expect, it } from 'vitest';

import { CancellationToken, CancellationTokenSource, type CancellationTokenSourceOptions } from '../../../src/index.ts';
import { tokenOf } from '../../../src/core/token/bridge/linked-tokens.ts';
import { configure } from '../../../src/core/token/configure.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

describe('options', () => {
  it.each<[string, unknown, RegExp]>([
    ['a name that is no string', { name: 5 }, /name must be a string, got 5/],
    [
      'a clock that cannot tell the time',
      { clock: { setTimer: () => {} } },
      /clock must have now\(\) and setTimer\(\)/,
    ],
    ['a clock that cannot wake anybody', { clock: { now: () => 0 } }, /clock/],
    ['a clock of null', { clock: null }, /clock.*null/],
    ['a handler that is no function', { onCallbackError: 'log' }, /onCallbackError must be a function, got "log"/],
    ['a parent that is no token', { parent: {} }, /AbortSignal/],
    ['a parent that is a string', { parent: 'turn' }, /"turn"/],
    ['a list with something else in it', { parent: [5] }, /got 5/],
  ])('options are refused: %s', (_title, options, message) => {
    expect(() => new CancellationTokenSource(options as object)).toThrow(TypeError);
    expect(() => new CancellationTokenSource(options as object)).toThrow(message);
  });

  it('options may all be undefined', () => {
    const source = new CancellationTokenSource({
      name: undefined,
      parent: undefined,
      timeoutMs: undefined,
      deadlineAt: undefined,
      clock: undefined,
      captureStack: undefined,
      onCallbackError: undefined,
    });
    expect(source.token.name).toBeUndefined();
    expect(source.token.deadlineAt).toBe(Infinity);
    expect(source.cancel('user', { graceMs: undefined })).toBe(true);
  });

  it('names are each token’s own', () => {
    const source = new CancellationTokenSource({ name: 'session' });
    expect(source.token.name).toBe('session');
    expect(source.token.child().token.name).toBeUndefined();
    expect(source.token.child({ name: 'turn' }).token.name).toBe('turn');
  });
});

describe('limits', () => {
  const invalid: readonly (readonly [unknown, typeof Error])[] = [
    [NaN, RangeError],
    [-1, RangeError],
    [-Infinity, RangeError],
    ['5', TypeError],
    [null, TypeError],
    [5n, TypeError],
  ];

  it.each(invalid)('a limit of %o is refused at the call', (value, type) => {
    const ms = value as number;
    const source = new CancellationTokenSource();
    expect(() => new CancellationTokenSource({ timeoutMs: ms })).toThrow(type);
    expect(() => source.token.child({ timeoutMs: ms })).toThrow(type);
    expect(() => source.cancelAfter(ms)).toThrow(type);
    expect(() => CancellationToken.timeout(ms)).toThrow(type);
    expect(source.token.deadlineAt).toBe(Infinity);
  });

  it.each<[unknown, typeof Error]>([
    [NaN, RangeError],
    [-Infinity, RangeError],
    ['5', TypeError],
    [null, TypeError],
  ])('%o is no instant', (value, type) => {
    expect(() => new CancellationTokenSource({ deadlineAt: value as number })).toThrow(type);
  });

  it.each<[CancellationTokenSourceOptions, number]>([
    [{ timeoutMs: 10 }, 110],
    [{ deadlineAt: 130 }, 130],
    [{ timeoutMs: 10, deadlineAt: 130 }, 110],
    [{ timeoutMs: 50, deadlineAt: 130 }, 130],
    [{ timeoutMs: Infinity, deadlineAt: 130 }, 130],
    [{ timeoutMs: 10, deadlineAt: Infinity }, 110],
    [{ timeoutMs: Infinity }, Infinity],
    [{ deadlineAt: Infinity }, Infinity],
    [{ timeoutMs: Infinity, deadlineAt: Infinity }, Infinity],
    [{}, Infinity],
  ])('%j end at %d', (options, at) => {
    const clock = new VirtualClock({ startAt: 100 });
    const source = new CancellationTokenSource({ ...options, clock });
    expect(source.token.deadlineAt).toBe(at);
    expect(source.token.remainingMs()).toBe(at - 100);
    expect(clock.pending).toBe(at === Infinity ? 0 : 1);
    if (at === Infinity) return;
    clock.advanceSync(at - 101);
    expect(source.isCancelled).toBe(false);
    clock.advanceSync(1);
    expect(source.isCancelled).toBe(true);
    expect(source.token.remainingMs()).toBe(0);
    expect(clock.pending).toBe(0);
  });
});

describe('a refused option', () => {
  it('a refused option leaves nothing armed', () => {
    const clock = new VirtualClock();
    const { token } = new CancellationTokenSource({ clock });
    expect(() => configure(tokenOf(token), { timeoutMs: 10, deadlineAt: NaN })).toThrow(RangeError);
    expect(() => token.child({ deadlineAt: 5, timeoutMs: -1 })).toThrow(RangeError);
    expect(clock.pending).toBe(0);
  });
});
