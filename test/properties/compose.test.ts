/**
 * `all`, `race` and `spawn` against their laws, over interleavings of ends, failures, stops and passing time.
 *
 * The laws are checked on what was observed, in the order in which it was observed. A failure prints seed and path.
 */
import { getEventListeners } from 'node:events';

import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';

import { all, race, spawn, type ComposeOptions } from '../../src/adapters/compose/index.ts';
import { isCancelledError } from '../../src/core/foundation/errors.ts';
import { CancellationTokenSource, type CancelContext, type CancellationToken } from '../../src/index.ts';
import { deferred, type Deferred } from '../../src/testing/fakes.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

const GRACE_MS = 50;

type Act = { readonly act: 'resolve' | 'reject'; readonly n: number } | { readonly act: 'cancel' | 'kill' | 'abort' };
type Group = readonly Act[] | number;

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('resolve' as const, 'reject' as const), n: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('cancel', 'kill', 'abort') }) },
);
const groups: fc.Arbitrary<Group[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.array(act, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 30, 60) },
  ),
  { minLength: 1, maxLength: 8 },
);

/** How a branch takes its stop: not at all, as it should, with a failure of its own, with a value all the same. */
const manner = fc.constantFrom('deaf', 'obedient', 'breaking', 'finishing');
type Manner = 'deaf' | 'obedient' | 'breaking' | 'finishing';

class Failure extends Error {}

interface End {
  readonly n: number;
  readonly tick: number;
  /** The composition had settled: the branch was left behind. */
  readonly isLate: boolean;
  readonly value?: unknown;
  readonly error?: unknown;
}

function observe(manners: readonly Manner[]) {
  const clock = new VirtualClock();
  const outside = new AbortController();
  const session = new CancellationTokenSource({ clock, parent: outside.signal });
  const works: Deferred<unknown>[] = manners.map(() => deferred<unknown>());
  for (const { promise } of works) promise.catch(() => {});
  const tokens: CancellationToken[] = [];
  /** How each branch ended, in the order of what it did. */
  const ends: End[] = [];
  const ended = new Set<number>();
  const suppressed: unknown[] = [];
  const late: unknown[] = [];
  let tick = 0;
  let settledAt: number | undefined;
  let settlements = 0;
  let stoppedAt: number | undefined;

  const end = (n: number, how: Omit<End, 'n' | 'tick' | 'isLate'>): void => {
    if (ended.has(n)) return;
    ended.add(n);
    ends.push({ n, tick, isLate: settledAt !== undefined, ...how });
    if ('error' in how) works[n]?.reject(how.error);
    else works[n]?.resolve(how.value);
  };
  const branches = manners.map((kind, n) => ({ token, signal }: CancelContext): Promise<unknown> => {
    expect(settledAt, 'nothing starts after the end').toBeUndefined();
    tokens[n] = token;
    token.onCancelled(() => {
      stoppedAt ??= clock.now();
      if (kind === 'obedient') end(n, { error: signal.reason });
      if (kind === 'breaking') end(n, { error: new Failure(`branch ${n} broke`) });
      if (kind === 'finishing') end(n, { value: `branch ${n} finished` });
    });
    return (works[n] as Deferred<unknown>).promise;
  });
  const options: ComposeOptions = {
    graceMs: GRACE_MS,
    onSuppressed: (error) => suppressed.push(error),
    onLateSettle: (outcome) => late.push(outcome),
  };
  const watch = (promise: Promise<unknown>): Promise<PromiseSettledResult<unknown>> => {
    const count = (): void => {
      settlements += 1;
      settledAt = clock.now();
    };
    promise.then(count, count);
    return promise.then(
      (value) => ({ status: 'fulfilled', value }),
      (reason: unknown) => ({ status: 'rejected', reason }),
    );
  };
  const run = async (next: Group): Promise<void> => {
    tick += 1;
    for (const one of typeof next === 'number' ? [] : next) {
      if ('n' in one) {
        if (one.n >= manners.length || tokens[one.n] === undefined) continue;
        if (one.act === 'resolve') end(one.n, { value: `branch ${one.n}` });
        else end(one.n, { error: new Failure(`branch ${one.n}`) });
      } else if (one.act === 'abort') outside.abort();
      else if (one.act === 'cancel') session.cancel('user');
      else session.kill('user');
    }
    await clock.advance(typeof next === 'number' ? next : 0);
  };
  /** Whatever is still open is stopped, runs out of grace, and ends too late. */
  const finish = async (): Promise<void> => {
    for (const last of [[{ act: 'cancel' }], GRACE_MS, 0] as const) await run(last);
    settledBeforeLate = settlements;
    for (const n of manners.keys()) end(n, { error: new Failure(`late ${n}`) });
    await run(0);
  };
  let settledBeforeLate = 0;
  return {
    clock,
    outside,
    session,
    tokens,
    ends,
    suppressed,
    late,
    branches,
    options,
    watch,
    run,
    finish,
    /** What holds for each of them. */
    checkEnd(): void {
      expect(settledBeforeLate, 'settled once, before the deaf ended').toBe(1);
      expect(settlements).toBe(1);
      if (stoppedAt !== undefined) expect((settledAt ?? Infinity) - stoppedAt).toBeLessThanOrEqual(GRACE_MS * 2);
      expect(getEventListeners(outside.signal, 'abort')).toEqual([]);
      expect(clock.pending).toBe(0);
      // Each failure that is told is told once.
      expect(new Set(suppressed).size).toBe(suppressed.length);
      for (const error of suppressed) {
        if (!(error instanceof Failure)) expect(error).toHaveProperty('abandoned.name');
      }
    },
    /** A stop carries the session's reason, and the session's one error unless somebody was left behind. */
    checkCancelled(error: unknown): void {
      if (!isCancelledError(error)) throw new Error('neither a value, a failure nor a cancel', { cause: error });
      expect(error.reason).toBe(session.reason);
      if (error.abandoned === undefined) expect(error).toBe(session.signal.reason);
    },
  };
}

