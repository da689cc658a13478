import { expectTypeOf, it } from 'vitest';

import { cancelAtEvery, describeAgent, type AgentVerdict } from '../../src/testing/index.ts';
import type { CutReplay } from '../../src/testing/cancel-at-every.ts';

it('describeAgent gives verdicts, and takes runs that lack a callback', () => {
  const verdicts = describeAgent({ name: 'one', start: ({ url }) => ({ done: fetch(url), interject: undefined }) });
  expectTypeOf(verdicts).toEqualTypeOf<Promise<AgentVerdict[]>>();
  const idle = { name: 'idle', start: () => ({ done: Promise.resolve() }) };
  void describeAgent(idle, { settleMs: 50, watchMs: 10, reachMs: 1_000, only: ['S01'] });
  // @ts-expect-error a limit is a number
  void describeAgent(idle, { reachMs: '1 s' });
  // @ts-expect-error a run says when it is over
  void describeAgent({ name: 'one', start: () => ({ cancel: () => undefined }) });
  void describeAgent({
    ...idle,
    honours: ['asks', 'idleMs'],
    startUnder: (start, signal) => ({ done: signal ? fetch(start.url) : Promise.resolve() }),
  });
  // @ts-expect-error: there is no such wish
  void describeAgent({ ...idle, honours: ['miracles'] });
  const fine = () => ({ done: Promise.resolve(), calls: () => [{ name: 'a', status: 'fine' }] });
  // @ts-expect-error: no outcome of a call is called so
  void describeAgent({ name: 'one', start: fine });
});

it('cancelAtEvery repeats a run by its name alone', () => {
  expectTypeOf(cancelAtEvery(() => 7, { check: () => undefined, replay: 'cut@7' })).toEqualTypeOf<Promise<number>>();
  expectTypeOf<'7'>().not.toExtend<CutReplay>();
});
