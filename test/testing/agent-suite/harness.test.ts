import { expect, it } from 'vitest';
import { checkHarness, readLimits } from '../../../src/testing/agent-suite/harness.ts';

const start = (): { done: Promise<void> } => ({ done: Promise.resolve() });

it.each([
  [undefined, 'harness.start must be a function, got undefined'],
  [{ name: 'a' }, 'harness.start must be a function, got undefined'],
  [{ name: 'a', start: 7 }, 'harness.start must be a function, got 7'],
  [{ name: 'a', start, cancelAll: true }, 'harness.cancelAll must be a function, got true'],
  [{ start }, 'harness.name must be a string, got undefined'],
  [{ name: 'a', start, honours: 'asks' }, 'harness.honours must be a list, got "asks"'],
  [{ name: 'a', start, honours: ['asks', 'miracles'] }, 'harness.honours: there is no wish miracles'],
])('a harness is refused that is none: %o', (harness, message) => {
  expect(() => {
    checkHarness(harness);
  }).toThrow(new TypeError(message));
});

it('a harness needs a name and a start', () => {
  expect(() => {
    checkHarness({ name: 'a', start });
  }).not.toThrow();
});

it('limits have defaults, and are times', () => {
  expect(readLimits({ watchMs: 5 })).toEqual({ settleMs: 2_000, watchMs: 5, reachMs: 5_000 });
  expect(() => readLimits({ settleMs: -1 })).toThrow(new RangeError('options.settleMs must be a time in ms, got -1'));
  expect(() => readLimits({ reachMs: Number.NaN })).toThrow(RangeError);
});