type Seen = ReturnType<typeof observe>;

/** Runs one composition under every act, and hands back what came of it. */
async function play(
  scheduler: fc.Scheduler,
  acts: readonly Group[],
  seen: Seen,
  start: () => Promise<unknown>,
): Promise<PromiseSettledResult<unknown>> {
  const result = seen.watch(start());
  for (const next of acts) {
    scheduler.scheduleSequence([{ label: JSON.stringify(next), builder: () => seen.run(next) }]);
  }
  await scheduler.waitIdle();
  await seen.finish();
  return result;
}

/** What ended by itself or failed in the first tick in which anything did; within a tick any may be the first. */
function firstOf(ends: readonly End[]): End[] {
  const tick = Math.min(...ends.map((end) => end.tick));
  return ends.filter((end) => end.tick === tick);
}

const isReal = (end: End): boolean => !('error' in end) || end.error instanceof Failure;

test.prop([fc.scheduler(), fc.array(manner, { minLength: 1, maxLength: 4 }), groups], { numRuns: 500 })(
  'race: the first value or failure wins, whatever the losers do',
  async (scheduler, manners, acts) => {
    const seen = observe(manners);
    const result = await play(scheduler, acts, seen, () => race(seen.session.token, seen.branches, seen.options));
    seen.checkEnd();
    const real = seen.ends.filter((end) => isReal(end) && !end.isLate);
    if (real.length === 0) {
      expect(result.status).toBe('rejected');
      seen.checkCancelled((result as PromiseRejectedResult).reason);
      return;
    }
    const first = firstOf(real);
    if (result.status === 'fulfilled') expect(first.map(({ value }) => value)).toContain(result.value);
    else expect(first.map(({ error }) => error)).toContain(result.reason);
    // Every loser was told why: by the winner, or by a stop that was there before it.
    const causes = seen.tokens.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
    for (const reason of causes)
      if (reason !== seen.session.reason) expect(['superseded', 'sibling']).toContain(reason.kind);
    // A finished value that did not win is not lost, and neither is a failure.
    const values = real.filter((end) => !('error' in end)).map(({ value }) => value);
    const told = seen.late.map((outcome) => (outcome as { value?: unknown }).value);
    for (const value of values) {
      const isResult = result.status === 'fulfilled' && value === result.value;
      expect(told.filter((one) => one === value)).toHaveLength(isResult ? 0 : 1);
    }
    const failures = real.filter((end) => 'error' in end).map(({ error }) => error);
    for (const error of failures) {
      const isResult = result.status === 'rejected' && error === result.reason;
      const heard = [...seen.suppressed, ...seen.late.map((outcome) => (outcome as { error?: unknown }).error)];
      expect(heard.filter((one) => one === error)).toHaveLength(isResult ? 0 : 1);
    }
  },
);

