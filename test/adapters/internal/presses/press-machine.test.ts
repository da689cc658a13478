import { expect, it } from 'vitest';

import {
  press,
  swallows,
  untouched,
  type PressSettings,
} from '../../../../src/adapters/internal/presses/press-machine.ts';

const settings: PressSettings = { escape: 'single', doubleMs: 500, leaveMs: 2000, idleEscape: false };

it('changes nothing but what it returns', () => {
  const frozen = Object.freeze({ ...untouched });
  const { state, effects } = press(frozen, { type: 'escape', at: 0, repeat: false, doing: 'running' }, settings);
  expect([effects, state.nextEscape, frozen]).toEqual([['cancel'], 'kill', untouched]);
});

it('swallows from the end of a run on, for 400 ms', () => {
  const { state } = press(untouched, { type: 'turned', at: 1000, busy: false }, settings);
  expect([1000, 1399, 1400].map((at) => swallows(state, at))).toEqual([true, true, false]);
  expect(swallows(untouched, 0)).toBe(false);
});

it('P5 ignores an ESC that came before the run, however late it is decided', () => {
  const { state } = press(untouched, { type: 'turned', at: 1000, busy: true }, settings);
  const escape = { type: 'escape', at: 990, repeat: false, doing: 'running' } as const;
  expect(press(state, { ...escape, notedAt: 999 }, settings).effects).toEqual([]);
  expect(press(state, { ...escape, notedAt: 1000 }, settings).effects).toEqual(['cancel']);
  expect(press(state, escape, settings).effects).toEqual(['cancel']); // in one chunk with the Enter that began it
});
