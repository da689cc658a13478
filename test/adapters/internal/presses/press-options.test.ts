import { describe, expect, it } from 'vitest';

import {
  escapeModes,
  requireFunctions,
  requireSwitch,
  resolvePressOptions,
  type PressOptions,
} from '../../../../src/adapters/internal/presses/press-options.ts';
import { systemClock } from '../../../../src/core/foundation/clock.ts';

describe('what every door with presses takes', () => {
  it('has defaults', () => {
    expect(resolvePressOptions({ armed: ['onArmed', undefined] })).toEqual({
      doubleMs: 500,
      front: undefined,
      clock: systemClock,
      onEscapeArmed: undefined,
    });
  });

  it.each([
    [{ doubleMs: -1 }, RangeError, 'doubleMs must be a finite number of milliseconds, 0 or more, got -1'],
    [{ front: 'chat-7' }, TypeError, 'front must be a function, got "chat-7"'],
    [{ armed: ['onArmed', 1] }, TypeError, 'onArmed must be a function, got 1'],
  ])('refuses %j', (options, type, message) => {
    const resolve = (): unknown => resolvePressOptions({ armed: ['onArmed', undefined], ...options } as PressOptions);
    expect(resolve).toThrow(type);
    expect(resolve).toThrow(message);
  });

  it('is one of some words, or false', () => {
    expect(([undefined, false, 'tiered'] as const).map((value) => requireSwitch('escape', value, escapeModes))).toEqual(
      ['single', false, 'tiered'],
    );
    expect(() => requireSwitch('escape', 'tripple' as never, escapeModes)).toThrow(
      "escape must be 'single', 'double', 'tiered' or false, got \"tripple\"",
    );
  });

  it('names the function that is none', () => {
    requireFunctions({ one: undefined, two: () => undefined });
    expect(() => {
      requireFunctions({ one: undefined, two: 2 });
    }).toThrow('two must be a function, got 2');
  });
});
