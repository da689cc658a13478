import { describe, expect, it } from 'vitest';

import { CancellationToken, checkpoint, delay, runUntilCancelled, type CancelReason } from '../../src/index.ts';
import { cancelAtEvery, type CutError, type CutRun, type CutScenario } from '../../src/testing/cancel-at-every.ts';

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
    // The last run is not cut, nor one after its last word, nor one at a checkpoint when it has spoken.
    expect(places).toEqual(new Set(['a!', 'b!', 'c!', undefined]));
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
    await expect(failing).rejects.toMatchObject({ step: 1, replay: 'cut@1', cause: broken });
    await expect(failing).rejects.toThrow("cut at step 1: lost (again: { replay: 'cut@1' })");
  });

  it('cancelAtEvery finds the first stop that is swallowed, and repeats that run alone', async () => {
    const deafened = async ({ token }: CutScenario): Promise<string> => {
      await delay(token, 10);
      await delay(token, 10).catch(() => undefined);
      return 'done';
    };
    const error = await cancelAtEvery(deafened, quiet).catch((reason: unknown) => reason as CutError);
    expect(error).toMatchObject({ message: expect.stringContaining('the stop was swallowed') as string });
    const { replay, step } = error as CutError;
    expect(step).toBeGreaterThan(0);
    await expect(cancelAtEvery(deafened, { ...quiet, replay })).rejects.toMatchObject({ step });

    const runs: CutRun<string>[] = [];
    const check = (run: CutRun<string>): void => void runs.push(run);
    expect(await cancelAtEvery(deafened, { check, replay, allowSwallowed: true })).toBe(step);
    expect(runs).toMatchObject([{ step, isCut: true, isSwallowed: true, result: { value: 'done' } }]);
    expect(await cancelAtEvery(deafened, { check, replay: 'cut@1', allowSwallowed: true })).toBe(1);
    expect(runs[1]).toMatchObject({ isSwallowed: false, result: { status: 'rejected' } });
  });

  it.each<[string, (cut: CutScenario) => unknown]>([
    ['a token that threw', ({ token }) => void token.throwIfCancelled()],
    ['its signal', ({ signal }) => void signal.throwIfAborted()],
    ['a token below', ({ token }) => void checkpoint(token.child().token)],
  ])('cancelAtEvery sees that %s was not heeded', async (_what, ask) => {
    const swallowing = async (cut: CutScenario): Promise<void> => {
      const asking = async (): Promise<unknown> => Promise.resolve(ask(cut));
      await asking().catch(() => undefined);
    };
    await expect(cancelAtEvery(swallowing, quiet)).rejects.toMatchObject({ replay: 'cut@0' });
  });

  it('cancelAtEvery sees a stop that is caught in the function that asked', async () => {
    const swallowing = async ({ token }: CutScenario): Promise<void> => {
      await Promise.resolve();
      try {
        token.throwIfCancelled();
      } catch {
        // The fault that is looked for.
      }
    };
    await expect(cancelAtEvery(swallowing, quiet)).rejects.toThrow('the stop was swallowed');
  });

  it('cancelAtEvery stops at each checkpoint of a loop that never awaits', async () => {
    const written: number[] = [];
    let lines = 0;
    const parse = ({ token, signal }: CutScenario): void => {
      lines = 0;
      for (; lines < 3; lines++) {
        if (lines === 1) signal.throwIfAborted();
        else token.throwIfCancelled();
      }
    };
    await cancelAtEvery(parse, {
      check: ({ result }) => {
        written.push(lines);
        expect(result.status).toBe(lines === 3 ? 'fulfilled' : 'rejected');
      },
    });
    expect([...new Set(written)]).toEqual([0, 1, 2, 3]);
  });

  it('cancelAtEvery takes an outcome that says it was stopped, and a function that only looked, for honest', async () => {
    await cancelAtEvery(({ token }) => runUntilCancelled(token, (context) => delay(context.token, 10)), quiet);
    const looking = async ({ token }: CutScenario): Promise<number> => {
      let rounds = 0;
      for (; rounds < 3 && !token.isCancelled; rounds++) await Promise.resolve();
      return rounds;
    };
    expect(await cancelAtEvery(looking, quiet)).toBeGreaterThan(2);
  });

  it('cancelAtEvery refuses to repeat what is no run of the scenario', async () => {
    const short = async (): Promise<void> => Promise.resolve();
    await expect(cancelAtEvery(short, { ...quiet, replay: 'cut@99' })).rejects.toThrow('ends before step 99');
    await expect(cancelAtEvery(short, { ...quiet, replay: '99' as never })).rejects.toThrow(TypeError);
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

it.each([-1, Number.NaN, 'x'])('cancelAtEvery refuses %o as a number of steps', async (maxSteps) => {
  await expect(cancelAtEvery(() => 1, { check: () => undefined, maxSteps: maxSteps as number })).rejects.toThrow(
    new RangeError(`options.maxSteps must be a whole number from 0, got ${String(maxSteps)}`),
  );
});
