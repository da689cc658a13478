import { expect, it } from 'vitest';

import { delayOfTerminal, isHeardByKeyboard } from '../../../src/adapters/global-hotkey/same-press.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

it('no terminal, or one that is not read, has heard nothing', async () => {
  const clock = new VirtualClock({ startAt: 1000 });
  expect(await isHeardByKeyboard(undefined, clock, 1000)).toBe(false);
  expect(await isHeardByKeyboard({ lastBytesAt: undefined }, clock, 1000)).toBe(false);
});

it('bytes that came up to 40 ms before the hook are the same press, older ones are not', async () => {
  const clock = new VirtualClock({ startAt: 1000 });
  expect(await isHeardByKeyboard({ lastBytesAt: 960 }, clock, 1000)).toBe(true);
  const older = isHeardByKeyboard({ lastBytesAt: 959 }, clock, 1000);
  await clock.advance(40);
  expect(await older).toBe(false);
});

it('bytes that come after the hook are waited for, 40 ms', async () => {
  const clock = new VirtualClock({ startAt: 1000 });
  const keyboard = { lastBytesAt: -Infinity };
  const heard = isHeardByKeyboard(keyboard, clock, 1000);
  await clock.advance(30);
  keyboard.lastBytesAt = clock.now();
  await clock.advance(10);
  expect(await heard).toBe(true);
});

it.each([
  [{}, 40],
  [{ TMUX: '/tmp/tmux-0/default,1,0' }, 600],
  [{ STY: '7.pts' }, 600],
])('with the environment %j a terminal hears a press at most %i ms later than the hook', async (env, delayMs) => {
  expect(delayOfTerminal(env)).toBe(delayMs);
  const clock = new VirtualClock({ startAt: 1000 });
  const keyboard = { lastBytesAt: -Infinity };
  const heard = isHeardByKeyboard(keyboard, clock, 1000, delayMs);
  await clock.advance(delayMs - 1);
  keyboard.lastBytesAt = clock.now();
  await clock.advance(1);
  expect(await heard).toBe(true);
});
