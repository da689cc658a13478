/** The page of doors says what the doors weigh that were built. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { weighDoors, weightTable } from '../../scripts/door-weights.ts';
import { requireBuild, root } from '../package/consumer.ts';

type Row = readonly [door: string, ...figures: string[]];

const rowsOf = (table: string): Row[] =>
  [...table.matchAll(/^\| (`desist[^|]*`) \| (.*) \|$/gm)].map(([, door = '', rest = '']) => [
    door,
    ...rest.split(' | '),
  ]);

/** A figure of the page may be a little old: the page is made anew when it says something else. */
function isClose(said: string | undefined, is: string | undefined): boolean {
  if (said === is) return true;
  return Math.abs(Number(said) - Number(is)) <= Math.max(0.4, Number(is) * 0.05);
}

describe('the page of doors', () => {
  it('the weights on the page of doors are those of the doors that were built', async () => {
    requireBuild();
    const said = new Map(
      rowsOf(readFileSync(join(root, 'docs/doors.md'), 'utf8')).map(([door, ...row]) => [door, row]),
    );
    // Not how long an import takes: that is measured on a quiet machine, by whoever makes the table.
    const wrong = rowsOf(weightTable(await weighDoors(), [])).filter(
      ([door, ...row]) => !row.slice(0, -1).every((figure, at) => isClose(said.get(door)?.[at], figure)),
    );
    expect(wrong, 'node scripts/door-weights.ts --write').toEqual([]);
  });

  it.each([
    ['12.0', '12.3', true],
    ['12.0', '14.0', false],
    ['–', '–', true],
    ['–', '0.3', false],
    [undefined, '0.1', false],
  ])('a page that says %s of %s is close: %s', (said, is, close) => {
    expect(isClose(said, is)).toBe(close);
  });
});
