import fc from 'fast-check';
import { expect, it } from 'vitest';

import { Lull } from '../../../../src/remote/node/engine/lull.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

/** Turns of the loop until those go on who wait since the first of them. */
async function turnsUntil(told: readonly boolean[]): Promise<number> {
  const clock = new VirtualClock();
  const lull = new Lull(clock);
  const over: number[] = [];
  let turn = 0;
  const next = (): void => {
    if (turn === 0) for (let n = 0; n < 3; n++) void lull.comes().then(() => over.push(turn));
    if (told[turn] === true) lull.told();
    turn++;
    expect(clock.pending).toBeLessThanOrEqual(1);
    if (turn < told.length) clock.setTimer(next, 0, { ref: true });
  };
  next();
  await clock.advance(0);
  await lull.passed();
  expect([over, clock.pending]).toEqual([Array.from({ length: 3 }, () => over[0]), 0]);
  return over[0] ?? 0;
}

it('a lull comes with the first turn that tells nothing more, for all who wait, behind one timer, and after eight in any case', async () => {
  const turns = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(turns, async (told) => {
      const quiet = told.indexOf(false);
      expect(await turnsUntil(told)).toBe(Math.min(quiet < 0 ? 8 : quiet + 1, 8));
    }),
    { examples: [[Array.from({ length: 12 }, () => true)]] },
  );
});

it('nobody waits for a lull where nothing was told, and everybody where something was', async () => {
  const clock = new VirtualClock();
  const lull = new Lull(clock);
  await lull.passed();
  expect(clock.pending).toBe(0);
  lull.told();
  let isOver = false;
  const passed = lull.passed().then(() => (isOver = true));
  await Promise.resolve();
  expect(isOver).toBe(false);
  await clock.advance(0);
  expect(await passed).toBe(true);
});
