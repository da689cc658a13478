import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  drainsOfThisProcess,
  leaveDrains,
  type DrainsOfProcess,
  type DueEnd,
} from '../../../src/adapters/process-signals/process-drains.ts';

const clean: DueEnd = { signal: 'SIGTERM', code: 0 };
const cut: DueEnd = { signal: 'SIGTERM', code: undefined };
const chosen: DueEnd = { signal: 'SIGTERM', code: 64 };

describe('leaveDrains', () => {
  const left = (...ends: DueEnd[]) => leaveDrains({ on: new Set(), ends }, 'me');

  it('ends nothing while others drain, or where none is over', () => {
    const drains: DrainsOfProcess = { on: new Set(['me', 'another']), ends: [clean] };
    expect(leaveDrains(drains, 'me')).toBeUndefined();
    expect(drains).toEqual({ on: new Set(['another']), ends: [clean] });
    expect(left()).toBeUndefined();
  });

  it('ends with 0 only if all say so, and else as the first that does not, once', () => {
    expect(left(clean, clean)).toBe(clean);
    expect(left(clean, cut, chosen)).toBe(cut);
    expect(left(chosen, cut, clean)).toBe(chosen);
    const drains: DrainsOfProcess = { on: new Set(['me']), ends: [clean] };
    expect([leaveDrains(drains, 'me'), leaveDrains(drains, 'me')]).toEqual([clean, undefined]);
  });
});

describe('the drains of this process', () => {
  const key = Symbol.for('desist.process-drains.v1');
  const home = globalThis as Record<symbol, unknown>;
  let before: unknown;
  beforeEach(() => (before = home[key]));
  afterEach(() => (home[key] = before));

  it('are shared with other copies of this package', () => {
    home[key] = undefined;
    const ours = drainsOfThisProcess();
    expect([drainsOfThisProcess(), home[key]]).toEqual([ours, ours]);
    expect(drainsOfThisProcess()).toBe(ours);
  });
});
