/** G9: a cancel that many callbacks hear. */
import { CancellationTokenSource } from 'desist';
import { compare, contender, keep } from '../harness.ts';
import type { Row, Workload } from '../workload.ts';

const heard = { count: 0 };

function closures(many: number): (() => void)[] {
  return Array.from({ length: many }, () => () => {
    heard.count++;
  });
}

function callAll(list: readonly (() => void)[]): void {
  for (const fn of list) fn();
}

// The loop of a batch runs too seldom to be compiled well before it is measured; the one of a cancel is used all the time.
for (let i = 0; i < 20_000; i++) callAll(closures(10));

export const workload: Workload = {
  id: 'G9',
  title: 'Cancel n callbacks against calling a bare array of n callbacks',
  async measure(effort) {
    const rows: Row[] = [];
    for (const many of [1000, 100_000, 1_000_000 * effort.scale]) {
      // As many lists as make the time of a batch worth reading.
      const lists = Math.ceil(2_000_000 / many);
      const timings = await compare(effort, {
        ours: contender({
          most: lists,
          prepare: (count) =>
            Array.from({ length: count }, () => {
              const source = new CancellationTokenSource();
              for (const fn of closures(many)) source.token.onCancelled(fn);
              return source;
            }),
          run: (_, sources) => {
            for (const source of sources) source.cancel('user');
          },
        }),
        bare: contender({
          most: lists,
          prepare: (count) => Array.from({ length: count }, () => closures(many)),
          run: (_, all) => {
            for (const list of all) callAll(list);
          },
        }),
      });
      rows.push({
        what: `cancel / bare array, ${many.toLocaleString('en')} callbacks`,
        value: timings.ratio('ours', 'bare'),
        unit: 'x',
        atMost: 3,
      });
    }
    keep(heard);
    return rows;
  },
};
