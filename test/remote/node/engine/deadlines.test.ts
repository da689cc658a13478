import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { Deadlines } from '../../../../src/remote/node/engine/deadlines.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

describe('the deadlines of operations', () => {
  it('the deadlines of operations come in time, each once, and for nobody who was answered, behind one timer', async () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('begin', 'begin again', 'end', 'pass'), fc.nat(40)), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const clock = new VirtualClock();
        const deadlines = new Deadlines(clock, 100);
        /** By name, when each is due; who is answered, or late, is in it no more. */
        const due = new Map<number, { readonly at: number; readonly end: () => void }>();
        let names = 0;
        const begin = (isRepeated: boolean): void => {
          const name = names++;
          const deadline = deadlines.begin(() => {
            expect(due.get(name)?.at).toBe(clock.now());
            due.delete(name);
            if (isRepeated) begin(false);
          });
          due.set(name, { at: clock.now() + 100, end: () => deadlines.end(deadline) });
        };
        for (const [what, n] of script) {
          if (what === 'pass') await clock.advance(n);
          else if (what === 'end') {
            const found = [...due][n % (due.size + 1)];
            found?.[1].end();
            if (found !== undefined) due.delete(found[0]);
          } else begin(what === 'begin again');
          expect(clock.pending).toBe(due.size === 0 ? 0 : 1);
          expect([...due.values()].every(({ at }) => at > clock.now())).toBe(true);
        }
        await clock.advance(200);
        expect([due.size, clock.pending]).toEqual([0, 0]);
      }),
    );
  });

  it('the deadlines of operations are no longer than the first of those that wait', async () => {
    const clock = new VirtualClock();
    const deadlines = new Deadlines(clock, 100);
    const late: number[] = [];
    const first = deadlines.begin(() => late.push(1));
    await clock.advance(30);
    deadlines.begin(() => late.push(2));
    deadlines.end(first);
    await clock.advance(99);
    expect(late).toEqual([]);
    await clock.advance(1);
    expect(late).toEqual([2]);
  });
});
