/** G16: from the cancel to the code that waits. */
import { CancellationTokenSource, delay, raceCancellation, type CancellationToken } from 'desist';
import { compare, contender, type Contender } from '../harness.ts';
import { leastCancel, leastListenedRace, leastSource } from '../limits/least.ts';
import { rejectOnAbort } from '../peers/native.ts';
import type { Workload } from '../workload.ts';

const never = new Promise<never>(() => {});

interface Waiter {
  readonly stop: () => void;
  readonly caught: Promise<unknown>;
}

/** One waiter after the other: cancel, then wait until its `catch` has run. */
function wake(make: () => Waiter): Contender {
  return contender({
    most: 2000,
    prepare: (count) => Array.from({ length: count }, make),
    run: async (_, waiters) => {
      for (const { stop, caught } of waiters) {
        stop();
        await caught;
      }
    },
  });
}

/** Microtasks that run between the cancel and the `catch`, that of the `catch` included. */
async function microtasks(
  token: CancellationToken,
  stop: () => void,
  wait: (t: CancellationToken) => Promise<unknown>,
) {
  let ran = 0;
  let heardAt = -1;
  void wait(token).catch(() => {
    heardAt = ran;
  });
  stop();
  while (heardAt < 0 && ran < 100) {
    // Queued after what the cancel has queued, so it counts the turns that were needed.
    await Promise.resolve();
    ran++;
  }
  return heardAt + 1;
}

function chain(levels: number): { token: CancellationToken; stop: () => void } {
  const source = new CancellationTokenSource();
  let { token } = source;
  for (let level = 1; level < levels; level++) token = token.child().token;
  return { token, stop: () => void source.cancel('user') };
}

export const workload: Workload = {
  id: 'G16',
  title: 'Wake what waits',
  async measure(effort) {
    const reason = new Error('stop');
    const native = (abort: (controller: AbortController) => void) =>
      wake(() => {
        const controller = new AbortController();
        return { stop: () => abort(controller), caught: rejectOnAbort(controller.signal).catch(() => {}) };
      });
    const timings = await compare(effort, {
      ours: wake(() => {
        const source = new CancellationTokenSource();
        const caught = raceCancellation(source.token, never).catch(() => {});
        return { stop: () => void source.cancel('user'), caught };
      }),
      least: wake(() => {
        const source = leastSource();
        const caught = leastListenedRace(source.token, never).catch(() => {});
        return { stop: () => leastCancel(source), caught };
      }),
      withReason: native((controller) => controller.abort(reason)),
      without: native((controller) => controller.abort()),
    });
    const near = chain(1);
    const far = chain(1000);
    const raced = chain(1000);
    const wait = (token: CancellationToken) => delay(token, 3_600_000);
    return [
      {
        what: 'from cancel() to the catch of a delay',
        value: await microtasks(near.token, near.stop, wait),
        unit: 'microtasks',
        atMost: 1,
      },
      {
        what: 'the same, 1,000 levels down',
        value: await microtasks(far.token, far.stop, wait),
        unit: 'microtasks',
        atMost: 1,
      },
      {
        // One more than the goal of a bare wait: a promise that settled in the tick of the cancel is heard first.
        what: 'from cancel() to the catch of raceCancellation, 1,000 levels down',
        value: await microtasks(raced.token, raced.stop, (token) => raceCancellation(token, never)),
        unit: 'microtasks',
        atMost: 2,
      },
      { what: 'limit: abort(reason) / the least', value: timings.ratio('withReason', 'least'), unit: 'x' },
      { what: 'limit: abort() / the least', value: timings.ratio('without', 'least'), unit: 'x' },
      {
        what: 'abort(reason) and its catch / cancel() and its catch',
        value: timings.ratio('withReason', 'ours'),
        unit: 'x',
        atLeast: { node24: 2.2, node20: 3 },
        floor: { node24: 1.5, node20: 2 },
      },
      {
        what: 'abort() and its catch / cancel() and its catch',
        value: timings.ratio('without', 'ours'),
        unit: 'x',
        atLeast: 6,
        floor: { node24: 2.3, node20: 4.5 },
      },
    ];
  },
};
