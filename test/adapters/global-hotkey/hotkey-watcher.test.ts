import { beforeEach, expect, it } from 'vitest';

import type { HookEvents, HookProcess } from '../../../src/adapters/global-hotkey/hook-process.ts';
import { watchHook, type HotkeyWatcher } from '../../../src/adapters/global-hotkey/hotkey-watcher.ts';
import { unavailable, type HotkeyUnavailable } from '../../../src/adapters/global-hotkey/unavailable.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

let clock: VirtualClock;
let started: HookEvents[];
let stopped: number;
let closed: number;
let awaited: number;

beforeEach(() => {
  clock = new VirtualClock({ startAt: 1000 });
  started = [];
  stopped = 0;
  closed = 0;
  awaited = 0;
});

function watch(problem?: HotkeyUnavailable, start?: () => HookProcess): HotkeyWatcher {
  return watchHook({
    clock,
    problem,
    start: (events) => {
      started.push(events);
      return start?.() ?? { awaitStart: () => awaited++, stop: () => Promise.resolve(void stopped++) };
    },
    down: () => undefined,
    close: () => {
      closed++;
    },
  });
}

it('a hotkey watches as soon as its process says so', async () => {
  const watcher = watch();
  expect(watcher.state).toBe('starting');
  started[0]?.ready();
  expect([watcher.state, await watcher.ready, watcher.unavailable]).toEqual(['watching', 'watching', undefined]);
});

it('who reads ready waits for the first start, and for no later one', async () => {
  const watcher = watch();
  expect(awaited).toBe(0);
  const { ready } = watcher;
  expect(awaited).toBe(1);
  started[0]?.ready();
  await ready;
  started[0]?.ended(undefined);
  await clock.advance(250);
  expect([await watcher.ready, watcher.state, awaited]).toEqual(['watching', 'starting', 1]);
});

it('nothing is started where the problem is known before', async () => {
  const watcher = watch(unavailable('wayland'));
  expect([started.length, await watcher.ready, watcher.unavailable?.reason]).toEqual([0, 'unavailable', 'wayland']);
});

it('a process that says why it cannot hear is not started again', async () => {
  const watcher = watch();
  started[0]?.ended(unavailable('no-package'));
  await clock.advance(100_000);
  expect([started.length, watcher.state, watcher.unavailable?.reason]).toEqual([1, 'unavailable', 'no-package']);
});

it('a process that cannot even be started is a state, not an error', () => {
  const watcher = watch(undefined, () => {
    throw new Error('EAGAIN');
  });
  expect([watcher.state, watcher.unavailable?.reason]).toEqual(['unavailable', 'failed']);
});

it('a process that dies is started again after 250, 500 and 1,000 ms, and then given up', async () => {
  const watcher = watch();
  for (const [index, delayMs] of [250, 500, 1000].entries()) {
    started[index]?.ready();
    started[index]?.ended(undefined);
    expect(watcher.state).toBe('starting');
    await clock.advance(delayMs - 1);
    expect(started).toHaveLength(index + 1);
    await clock.advance(1);
    expect(started).toHaveLength(index + 2);
  }
  started[3]?.ready();
  started[3]?.ended(undefined);
  expect([watcher.state, watcher.unavailable?.reason]).toEqual(['unavailable', 'failed']);
});

it('deaths that are more than a minute apart do not add up', async () => {
  const watcher = watch();
  for (let index = 0; index < 6; index++) {
    started[index]?.ready();
    started[index]?.ended(undefined);
    await clock.advance(60_000);
  }
  expect([started.length, watcher.state]).toEqual([7, 'starting']);
});

it('stop ends the process once, and nothing is started afterwards', async () => {
  const watcher = watch();
  started[0]?.ready();
  await Promise.all([watcher.stop(), watcher.stop(), watcher[Symbol.asyncDispose]()]);
  expect([watcher.state, stopped, closed]).toEqual(['stopped', 1, 1]);
});

it('stop keeps a process that died from being started again', async () => {
  const watcher = watch();
  started[0]?.ready();
  started[0]?.ended(undefined);
  await watcher.stop();
  await clock.advance(10_000);
  expect([started.length, watcher.state]).toEqual([1, 'stopped']);
});

it('ready resolves for a hotkey that is stopped while it starts', async () => {
  const watcher = watch();
  await watcher.stop();
  expect(await watcher.ready).toBe('stopped');
});
