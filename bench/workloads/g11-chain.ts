/** G11: a cancel that travels down a long chain. */
import { CancellationTokenSource, type CancellationToken } from 'desist';
import { compare, contender, keep } from '../harness.ts';
import type { Workload } from '../workload.ts';

/** Two objects a level, as a token that somebody listens below has. */
class Level {
  readonly extra: { kid: Level | undefined; watch: number; readonly padding: readonly number[] | undefined } = {
    kid: undefined,
    watch: 1,
    padding: undefined,
  };
  readonly parent: Level | undefined;
  stamp = 1;

  constructor(parent: Level | undefined) {
    this.parent = parent;
    if (parent !== undefined) parent.extra.kid = this;
  }
}

export const workload: Workload = {
  id: 'G11',
  title: 'Cancel down a chain with one callback at its end',
  async measure(effort) {
    const levels = 1_000_000 * effort.scale;
    const heard = { count: 0 };
    const timings = await compare(
      { ...effort, rounds: Math.min(effort.rounds, 5) },
      {
        ours: contender({
          most: 1,
          prepare: () => {
            const source = new CancellationTokenSource();
            const chain: CancellationToken[] = [source.token];
            for (let level = 0; level < levels; level++) chain.push(chain[level]!.child().token);
            chain[levels]!.onCancelled(() => {
              heard.count++;
            });
            return { source, chain };
          },
          run: (_, { source }) => {
            const before = heard.count;
            source.cancel('user');
            if (heard.count !== before + 1) throw new Error('the callback was not called once');
          },
        }),
        bare: contender({
          most: 1,
          prepare: () => {
            const top = new Level(undefined);
            let level = top;
            for (let i = 0; i < levels; i++) level = new Level(level);
            return top;
          },
          run: (_, top) => {
            let last = top;
            for (let level: Level | undefined = top; level !== undefined; level = level.extra.kid) {
              level.stamp = -1;
              last = level;
            }
            for (let level: Level | undefined = last; level !== undefined; level = level.parent) level.extra.watch--;
            keep(last);
          },
        }),
      },
    );
    return [
      {
        what: `cancel, ${levels.toLocaleString('en')} levels, each`,
        value: timings.nanos('ours') / levels,
        unit: 'ns',
        atMost: 50,
        floor: { node24: 195, node20: 95 },
      },
      { what: 'the same / walking down a bare chain and back', value: timings.ratio('ours', 'bare'), unit: 'x' },
    ];
  },
};
