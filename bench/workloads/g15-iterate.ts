/** G15: a loop over what comes item by item, under a token. */
import { race } from 'abort-controller-x';
import { abortableSource } from 'abortable-iterator';
import { raceSignal } from 'race-signal';
import { CancellationTokenSource } from 'desist';
import { cancellableIterable } from 'desist/async-iterator';
import { compare, keep, type Contender } from '../harness.ts';
import type { Workload } from '../workload.ts';

async function* numbers(count: number): AsyncGenerator<number, undefined> {
  for (let i = 0; i < count; i++) yield i;
}

type Wrap = (source: AsyncGenerator<number, undefined>) => AsyncIterable<number>;

/** One loop over everything: what an item costs. */
function items(wrap: Wrap): Contender {
  return {
    run: async (count) => {
      for await (const item of wrap(numbers(count))) keep(item);
    },
  };
}

/** Many loops over one item each: what a call costs. */
function calls(wrap: Wrap): Contender {
  return {
    most: 20_000,
    run: async (count) => {
      for (let i = 0; i < count; i++) for await (const item of wrap(numbers(1))) keep(item);
    },
  };
}

/** A loop by hand, with a race at each read. */
function racing(next: (read: Promise<IteratorResult<number>>) => Promise<IteratorResult<number>>): Contender {
  return {
    run: async (count) => {
      const source = numbers(count);
      for (let read = await next(source.next()); read.done !== true; read = await next(source.next())) keep(read.value);
    },
  };
}

export const workload: Workload = {
  id: 'G15',
  title: 'Iterate under a token',
  async measure(effort) {
    const { token } = new CancellationTokenSource();
    const { signal } = new AbortController();
    const waking: Wrap = (source) => cancellableIterable(token, source);
    const checking: Wrap = (source) => cancellableIterable(token, source, { mode: 'check' });
    const abortable: Wrap = (source) => abortableSource(source, signal);
    const each = await compare(effort, {
      bare: items((source) => source),
      waking: items(waking),
      checking: items(checking),
      abortable: items(abortable),
      raceSignal: racing((read) => raceSignal(read, signal)),
      controllerX: racing((read) => race(signal, () => [read])),
    });
    const whole = await compare(effort, {
      bare: calls((source) => source),
      waking: calls(waking),
      checking: calls(checking),
      abortable: calls(abortable),
    });
    return [
      { what: 'per item: ours / bare for await', value: each.ratio('waking', 'bare'), unit: 'x', atMost: 1.8 },
      { what: 'per item: check-only / bare for await', value: each.ratio('checking', 'bare'), unit: 'x', atMost: 1.05 },
      {
        what: 'per item: abortable-iterator / ours',
        value: each.ratio('abortable', 'waking'),
        unit: 'x',
        atLeast: 2.8,
        floor: 1.9,
      },
      { what: 'per item: race-signal at each read / ours', value: each.ratio('raceSignal', 'waking'), unit: 'x' },
      { what: 'per item: abort-controller-x / ours', value: each.ratio('controllerX', 'waking'), unit: 'x' },
      { what: 'per call: ours beyond bare for await', value: whole.beyond('waking', 'bare'), unit: 'ns' },
      { what: 'per call: check-only beyond bare for await', value: whole.beyond('checking', 'bare'), unit: 'ns' },
      { what: 'per call: abortable-iterator / ours', value: whole.ratio('abortable', 'waking'), unit: 'x' },
    ];
  },
};
