import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { delay, InterruptController, raceCancellation, runUntilCancelled } from '../../../src/index.ts';
import { raceScheduler, type Race } from '../../../src/testing/fast-check/race-scheduler.ts';

/** Runs a race in many orders. */
async function everyOrder(run: (race: Race) => Promise<void>): Promise<void> {
  await fc.assert(fc.asyncProperty(fc.scheduler(), (scheduler) => run(raceScheduler(scheduler))));
}

describe('raceScheduler', () => {
  it('raceScheduler puts the stop and the acts in every order, each once', async () => {
    const orders = new Set<string>();
    await everyOrder(async ({ act, settle, order }) => {
      act('a', () => undefined);
      act('b', () => undefined);
      await settle(Promise.resolve());
      orders.add(order.join(' '));
    });
    expect([...orders].sort()).toEqual(['a b stop', 'a stop b', 'b a stop', 'b stop a', 'stop a b', 'stop b a']);
  });

  it('raceScheduler shows a work what came first, its own promise or the stop', async () => {
    await everyOrder(async ({ token, gate, settle, order }) => {
      const result = await settle(
        raceCancellation(
          token,
          gate('answer', () => 42),
        ),
      );
      expect(result.status).toBe(order[0] === 'answer' ? 'fulfilled' : 'rejected');
      expect(token.reason?.kind).toBe('user');
    });
  });

  it('raceScheduler finds the write that is reported as stopped, and passes the one inside commit', async () => {
    const law = (isCommitted: boolean): Promise<fc.RunDetails<[fc.Scheduler]>> =>
      fc.check(
        fc.asyncProperty(fc.scheduler(), async (scheduler) => {
          const { token, gate, wait, settle } = raceScheduler(scheduler);
          let isWritten = false;
          const write = (): Promise<void> => gate('written', () => void (isWritten = true));
          const save = runUntilCancelled(token, async ({ commit }) => {
            await gate('allowed');
            return isCommitted ? commit(write) : write();
          });
          wait(5_000);
          const result = await settle(save);
          return result.status === 'fulfilled' && (result.value.status === 'completed' || !isWritten);
        }),
        { seed: 8, numRuns: 300 },
      );
    expect((await law(true)).failed).toBe(false);
    expect((await law(false)).failed).toBe(true);
  });

  it('raceScheduler lets limits take part where a wait says so, and run out in the end', async () => {
    const ends = new Set<string>();
    await everyOrder(async ({ token, clock, wait, settle }) => {
      wait(60);
      const child = token.child({ timeoutMs: 50 });
      await settle(delay(child.token, 1_000));
      ends.add(child.reason?.kind ?? 'live');
      expect(clock.pending).toBe(0);
    });
    expect([...ends].sort()).toEqual(['deadline', 'user']);
  });

  it('raceScheduler kills after its grace, and by an act of its source', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.boolean(), async (scheduler, isByHand) => {
        const options = { reason: { kind: 'app:red' as const }, graceMs: isByHand ? undefined : 100 };
        const { act, source, token, settle } = raceScheduler(scheduler, options);
        if (isByHand) act('kill', () => source.kill('user'));
        await settle(new Promise<void>((resolve) => void token.onKilled(() => resolve())));
        expect(token.isKilled).toBe(true);
      }),
    );
  });

  it('raceScheduler adds what the work starts only later, up to the end', async () => {
    await everyOrder(async ({ clock, token, gate, settle, order }) => {
      const agent = new InterruptController({ token, clock });
      const turn = agent.runTurn(async ({ tools }) => {
        await tools([{ id: 'a', name: 'a' }], () => gate('tool'));
      });
      const result = await settle(turn);
      expect(result).toMatchObject({ value: { status: order[0] === 'stop' ? 'cancelled' : expect.any(String) } });
    });
  });

  it('raceScheduler says what had happened when the work does not settle', async () => {
    const [scheduler] = fc.sample(fc.scheduler(), 1);
    const { settle } = raceScheduler(scheduler!);
    await expect(settle(new Promise(() => undefined))).rejects.toThrow(
      'the work has not settled, and nothing is left to happen after: stop',
    );
  });

  it('raceScheduler throws what an act threw or rejected with, whatever became of the work', async () => {
    const broken = new Error('broken');
    for (const fail of [
      () => {
        throw broken;
      },
      () => Promise.reject(broken),
    ]) {
      const [scheduler] = fc.sample(fc.scheduler(), 1);
      const { act, settle } = raceScheduler(scheduler!);
      act('break', fail);
      await expect(settle(Promise.resolve())).rejects.toBe(broken);
    }
  });

  it('raceScheduler rejects a gate with what its function threw, for the work to see', async () => {
    const [scheduler] = fc.sample(fc.scheduler(), 1);
    const { gate, settle } = raceScheduler(scheduler!);
    const broken = new Error('broken');
    const work = gate('disk', () => {
      throw broken;
    });
    expect(await settle(work)).toEqual({ status: 'rejected', reason: broken });
  });

  it('raceScheduler gives up on a race that starts itself anew for ever', async () => {
    const [scheduler] = fc.sample(fc.scheduler(), 1);
    const { clock, settle } = raceScheduler(scheduler!);
    const again = (): void => void clock.setTimer(again, 10, { ref: true });
    again();
    await expect(settle(Promise.resolve())).rejects.toThrow('the race has no end');
  });
});
