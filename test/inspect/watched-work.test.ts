import { expect, it } from 'vitest';

import { CancellationTokenSource, type CancellationToken } from '../../src/index.ts';
import { record } from '../../src/inspect/index.ts';
import type { TraceOperation } from '../../src/inspect/trace.ts';
import type { WatchedContext } from '../../src/inspect/watched-work.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

async function watched(
  work: (context: WatchedContext, stop: () => void, clock: VirtualClock) => unknown,
): Promise<TraceOperation | undefined> {
  const clock = new VirtualClock({ startAt: 0 });
  const source = new CancellationTokenSource({ clock });
  using recording = record(source, { clock });
  const { token }: { token: CancellationToken } = source;
  await recording
    .watch(token, (context) => work(context, () => void source.cancel('user'), clock))
    .catch(() => undefined);
  return recording.trace().operations[0];
}

it('an obedient checkpoint is seen, with when it came', async () => {
  const row = await watched(async ({ checkpoint }, stop, clock) => {
    checkpoint();
    stop();
    await clock.advance(30);
    checkpoint();
  });
  expect(row).toMatchObject({ outcome: 'cancelled', askedAt: 0, observedAt: 30 });
  expect(row?.checkpoints).toEqual({ passed: 2, afterStop: 1, isSwallowed: false, isStarved: false });
});

it('a stop that is caught and forgotten is swallowed', async () => {
  const row = await watched(({ checkpoint }, stop) => {
    stop();
    try {
      checkpoint();
    } catch {
      return 'went on';
    }
    return undefined;
  });
  expect(row?.checkpoints).toMatchObject({ isSwallowed: true });
});

it('work that asks and leaves politely has swallowed nothing', async () => {
  const row = await watched((context, stop) => {
    stop();
    return context.isCancelled;
  });
  expect(row).toMatchObject({ outcome: 'completed', checkpoints: { afterStop: 1, isSwallowed: false } });
});

it('work that looks too late after a stop was starved', async () => {
  const row = await watched(async ({ checkpoint }, stop, clock) => {
    stop();
    await clock.advance(101);
    checkpoint();
  });
  expect(row?.checkpoints?.isStarved).toBe(true);
});

it('a failure of its own is a failure', async () => {
  const row = await watched(() => {
    throw new TypeError('x');
  });
  expect(row?.outcome).toBe('failed');
});
