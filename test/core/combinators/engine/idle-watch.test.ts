import { describe, expect, it, vi } from 'vitest';

import { IdleWatch } from '../../../../src/core/combinators/engine/idle-watch.ts';
import { CancellationTokenSource, withCancellation, type CancelContext, type Clock } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

function watchOn(clock: VirtualClock, idleMs: number): { watch: IdleWatch; rang: number[] } {
  const rang: number[] = [];
  const watch = new IdleWatch(clock, idleMs, () => rang.push(clock.now()));
  return { watch, rang };
}

describe('time in which the process could not run', () => {
  /** A clock whose timers come late by as much as the process was frozen. */
  function frozen(clock: VirtualClock): { readonly late: Clock; freeze(ms: number): void } {
    let behind = 0;
    const late: Clock = { now: () => clock.now() + behind, setTimer: clock.setTimer.bind(clock) };
    return { late, freeze: (ms) => (behind += ms) };
  }

  it('frozen time is no silence: it is given back, up to the limit itself', async () => {
    const clock = new VirtualClock();
    const { late, freeze } = frozen(clock);
    const rang: number[] = [];
    const watch = new IdleWatch(late, 1_000, () => rang.push(clock.now()));
    await clock.advance(700);
    freeze(3_000);
    await clock.advance(900);
    expect(rang).toEqual([]);
    watch.progress();
    await clock.advance(999);
    expect(rang).toEqual([]);
    await clock.advance(1_000);
    expect(rang).toHaveLength(1);
  });

  it('frozen time is silence where it was too short to matter', async () => {
    const clock = new VirtualClock();
    const { late, freeze } = frozen(clock);
    const rang: number[] = [];
    void new IdleWatch(late, 1_000, () => rang.push(clock.now()));
    freeze(49);
    await clock.advance(1_000);
    expect(rang).toEqual([1_000]);
  });
});

describe('IdleWatch', () => {
  it('IdleWatch rings once after so much silence', async () => {
    const clock = new VirtualClock();
    const { rang } = watchOn(clock, 100);
    await clock.advance(99);
    expect(rang).toEqual([]);
    await clock.advance(1_000);
    expect(rang).toEqual([100]);
    expect(clock.pending).toBe(0);
  });

  it('IdleWatch is fed by progress, to the millisecond, with one timer', async () => {
    const clock = new VirtualClock();
    const { watch, rang } = watchOn(clock, 100);
    for (let step = 0; step < 10; step += 1) {
      await clock.advance(60);
      watch.progress();
      expect(clock.pending).toBe(1);
    }
    await clock.advance(99);
    expect(rang).toEqual([]);
    await clock.advance(1);
    expect(rang).toEqual([700]);
  });

  it('IdleWatch expects silence while it is paused; pauses are counted', async () => {
    const clock = new VirtualClock();
    const { watch, rang } = watchOn(clock, 100);
    await clock.advance(50);
    watch.pause();
    watch.pause();
    await clock.advance(1_000);
    watch.resume();
    await clock.advance(1_000);
    expect(clock.pending).toBe(0);
    watch.resume();
    await clock.advance(99);
    expect(rang).toEqual([]);
    await clock.advance(1);
    expect(rang).toEqual([2_150]);
  });

  it('IdleWatch does not keep the process alive', () => {
    const clock = new VirtualClock();
    const setTimer = vi.spyOn(clock, 'setTimer');
    const watch = new IdleWatch(clock, 100, () => {});
    watch.progress();
    clock.advanceSync(50);
    clock.advanceSync(50);
    expect(setTimer.mock.calls.map(([, , options]) => options)).not.toContainEqual({ ref: true });
    watch.release();
  });

  it('IdleWatch is silent once released', async () => {
    const clock = new VirtualClock();
    const { watch, rang } = watchOn(clock, 100);
    watch.release();
    watch.release();
    expect(clock.pending).toBe(0);
    await clock.advance(1_000);
    expect(rang).toEqual([]);
  });
});

describe('idleMs', () => {
  const quiet = ({ signal }: CancelContext): Promise<never> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });

  it('S10 ctx.progress() feeds idleMs; silence mid-way is of kind idle and retryable', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const partial: string[] = [];
    const promise = withCancellation(
      source.token,
      (context) => {
        for (const at of [30, 60, 90]) {
          clock.setTimer(() => (partial.push('word'), context.progress()), at, { ref: true });
        }
        return quiet(context);
      },
      { idleMs: 50, timeoutMs: 10_000 },
    ).catch((error: unknown) => error);
    await clock.advance(139);
    expect(clock.pending).toBeGreaterThan(0);
    await clock.advance(1);
    expect(await promise).toMatchObject({ name: 'TimeoutError', limitMs: 50, reason: { kind: 'idle', at: 140 } });
    expect(partial).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });

  it('idleMs does not replace the total limit: progress cannot keep work alive for ever', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const promise = withCancellation(
      source.token,
      (context) => {
        const feed = (): void => {
          if (context.token.isCancelled) return;
          context.progress();
          clock.setTimer(feed, 10, { ref: true });
        };
        feed();
        return quiet(context);
      },
      { idleMs: 50, timeoutMs: 200 },
    ).catch((error: unknown) => error);
    await clock.advance(200);
    expect(await promise).toMatchObject({ limitMs: 200, reason: { kind: 'deadline', at: 200 } });
    await clock.advance(10);
    expect(clock.pending).toBe(0);
  });

  it('progress after the end, and without a limit, does nothing', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const context = deferred<CancelContext>();
    await withCancellation(source.token, (given) => context.resolve(given), { idleMs: 50 });
    await withCancellation(source.token, ({ progress }) => progress());
    (await context.promise).progress();
    expect(clock.pending).toBe(0);
  });
});
