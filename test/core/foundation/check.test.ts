import { describe, expect, it } from 'vitest';

import {
  printable,
  quoted,
  requireFunction,
  requireMs,
  requireWhole,
  requireOneOf,
  show,
} from '../../../src/core/foundation/check.ts';

function named(): void {}

describe('show', () => {
  it.each([
    ['a string, quoted', 'abc', '"abc"'],
    ['a string of 60, whole', 'x'.repeat(60), `"${'x'.repeat(60)}"`],
    ['a longer string, cut', 'x'.repeat(61), `"${'x'.repeat(57)}..."`],
    ['a named function', named, 'function named'],
    [
      'a nameless function',
      (
        () => () =>
          undefined
      )(),
      'a function',
    ],
    ['a bigint', 5n, '5n'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['a number', NaN, 'NaN'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['an array, by its length', [1, 2, 3], 'an array of 3'],
    ['an instance, by its class', new Map(), 'an instance of Map'],
    ['a plain object', {}, 'an instance of Object'],
    ['an object without a prototype', Object.create(null), 'an object'],
    ['an object of a nameless class', new (class {})(), 'an object'],
    ['an object with a strange constructor', Object.create({ constructor: { name: 5 } }), 'an object'],
  ])('show shows %s', (_title, value, text) => {
    expect(show(value)).toBe(text);
  });

  it('show never prints what is inside', () => {
    expect(show({ password: 'secret' })).not.toContain('secret');
    expect(show(['secret'])).not.toContain('secret');
  });
});

describe('requireWhole', () => {
  it.each([1, 2, Number.MAX_SAFE_INTEGER])('requireWhole takes %d', (value) => {
    expect(requireWhole('turnId', value, 1)).toBe(value);
  });

  it.each([0, -1, 1.5, NaN, Infinity, 2 ** 53])('requireWhole refuses %d as out of range', (value) => {
    const call = (): number => requireWhole('turnId', value, 1);
    expect(call).toThrow(new RangeError(`turnId must be a whole number from 1, got ${String(value)}`));
  });

  it.each([undefined, null, '1', 1n, {}, true])('requireWhole refuses %o as no number', (value) => {
    const call = (): number => requireWhole('turnId', value, 1);
    expect(call).toThrow(TypeError);
    expect(call).toThrow('turnId must be a whole number from 1, got ');
  });
});

describe('requireMs', () => {
  it.each([0, -0, 0.5, 1, 2 ** 31, Number.MAX_VALUE])('requireMs takes %d', (ms) => {
    expect(requireMs('x', ms, 'finite')).toBe(ms);
    expect(requireMs('x', ms, 'infinity-allowed')).toBe(ms);
  });

  it('requireMs takes Infinity only where it means "no limit"', () => {
    expect(requireMs('x', Infinity, 'infinity-allowed')).toBe(Infinity);
    expect(() => requireMs('timeoutMs', Infinity, 'finite')).toThrow(
      new RangeError('timeoutMs must be a finite number of milliseconds, 0 or more, got Infinity'),
    );
  });

  it.each([NaN, -1, -Infinity, -Number.MIN_VALUE])('requireMs refuses %d as out of range', (ms) => {
    for (const infinite of ['finite', 'infinity-allowed'] as const) {
      const call = (): number => requireMs('graceMs', ms, infinite);
      expect(call).toThrow(RangeError);
      expect(call).toThrow(/^graceMs .*got /);
      expect(call).toThrow(String(ms));
    }
  });

  it.each([undefined, null, '5', 5n, {}, [5], true])('requireMs refuses %o as no number', (value) => {
    const call = (): number => requireMs('idleMs', value, 'finite');
    expect(call).toThrow(TypeError);
    expect(call).toThrow(`idleMs must be a number of milliseconds, got ${show(value)}`);
  });
});

describe('requireFunction', () => {
  it('requireFunction takes a function and refuses the rest by name', () => {
    expect(() => requireFunction('work', named)).not.toThrow();
    for (const value of [undefined, null, 'x', {}]) {
      expect(() => requireFunction('work', value)).toThrow(
        new TypeError(`work must be a function, got ${show(value)}`),
      );
    }
  });
});

describe('requireOneOf', () => {
  it('requireOneOf takes a listed word and names the list to the rest', () => {
    expect(requireOneOf('settle', 'try', ['try', 'wait'])).toBe('try');
    for (const value of ['', 'TRY', undefined, 5]) {
      expect(() => requireOneOf('settle', value, ['try', 'wait'])).toThrow(
        new TypeError(`settle must be one of 'try', 'wait', got ${show(value)}`),
      );
    }
  });
});

describe('printable text', () => {
  it('printable text has its control characters escaped, and line breaks where it must stay on one line', () => {
    const evil = 'a\u001b[2J\u0007\n\tb\u0085\u2028';
    expect(printable(evil)).toBe('a\\u001b[2J\\u0007\\n\\u0009b\\u0085\\u2028');
    expect(printable(evil, 'keep')).toBe('a\\u001b[2J\\u0007\n\tb\\u0085\\u2028');
    expect(quoted('"\u001b\u0085')).toBe('"\\"\\u001b\\u0085"');
  });
});
