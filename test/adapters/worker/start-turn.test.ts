import fc from 'fast-check';
import { expect, it } from 'vitest';

import { startsPerTurn, turnToStart } from '../../../src/adapters/worker/start-turn.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Whatever an earlier test has asked for is over. */
async function quiet(): Promise<void> {
  await turnToStart();
  await nextTurn();
  await nextTurn();
}

it('a single start waits for no turn', async () => {
  await quiet();
  let isStarted = false;
  void turnToStart().then(() => {
    isStarted = true;
  });
  await Promise.resolve();
  expect(isStarted).toBe(true);
});

it('starts in the order of asking, never more in a turn than that, and as soon as that allows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 12 }), { maxLength: 12 }), async (askedInTurn) => {
      await quiet();
      const started: number[] = [];
      let [asked, backlog] = [0, 0];
      for (let index = 0; index < askedInTurn.length || backlog > 0; index += 1) {
        const before = started.length;
        for (let more = askedInTurn[index] ?? 0; more > 0; more -= 1) {
          const number = asked++;
          void turnToStart().then(() => started.push(number));
        }
        await nextTurn();
        const now = started.length - before;
        expect(now).toBeLessThanOrEqual(2 * startsPerTurn); // what was asked for at once, and the turn that is waited for
        backlog = asked - started.length;
        if (backlog > 0) expect(now).toBeGreaterThan(0);
      }
      expect(started).toEqual(Array.from({ length: asked }, (_, index) => index));
    }),
  );
});
