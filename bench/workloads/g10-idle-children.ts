/** G10: cancelling a parent whose children nobody listens to. */
import { CancellationTokenSource, type CancellationToken } from 'desist';
import { keep, median, settle } from '../harness.ts';
import type { Workload } from '../workload.ts';

export const workload: Workload = {
  id: 'G10',
  title: 'Cancel a parent with idle children',
  async measure(effort) {
    const many = 1_000_000 * effort.scale;
    const millis: number[] = [];
    for (let round = -1; round < effort.rounds; round++) {
      const parent = new CancellationTokenSource();
      const children: CancellationToken[] = [];
      for (let i = 0; i < many; i++) children.push(parent.token.child().token);
      await settle();
      // One event of some microseconds: the wall clock reads finer than the processor's account.
      const before = process.hrtime.bigint();
      parent.cancel('user');
      const after = process.hrtime.bigint();
      if (!children.every((child) => child.isCancelled)) throw new Error('a child does not read cancelled');
      if (round >= 0) millis.push(Number(after - before) / 1e6);
      keep(children);
    }
    return [
      {
        what: `cancel, ${many.toLocaleString('en')} idle children`,
        value: median(millis),
        unit: 'ms',
        atMost: 0.2,
      },
    ];
  },
};
