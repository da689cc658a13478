import { describe, expect, it } from 'vitest';

import { planOf, withoutInput } from '../../../src/adapters/child-process/options.ts';
import { systemClock } from '../../../src/core/foundation/clock.ts';

const surroundings = { clock: systemClock, onCallbackError: () => undefined };

describe('planOf', () => {
  it('has defaults for everything', () => {
    expect(planOf({}, surroundings)).toEqual({
      ...surroundings,
      graceMs: 1000,
      rungs: [
        { signal: 'SIGTERM', afterMs: 0 },
        { signal: 'SIGKILL', afterMs: 1000 },
      ],
      background: 'keep',
      maxBuffer: 1024 * 1024,
      encoding: 'utf8',
      onSurvivor: undefined,
    });
  });

  it('takes undefined for a default', () => {
    const none = { graceMs: undefined, stopSignals: undefined, background: undefined, maxBuffer: undefined };
    expect(planOf({ ...none, encoding: undefined, signal: undefined } as never, surroundings)).toEqual(
      planOf({}, surroundings),
    );
  });

  it.each([
    [{ graceMs: -1 }, RangeError, 'graceMs must be a finite number of milliseconds, 0 or more, got -1'],
    [{ graceMs: Infinity }, RangeError, 'graceMs must be'],
    [{ graceMs: '1' }, TypeError, 'graceMs must be a number of milliseconds, got "1"'],
    [{ background: 'leave' }, TypeError, "background must be one of 'keep', 'stop', got \"leave\""],
    [{ maxBuffer: Number.NaN }, RangeError, 'maxBuffer must be a whole number of bytes, 0 or more, got NaN'],
    [{ maxBuffer: -1 }, RangeError, 'got -1'],
    [{ maxBuffer: 1.5 }, RangeError, 'got 1.5'],
    [{ maxBuffer: '1' }, TypeError, 'maxBuffer must be a number of bytes, got "1"'],
    [{ encoding: 'buffer' }, TypeError, 'encoding must be one that Buffer knows, got "buffer"'],
    [{ onSurvivor: 1 }, TypeError, 'onSurvivor must be a function, got 1'],
    [{ stopSignals: [] }, RangeError, 'stopSignals must name at least one signal'],
    [
      { signal: new AbortController().signal },
      TypeError,
      'options.signal is not taken here: pass the signal as `token`',
    ],
    [{ timeout: 5 }, TypeError, 'options.timeout is not taken here'],
    [{ killSignal: 'SIGINT' }, TypeError, 'options.killSignal is not taken here'],
    [{ detached: 1 }, TypeError, 'detached must be true or false, got 1'],
  ])('refuses %o', (options, type, message) => {
    const call = () => planOf(options as never, surroundings);
    expect(call).toThrow(type);
    expect(call).toThrow(message);
  });
});

describe('withoutInput', () => {
  it('gives tools no input unless the caller provides one', () => {
    expect(withoutInput(undefined)).toEqual(['ignore', 'pipe', 'pipe']);
    expect(withoutInput([undefined, 'inherit'])).toEqual(['ignore', 'inherit']);
    expect(withoutInput([])).toEqual(['ignore']);
    expect(withoutInput(['pipe', 'pipe'])).toEqual(['pipe', 'pipe']);
    expect(withoutInput('inherit')).toBe('inherit');
  });
});
