import { describe, expect, it } from 'vitest';

import { CancellationToken, delay, type CancelReason } from '../../src/index.ts';
import { cancelAtEvery, type CutRun, type CutScenario } from '../../src/testing/cancel-at-every.ts';

const quiet = { check: (): void => undefined };

describe('cancelAtEvery', () => {
  it('cancelAtEvery cuts at every await, once each, and ends with the scenario undisturbed', async () => {
    const seen: string[] = [];
    const runs: CutRun<string>[] = [];
    const places = new Set<string | undefined>();
    const scenario = async ({ token }: CutScenario): Promise<string> => {
      for (const place of ['a', 'b', 'c']) {
        await Promise.resolve();
        seen.push(`${place}${token.isCancelled ? '!' : ''}`);
        token.throwIfCancelled();
      }
      return seen.splice(0).join(' ');
    };
    const steps = await cancelAtEvery(scenario, {
      check(run) {
        runs.push(run);
        places.add(seen.splice(0).find((place) => place.endsWith('!')));
      },
    });
    expect(runs.map(({ step }) => step)).toEqual([...Array(steps + 1).keys()]);
    expect(runs.map(({ isCut }) => isCut)).toEqual(runs.map((_, index) => index < steps));
    expect(runs.at(-1)?.result).toEqual({ status: 'fulfilled', value: 'a b c' });
    // The last run is not cut, nor one after its last word.
    expect([...places]).toEqual(['a!', 'b!', 'c!', undefined]);
  });

  it('cancelAtEvery lets time pass by itself, and says why it cut', async () => {
    const reasons: unknown[] = [];
    await cancelAtEvery(({ token }) => delay(token, 3_600_000), {
      check: ({ result }) => {
        if (result.status === 'rejected') reasons.push((result.reason as { reason: CancelReason }).reason.message);
      },
    });
    expect(reasons).toContain('Cut at step 0');
  });

  it('cancelAtEvery does what else is to be done at the cut, also if that was before the start', async () => {
    const cuts: number[] = [];
    let step = -1;
    const steps = await cancelAtEvery(
      async ({ onCut }) => {
        step++;
        onCut(() => cuts.push(step));
        await Promise.resolve();
      },
      { check: (run) => void expect(run.step).toBe(step) },
    );
    expect(cuts).toEqual([...Array(steps).keys()]);
  });

  it('cancelAtEvery fails with the step at which the check failed', async () => {
    const broken = new Error('lost');
    const failing = cancelAtEvery(async () => Promise.resolve(1), {
      check: ({ step }) => {
        if (step === 1) throw broken;
      },
    });
    await expect(failing).rejects.toMatchObject({ message: 'cut at step 1: lost', cause: broken });
  });

  it('cancelAtEvery fails for what never settles, and for a timer that is left', async () => {
    await expect(cancelAtEvery(() => new Promise(() => undefined), quiet)).rejects.toThrow(
      'cut at step 0: the scenario does not settle',
    );
    await expect(
      cancelAtEvery(({ clock }) => void clock.setTimer(() => undefined, 5, { ref: true }), quiet),
    ).rejects.toThrow('1 timers are left on the clock');
  });

  it('cancelAtEvery gives up where there is no end', async () => {
    let more = 0;
    const growing = async (): Promise<void> => {
      more += 2;
      for (let n = 0; n < more; n++) await Promise.resolve();
    };
    await expect(cancelAtEvery(growing, { ...quiet, maxSteps: 20 })).rejects.toThrow('more than 20 steps');
  });

  it('cancelAtEvery refuses what is not a scenario', async () => {
    await expect(cancelAtEvery(CancellationToken.none as never, quiet)).rejects.toThrow(TypeError);
    await expect(cancelAtEvery(() => 1, {} as never)).rejects.toThrow(TypeError);
  });
});
