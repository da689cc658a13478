/**
 * `scope` against its laws, over interleavings of ends, failures, stops and passing time.
 *
 * The laws are checked on what was observed, in the order in which it was observed. A failure prints seed and path.
 */
import { getEventListeners } from 'node:events';

import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';

import { isCancelledError } from '../../src/core/foundation/errors.ts';
import { CancellationTokenSource, scope, type ScopeContext } from '../../src/index.ts';
import { deferred, type Deferred } from '../../src/testing/fakes.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

type Act =
  | { readonly act: 'resolve' | 'reject'; readonly n: number }
  | { readonly act: 'cancel' | 'kill' | 'abort' | 'quiet' | 'end body' | 'fail body' };
type Group = readonly Act[] | number;

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ act: fc.constantFrom('resolve' as const, 'reject' as const), n: fc.nat(3) }),
  fc.record({ act: fc.constantFrom('cancel', 'kill', 'abort', 'quiet', 'end body', 'fail body') }),
);
const groups: fc.Arbitrary<Group[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.array(act, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 30, 60) },
  ),
  { minLength: 1, maxLength: 8 },
);

/** How a fork takes its stop, and whether another one follows when it is over. */
const fork = fc.record({ manner: fc.constantFrom('deaf', 'obedient', 'breaking'), followed: fc.boolean() });
type Fork = { readonly manner: string; readonly followed: boolean };

class Failure extends Error {}

function observe(plan: readonly Fork[], bodyWaits: 'for nothing' | 'for itself' | 'for its forks') {
  const clock = new VirtualClock();
  const outside = new AbortController();
  // A fork after the end is told of: whoever makes it may not wait for it.
  const onCallbackError = (error: unknown): void => {
    if (!(error instanceof TypeError && error.message.startsWith('the scope has ended'))) throw error;
  };
  const session = new CancellationTokenSource({ clock, parent: outside.signal, onCallbackError });
  /** What was started; a fork that was refused has no work that could end. */
  const works: (Deferred<unknown> | undefined)[] = [];
  const body = deferred<unknown>();
  body.promise.catch(() => {});
  const log: string[] = [];
  const open = new Set<number>();
  /** Genuine failures that were told to somebody, and the tick of each: within a tick any may be the first. */
  const failures = new Map<unknown, number>();
  const suppressed: unknown[] = [];
  let quiet = false;
  let context: ScopeContext | undefined;
  let atEnd: readonly number[] | undefined;
  let tick = 0;
  let stoppedAt: number | undefined;
  let killedIn: number | undefined;

  const heard = (error: unknown): void => {
    if (error instanceof Failure && !failures.has(error)) failures.set(error, tick);
  };
  const start = (s: ScopeContext, { manner, followed }: Fork): Promise<unknown> => {
    const n = works.length;
    const mine = deferred<unknown>();
    works.push(undefined);
    open.add(n);
    const promise = s.fork(({ signal }) => {
      expect(atEnd, 'nothing starts after the end').toBeUndefined();
      works[n] = mine;
      if (manner !== 'deaf') {
        const error = manner === 'breaking' ? new Failure(`fork ${n} broke`) : undefined;
        signal.addEventListener('abort', () => mine.reject(error ?? signal.reason), { once: true });
      }
      return mine.promise;
    });
    promise.then(
      () => {
        open.delete(n);
        if (followed) start(s, { manner, followed: false }).catch(() => {});
      },
      (error: unknown) => {
        open.delete(n);
        heard(error);
      },
    );
    return promise;
  };

  const settled = scope(
    session.token,
    async (s) => {
      context = s;
      s.token.onCancelled(() => (stoppedAt = clock.now()));
      s.token.onKilled(() => (killedIn = tick));
      for (const name of ['first', 'second', 'third'])
        s.defer((token) => void log.push(`${name} ${token.isKilled ? 'killed' : token.isCancelled ? 'dead' : 'live'}`));
      const forks = plan.map((one) => start(s, one));
      try {
        if (bodyWaits === 'for its forks') await Promise.all(forks);
        if (bodyWaits === 'for itself') await body.promise;
      } catch (error) {
        // What the body does after it was left behind is nobody's business.
        const isLate = stoppedAt !== undefined && (clock.now() >= stoppedAt + 50 || (killedIn ?? tick) < tick);
        if (!isLate) heard(error);
        throw error;
      }
      return 'body';
    },
    { graceMs: 50, onSuppressed: (error) => suppressed.push(error) },
  ).then(
    (value) => ({ status: 'fulfilled', value }) as const,
    (reason: unknown) => ({ status: 'rejected', reason }) as const,
  );
  const end = settled.then((result) => {
    atEnd = [...open];
    log.push('end');
    return result;
  });

  const run = async (next: Group): Promise<void> => {
    tick += 1;
    for (const one of typeof next === 'number' ? [] : next) {
      if ('n' in one) {
        if (one.act === 'resolve') works[one.n]?.resolve(one.n);
        else works[one.n]?.reject(new Failure(`fork ${one.n}`));
      } else if (one.act === 'end body') body.resolve('body');
      else if (one.act === 'fail body') body.reject(new Failure('body'));
      else if (one.act === 'abort') outside.abort();
      else if (one.act === 'quiet') {
        if (!session.isCancelled && context?.token.isCancelled === false) quiet = true;
        context?.cancel('user');
      } else session[one.act]('user');
    }
    await clock.advance(typeof next === 'number' ? next : 0);
  };
  return {
    clock,
    outside,
    session,
    works,
    body,
    log,
    failures,
    suppressed,
    end,
    run,
    isQuiet: () => quiet,
    atEnd: () => atEnd,
    context: () => context,
  };
}

