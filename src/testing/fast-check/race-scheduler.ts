/**
 * A race between a stop and what a test's own promises do, in whatever order fast-check's scheduler chooses.
 *
 * Prior art: fast-check's `scheduler`, and its race examples.
 *
 * @module
 */
import { type OptionNames, type OptionsOnly, requireOptions } from '../../core/inside.ts';
import type { Scheduler } from 'fast-check';

import {
  CancellationTokenSource,
  type CancelReasonLike,
  type CancellationToken,
  type CancellationTokenSource as Source,
} from '../../index.ts';
import { VirtualClock } from '../virtual-clock.ts';

/**
 * Options of {@link raceScheduler}.
 *
 * @since 0.1.0
 */
export interface RaceOptions extends OptionsOnly {
  /** What the stop says; `user` by default. */
  readonly reason?: CancelReasonLike | undefined;
  /** Kills after so many milliseconds of the race's clock. */
  readonly graceMs?: number | undefined;
}

/**
 * One race: everything in it happens once, in the scheduler's order. Every function is bound.
 *
 * @since 0.1.0
 */
export interface Race {
  /** Cancelled by the act `stop`. */
  readonly token: CancellationToken;
  /** The source of `token`, for a stop of your own beside that one: `act('kill', () => source.kill())`. */
  readonly source: Source;
  /** The clock of `token`. It moves in a `wait`, and in `settle` when nothing else is left. */
  readonly clock: VirtualClock;
  /** What has happened so far: the names of acts, gates and waits. */
  readonly order: readonly string[];
  /** Does something at one place of the order; what it throws, `settle` throws. What it returns is not waited for. */
  readonly act: (name: string, fn: () => unknown) => void;
  /** A promise that settles at one place of the order, with what `fn` returns or throws there. */
  readonly gate: <T = void>(name: string, fn?: () => T | PromiseLike<T>) => Promise<T>;
  /** Moves the clock by so many milliseconds at one place of the order, so that limits and graces take part. */
  readonly wait: (ms: number) => void;
  /**
   * Lets everything happen, then lets the clock run out.
   *
   * @throws Error – as a rejection: `work` has not settled though nothing is left to happen; what an act threw.
   */
  readonly settle: <T>(work: PromiseLike<T>) => Promise<PromiseSettledResult<Awaited<T>>>;
}

/** Rounds of gates that timers open and timers that gates arm, after which a race has no end. */
const MAX_ROUNDS = 1_000;

const optionNames: OptionNames<RaceOptions> = { reason: 1, graceMs: 1 };

/**
 * Puts a stop and your own promises in any order. The stop is part of the race from the start; `act`, `gate` and `wait`
 * add to it, also while it runs; `settle` runs it. After each of them promise reactions run to their end.
 *
 * @checkpoint never
 * @fairness None: the scheduler chooses, and the seed of a failure repeats its choice.
 * @cleanup Everything hangs on the race's own clock and source; forgetting the race forgets it.
 * @param scheduler The value of `fc.scheduler()`, fresh for each run.
 * @param options What the stop says.
 * @returns The race.
 * @example A write is never reported as stopped
 * ```ts
 * import fc from 'fast-check'
 * import { runUntilCancelled } from 'desist'
 * import { raceScheduler } from 'desist/testing/fast-check'
 *
 * const law = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
 *   const { token, gate, settle } = raceScheduler(scheduler)
 *   let isWritten = false
 *   const save = runUntilCancelled(token, async ({ commit }) => {
 *     await gate('allowed')
 *     return commit(() => gate('written', () => { isWritten = true }))
 *   })
 *   const result = await settle(save)
 *   return result.status === 'fulfilled' && (result.value.status === 'completed' || !isWritten)
 * })
 * const { failed } = await fc.check(law)
 * failed // => false
 * ```
 * @source fast-check `scheduler`
 * @since 0.1.0
 */
export function raceScheduler(scheduler: Scheduler, options: RaceOptions = {}): Race {
  requireOptions(options, optionNames);
  const clock = new VirtualClock();
  const source = new CancellationTokenSource({ clock });
  const order: string[] = [];
  const faults: unknown[] = [];

  /** The scheduler waits for the end of an item before it chooses the next, so an item ends when its reactions have run. */
  function add(name: string, fn: () => unknown, ms: number): void {
    scheduler.scheduleSequence([
      {
        label: name,
        builder: async () => {
          order.push(name);
          try {
            Promise.resolve(fn()).catch((error: unknown) => faults.push(error));
            await clock.advance(ms);
          } catch (error) {
            faults.push(error);
          }
        },
      },
    ]);
  }

  /** Everything that can still happen, happens. */
  async function drain(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      await scheduler.waitIdle();
      await clock.advance(0);
      if (scheduler.count() > 0) continue;
      if (clock.nextAt === undefined) return;
      await clock.advance(Math.max(0, clock.nextAt - clock.now()));
    }
    throw new Error(`the race has no end: after ${String(MAX_ROUNDS)} rounds there are still acts or timers`);
  }

  const race: Race = {
    token: source.token,
    source,
    clock,
    order,
    act: (name, fn) => {
      add(name, fn, 0);
    },
    gate: <T>(name: string, fn?: () => T | PromiseLike<T>) =>
      new Promise<T>((resolve, reject) => {
        const open = async (): Promise<T> => (await fn?.()) as T;
        add(name, () => void open().then(resolve, reject), 0);
      }),
    wait: (ms) => {
      add(`wait ${String(ms)} ms`, () => undefined, ms);
    },
    settle: async (work) => {
      let result: PromiseSettledResult<Awaited<typeof work>> | undefined;
      void Promise.allSettled([work]).then(([only]) => (result = only));
      await drain();
      if (faults.length > 0) throw faults[0];
      if (result === undefined)
        throw new Error(`the work has not settled, and nothing is left to happen after: ${order.join(', ')}`);
      return result;
    },
  };
  race.act('stop', () => source.cancel(options.reason ?? 'user', { graceMs: options.graceMs }));
  return race;
}