test.prop([fc.scheduler(), fc.array(manner, { maxLength: 4 }), groups], { numRuns: 500 })(
  'all: every value, or the first failure, or the stop',
  async (scheduler, manners, acts) => {
    const seen = observe(manners);
    const result = await play(scheduler, acts, seen, () => all(seen.session.token, seen.branches, seen.options));
    seen.checkEnd();
    const inTime = seen.ends.filter(({ isLate }) => !isLate);
    const failures = inTime.filter(({ error }) => error instanceof Failure);
    if (result.status === 'fulfilled') {
      expect(result.value).toEqual(manners.map((_, n) => inTime.find((end) => end.n === n)?.value));
      expect(inTime).toHaveLength(manners.length);
    } else if (result.reason instanceof Failure) {
      expect(firstOf(failures).map(({ error }) => error)).toContain(result.reason);
      const heard = [...seen.suppressed, ...seen.late.map((outcome) => (outcome as { error?: unknown }).error)];
      for (const { error } of failures) {
        expect(heard.filter((one) => one === error)).toHaveLength(error === result.reason ? 0 : 1);
      }
    } else {
      seen.checkCancelled(result.reason);
      expect(inTime.filter(isReal).length).toBeLessThan(manners.length);
      expect(seen.suppressed.filter((error) => error instanceof Failure)).toEqual([]);
    }
    // One cause for everybody: the session's reason, or one reason for all that a failure brought down.
    const causes = new Set(seen.tokens.filter((token) => token.isCancelled).map((token) => token.reason));
    expect(causes.size).toBeLessThanOrEqual(1);
  },
);

test.prop([fc.scheduler(), fc.array(manner, { minLength: 1, maxLength: 4 }), groups], { numRuns: 500 })(
  'compose spawn: the end of the body ends the forks, and clean-up comes last, once',
  async (scheduler, manners, acts) => {
    const seen = observe(manners);
    const [body, ...forks] = seen.branches;
    const log: string[] = [];
    const joined: Promise<PromiseSettledResult<unknown>>[] = [];
    const result = await play(scheduler, acts, seen, () =>
      spawn(
        seen.session.token,
        ({ fork, defer, ...context }) => {
          for (const name of ['first', 'second']) defer(() => log.push(name));
          for (const work of forks) {
            joined.push(
              fork(work)
                .join()
                .then(
                  (value) => ({ status: 'fulfilled', value }),
                  (reason: unknown) => ({ status: 'rejected', reason }),
                ),
            );
          }
          return body?.(context as CancelContext);
        },
        seen.options,
      ),
    );
    seen.checkEnd();
    expect(log).toEqual(['second', 'first']);
    expect(await Promise.all(joined)).toHaveLength(forks.length);
    const inTime = seen.ends.filter(({ isLate }) => !isLate);
    const failures = inTime.filter(({ error }) => error instanceof Failure);
    const heard = [...seen.suppressed, ...seen.late.map((outcome) => (outcome as { error?: unknown }).error)];
    if (result.status === 'fulfilled') {
      expect(result.value).toBe(inTime.find(({ n }) => n === 0)?.value);
      expect(failures).toEqual([]);
      return;
    }
    if (!(result.reason instanceof Failure)) {
      seen.checkCancelled(result.reason);
      return;
    }
    expect(firstOf(failures).map(({ error }) => error)).toContain(result.reason);
    for (const { error } of failures) {
      expect(heard.filter((one) => one === error)).toHaveLength(error === result.reason ? 0 : 1);
    }
  },
);