test.prop(
  [
    fc.scheduler(),
    fc.array(fork, { maxLength: 3 }),
    fc.constantFrom('for nothing', 'for itself', 'for its forks'),
    groups,
  ],
  {
    numRuns: 600,
  },
)(
  'a scope ends when all of it has ended, with its first cause, after its clean-ups',
  async (scheduler, plan, waits, all) => {
    const seen = observe(plan, waits);
    for (const next of all) {
      scheduler.scheduleSequence([{ label: JSON.stringify(next), builder: () => seen.run(next) }]);
    }
    await scheduler.waitIdle();
    // Whatever is still open is stopped, runs out of grace, and ends too late.
    for (const last of [[{ act: 'cancel' }], 50, 50, 0] as const) await seen.run(last);
    const result = await seen.end;
    for (const [n, work] of seen.works.entries()) work?.reject(new Failure(`late ${n}`));
    seen.body.reject(new Failure('late body'));
    await seen.run(0);

    expect(seen.atEnd(), 'every fork had ended or was left behind').toEqual([]);
    expect(seen.log.map((line) => line.split(' ')[0])).toEqual(['third', 'second', 'first', 'end']);
    if (!seen.session.token.isKilled) expect(seen.log.slice(0, 3).every((line) => line.endsWith('live'))).toBe(true);

    const firstTick = Math.min(...seen.failures.values());
    const causes = [...seen.failures.keys()].filter((error) => seen.failures.get(error) === firstTick);
    if (causes.length > 0) {
      expect(result.status).toBe('rejected');
      expect(causes).toContain((result as PromiseRejectedResult).reason);
    } else if (result.status === 'rejected') {
      expect(isCancelledError(result.reason)).toBe(true);
      expect(seen.session.isCancelled || seen.isQuiet()).toBe(true);
      if (!seen.isQuiet()) expect(result.reason).toMatchObject({ reason: seen.session.reason });
    } else expect(result.value).toBe('body');
    // Each other failure is told once; besides those, only work that was left behind.
    const told = seen.suppressed.filter((error) => error instanceof Failure);
    expect(new Set(told).size).toBe(told.length);
    const others = [...seen.failures.keys()].filter(
      (error) => result.status === 'fulfilled' || error !== result.reason,
    );
    expect(new Set(told)).toEqual(new Set(others));
    for (const error of seen.suppressed) {
      if (!(error instanceof Failure)) expect(error).toHaveProperty('abandoned');
    }

    await expect(seen.context()!.fork(() => 'late')).rejects.toThrow(TypeError);
    expect(getEventListeners(seen.outside.signal, 'abort')).toEqual([]);
    expect(seen.clock.pending).toBe(0);
  },
);
