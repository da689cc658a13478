/**
 * The combinators against their laws, over interleavings of everything that can happen to a call: cancel, kill, an
 * abort from outside, a release of the parent, completion, failure, passing time.
 *
 * What happens in one tick is a group; fast-check's scheduler chooses the order of the groups. The expectation is
 * computed from the order in which things happened, not from the code. A failure prints its seed and path.
 */
import { getEventListeners } from 'node:events';

import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';

import { isCancelledError } from '../../src/core/foundation/errors.ts';
import {
  CancellationToken,
  CancellationTokenSource,
  type CancelReason,
  type CancelledError,
  DeadlineExceededError,
  delay,
  moveOnAfter,
  raceCancellation,
  runUntilCancelled,
  shield,
  withCancellation,
  type LateOutcome,
} from '../../src/index.ts';
import type { SettlePolicy } from '../../src/core/combinators/engine/work.ts';
import { deferred, type Deferred } from '../../src/testing/fakes.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

/** What can happen in one tick, one after the other. */
type Act = 'cancel' | 'kill' | 'abort' | 'release' | 'resolve' | 'reject';
type Group = readonly Act[] | number;

const act = fc.constantFrom<Act>('cancel', 'kill', 'abort', 'release', 'resolve', 'reject');
/** A number is time that passes between two ticks. */
const group: fc.Arbitrary<Group> = fc.oneof(
  { weight: 3, arbitrary: fc.array(act, { minLength: 1, maxLength: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom(0, 30, 60, 2_000) },
);
const groups = fc.array(group, { minLength: 1, maxLength: 7 });

/** How the work takes its stop: not at all, as told, or by breaking. */
type Manner = 'deaf' | 'obedient' | 'breaking';
const manner = fc.constantFrom<Manner>('deaf', 'obedient', 'breaking');

interface Settings {
  readonly manner: Manner;
  /** How long the call waits after a stop. */
  readonly graceMs: number;
  /** `Infinity`: none. */
  readonly timeoutMs: number;
}

type Ending = 'value' | 'failure' | 'stopped' | 'limit' | 'abandoned';

const failure = new Error('disk full');
const breakage = new Error('broke while stopping');

/**
 * What the contract allows, from the order of events alone. Only a tie that it leaves open – the work ends after the
 * stop, but in its tick – allows more than one ending.
 */
class Model {
  readonly #settings: Settings;
  /** Whether the stop of the parent is one for the work, too. */
  readonly #shielded: boolean;
  #now = 0;
  #tick = 0;
  #released = false;
  #stopped: { readonly tick: number; readonly at: number; readonly own: boolean } | undefined;
  #killed: { readonly tick: number } | undefined;
  #worked: { readonly tick: number; readonly how: 'value' | 'failure' } | undefined;
  #ending: readonly Ending[] | undefined;
  /** Whether the work ended after the call had. */
  late = false;

  /** Whether the work has a token of its own below the one that is released. */
  readonly #hearsBelow: boolean;

  constructor(settings: Settings, { shielded = false, hearsBelow = false } = {}) {
    this.#settings = settings;
    this.#shielded = shielded;
    this.#hearsBelow = hearsBelow;
  }

  get ending(): readonly Ending[] | undefined {
    return this.#ending;
  }

  get stoppedFromAbove(): boolean {
    return this.#stopped?.own === false;
  }

  apply(next: Group): void {
    this.#tick += 1;
    if (typeof next === 'number') this.#pass(next);
    else for (const one of next) this.#do(one);
    this.#judge();
  }

  #do(one: Act): void {
    if (one === 'resolve' || one === 'reject') {
      this.#worked ??= { tick: this.#tick, how: one === 'resolve' ? 'value' : 'failure' };
    } else if (one === 'release') this.#released = true;
    // What is above a released token is heard below it, and by nobody who listens to the token itself.
    else if (!this.#released || (one === 'abort' && this.#hearsBelow)) {
      if (one === 'kill') this.#killed ??= { tick: this.#tick };
      this.#stop(false);
    }
  }

  #stop(own: boolean): void {
    if (this.#worked === undefined) this.#stopped ??= { tick: this.#tick, at: this.#now, own };
  }

  #pass(ms: number): void {
    const end = this.#now + ms;
    const { timeoutMs } = this.#settings;
    if (timeoutMs <= end && this.#ending === undefined) {
      this.#now = Math.max(this.#now, timeoutMs);
      this.#stop(true);
    }
    this.#now = end;
  }

  #judge(): void {
    const { graceMs } = this.#settings;
    if (this.#ending !== undefined) {
      if (this.#worked?.tick === this.#tick) this.late = true;
      return;
    }
    const stopped = this.#stopped;
    if (stopped === undefined) {
      if (this.#worked !== undefined) this.#ending = [this.#worked.how];
      return;
    }
    const gone: Ending = 'abandoned';
    const reacted = this.#reaction();
    const killed = this.#killed !== undefined && this.#killed.tick <= this.#tick;
    const together = this.#worked?.tick === this.#tick;
    if (graceMs < 0) {
      // Not waited for at all; work that ends in the tick of its stop may still be heard.
      this.#ending = [gone, ...(together ? [this.#worked!.how] : []), ...(reacted === undefined ? [] : [reacted])];
    } else if (reacted !== undefined)
      this.#ending = killed ? [reacted, gone] : [reacted, ...(together ? [this.#worked!.how] : [])];
    else if (this.#worked !== undefined) {
      this.#ending = killed && !this.#settledBefore(this.#killed!.tick) ? [this.#worked.how, gone] : [this.#worked.how];
    } else if (killed || this.#now >= stopped.at + graceMs) this.#ending = [gone];
  }

  #settledBefore(tick: number): boolean {
    return this.#worked !== undefined && this.#worked.tick < tick;
  }

  /** What work that listens makes of a stop, within its tick. */
  #reaction(): Ending | undefined {
    if (this.#shielded) return undefined;
    const { manner: how } = this.#settings;
    return how === 'deaf'
      ? undefined
      : how === 'breaking'
        ? 'failure'
        : this.#stopped?.own === true
          ? 'limit'
          : 'stopped';
  }
}

interface World {
  readonly clock: VirtualClock;
  readonly outside: AbortController;
  readonly session: CancellationTokenSource;
  /** The promise of one piece of work: every one is settled by the same acts, and by its own manner of stopping. */
  readonly work: (given?: { readonly signal: AbortSignal }, how?: Manner) => Promise<string>;
  /** Does what a group says, and lets everything that follows from it happen. */
  readonly run: (next: Group) => Promise<void>;
}

function world(): World {
  const clock = new VirtualClock();
  const outside = new AbortController();
  const session = new CancellationTokenSource({ clock, parent: outside.signal, name: 'session' });
  const works: Deferred<string>[] = [];
  const work: World['work'] = (given, how = 'deaf') => {
    const mine = deferred<string>();
    works.push(mine);
    if (how !== 'deaf') {
      given?.signal.addEventListener('abort', () => mine.reject(how === 'breaking' ? breakage : given.signal.reason), {
        once: true,
      });
    }
    return mine.promise;
  };
  const acts: Record<Act, () => void> = {
    cancel: () => session.cancel('user'),
    kill: () => session.kill('shutdown'),
    abort: () => outside.abort(),
    release: () => session.release(),
    resolve: () => works.forEach((mine) => mine.resolve('value')),
    reject: () => works.forEach((mine) => mine.reject(failure)),
  };
  const run = async (next: Group): Promise<void> => {
    if (typeof next !== 'number') for (const one of next) acts[one]();
    // A turn of the event loop follows each tick.
    await clock.advance(typeof next === 'number' ? next : 0);
  };
  return { clock, outside, session, work, run };
}

/** What stopped the work: the session, or the signal above it, once the session has been released. */
function reasonAbove({ session, outside }: World): CancelReason | undefined {
  return session.reason ?? CancellationToken.from(outside.signal).reason;
}

/** Whatever happened to a call, in the words of the model. */
function endingOf(settled: PromiseSettledResult<unknown>): Ending {
  if (settled.status === 'fulfilled') return 'value';
  const error: unknown = settled.reason;
  if (error === failure || error === breakage) return 'failure';
  if ((error as CancelledError).abandoned !== undefined) return 'abandoned';
  if (error instanceof DeadlineExceededError) return 'limit';
  if (isCancelledError(error)) return 'stopped';
  throw new Error('no ending of the contract', { cause: error });
}

/** Watches a promise without holding it up; fails the test if it settles twice in the model's eyes. */
function settlements(promise: Promise<unknown>): PromiseSettledResult<unknown>[] {
  const seen: PromiseSettledResult<unknown>[] = [];
  promise.then(
    (value) => seen.push({ status: 'fulfilled', value }),
    (reason: unknown) => seen.push({ status: 'rejected', reason }),
  );
  return seen;
}

/** Lets the scheduler choose the order of the groups. */
async function inSomeOrder(
  scheduler: fc.Scheduler,
  all: readonly Group[],
  run: (next: Group) => Promise<void>,
): Promise<void> {
  const broken: unknown[] = [];
  for (const next of all) {
    const builder = (): Promise<void> => run(next).catch((error: unknown) => void broken.push(error));
    scheduler.scheduleSequence([{ label: JSON.stringify(next), builder }]);
  }
  await scheduler.waitIdle();
  // The scheduler keeps what a task throws to itself.
  for (const error of broken) throw error;
}

/** Ends what is still open, so that every case ends, and says so to the model. */
async function finish({ run }: World, model: Model): Promise<void> {
  for (const last of [['cancel'], 100_000, ['reject']] as const) {
    model.apply(last);
    await run(last);
  }
}

const graces = { abandon: -1, try: 0, wait: 50 } satisfies Record<SettlePolicy, number>;
const policy = fc.constantFrom<SettlePolicy>('abandon', 'try', 'wait');
const timeout = fc.constantFrom(undefined, 40, 90);
const numRuns = 400;

describe('withCancellation and runUntilCancelled', () => {
  test.prop([fc.scheduler(), groups, manner, policy, timeout], { numRuns })(
    'withCancellation and runUntilCancelled settle once, by the law of who came first, and leave nothing behind',
    async (scheduler, all, how, settle, timeoutMs) => {
      const here = world();
      const { clock, outside, session, work } = here;
      const model = new Model(
        { manner: how, graceMs: graces[settle], timeoutMs: timeoutMs ?? Infinity },
        { hearsBelow: true },
      );
      const late: LateOutcome<string>[] = [];
      const options = { settle, graceMs: 50, timeoutMs, onLateSettle: (o: LateOutcome<string>) => late.push(o) };
      const errors = settlements(withCancellation(session.token, (c) => work(c, how), options));
      const data = settlements(
        runUntilCancelled(session.token, (c) => work(c, how), { ...options, onLateSettle: undefined }),
      );

      await inSomeOrder(scheduler, all, async (next) => {
        model.apply(next);
        await here.run(next);
        const allowed = model.ending;
        expect(errors, 'settled exactly when the model is').toHaveLength(allowed === undefined ? 0 : 1);
        if (allowed !== undefined) expect(allowed).toContain(endingOf(errors[0]!));
      });
      await finish(here, model);

      expect(errors).toHaveLength(1);
      const ending = endingOf(errors[0]!);
      expect(model.ending).toContain(ending);
      const [first] = errors;
      if (
        first?.status === 'rejected' &&
        (ending === 'stopped' || (ending === 'abandoned' && model.stoppedFromAbove))
      ) {
        // Unchanged: the reason is the very object, and without anything of the call's own so is the error.
        expect((first.reason as CancelledError).reason).toBe(reasonAbove(here));
        if (ending === 'stopped' && session.isCancelled) expect(first.reason).toBe(session.signal.reason);
      }
      // The same as data, and never a rejection.
      const words = {
        value: 'completed',
        failure: 'failed',
        stopped: 'cancelled',
        limit: 'cancelled',
        abandoned: 'abandoned',
      };
      expect(data).toHaveLength(1);
      expect(data[0]).toMatchObject({ status: 'fulfilled', value: { status: words[ending] } });
      // A loser is heard exactly once.
      expect(late).toHaveLength(ending === 'abandoned' ? 1 : 0);
      expect(getEventListeners(outside.signal, 'abort')).toEqual([]);
      expect(clock.pending).toBe(0);
    },
  );
});

describe('moveOnAfter', () => {
  test.prop([fc.scheduler(), groups, manner, fc.constantFrom(40, 90)], { numRuns })(
    'moveOnAfter returns a value and its own limit, and throws everything else',
    async (scheduler, all, how, ms) => {
      const here = world();
      const { clock, outside, session, work } = here;
      const model = new Model({ manner: how, graceMs: 1_000, timeoutMs: ms }, { hearsBelow: true });
      const seen = settlements(moveOnAfter(session.token, ms, (c) => work(c, how)));
      await inSomeOrder(scheduler, all, async (next) => {
        model.apply(next);
        await here.run(next);
        expect(seen).toHaveLength(model.ending === undefined ? 0 : 1);
      });
      await finish(here, model);
      expect(seen).toHaveLength(1);
      const [settled] = seen;
      if (settled?.status === 'fulfilled') {
        const { status } = settled.value as { status: string };
        if (status === 'completed') expect(model.ending).toContain('value');
        else {
          expect(model.stoppedFromAbove).toBe(false);
          expect(model.ending).toContain(status === 'abandoned' ? 'abandoned' : 'limit');
        }
      } else {
        const ending = endingOf(settled!);
        expect(model.ending).toContain(ending);
        if (ending !== 'failure') expect((settled?.reason as CancelledError).reason).toBe(reasonAbove(here));
      }
      expect(getEventListeners(outside.signal, 'abort')).toEqual([]);
      expect(clock.pending).toBe(0);
    },
  );
});

describe('raceCancellation', () => {
  test.prop([fc.scheduler(), groups], { numRuns })(
    'the first wins, the loser is heard once',
    async (scheduler, all) => {
      const here = world();
      const { clock, outside, session, work } = here;
      // The token is obeyed at once: as work that is told and does.
      const model = new Model({ manner: 'obedient', graceMs: Infinity, timeoutMs: Infinity }, { hearsBelow: true });
      const late: LateOutcome<string>[] = [];
      const seen = settlements(raceCancellation(session.token, work(), { onLateSettle: (o) => late.push(o) }));
      await inSomeOrder(scheduler, all, async (next) => {
        model.apply(next);
        await here.run(next);
        expect(seen).toHaveLength(model.ending === undefined ? 0 : 1);
      });
      await finish(here, model);
      expect(seen).toHaveLength(1);
      const ending = endingOf(seen[0]!);
      if (ending !== 'value' && ending !== 'failure')
        expect(((seen[0] as PromiseRejectedResult).reason as CancelledError).reason).toBe(reasonAbove(here));
      expect(model.ending).toContain(ending);
      expect(late).toHaveLength(ending === 'stopped' ? 1 : 0);
      expect(getEventListeners(outside.signal, 'abort')).toEqual([]);
      expect(clock.pending).toBe(0);
    },
  );
});

describe('delay', () => {
  test.prop([fc.scheduler(), groups, fc.constantFrom(0, 60, 90)], { numRuns })(
    'delay is over when it is over or cancelled, whichever came first',
    async (scheduler, all, ms) => {
      const here = world();
      const { clock, outside, session } = here;
      const seen = settlements(delay(session.token, ms));
      let expected: 'fulfilled' | 'rejected' | undefined;
      await inSomeOrder(scheduler, [...all, 100], async (next) => {
        await here.run(next);
        // Acts come first in their tick, time passes after them.
        if (reasonAbove(here) !== undefined) expected ??= 'rejected';
        if (clock.now() >= ms) expected ??= 'fulfilled';
        expect(seen.map(({ status }) => status)).toEqual(expected === undefined ? [] : [expected]);
      });
      expect(seen).toHaveLength(1);
      expect(getEventListeners(outside.signal, 'abort')).toEqual([]);
      expect(clock.pending).toBe(0);
    },
  );
});

describe('shield', () => {
  test.prop([fc.scheduler(), groups, fc.boolean()], { numRuns })(
    'shield keeps a cancel out for the grace, and no longer',
    async (scheduler, all, cancelledBefore) => {
      const here = world();
      const { clock, outside, session, work } = here;
      const model = new Model({ manner: 'deaf', graceMs: 50, timeoutMs: Infinity }, { shielded: true });
      if (cancelledBefore) {
        model.apply(['cancel']);
        await here.run(['cancel']);
      }
      const seen = settlements(shield(session.token, () => work(), { graceMs: 50 }));
      await inSomeOrder(scheduler, all, async (next) => {
        model.apply(next);
        await here.run(next);
        expect(seen).toHaveLength(model.ending === undefined ? 0 : 1);
      });
      await finish(here, model);
      expect(seen).toHaveLength(1);
      const [settled] = seen;
      const killed = settled?.status === 'rejected' && isCancelledError(settled.reason);
      const ending = killed ? 'abandoned' : endingOf(settled!);
      expect(model.ending).toContain(ending);
      if (ending === 'abandoned' && !killed)
        expect((settled as PromiseRejectedResult).reason).toMatchObject({ limitMs: 50 });
      expect(getEventListeners(outside.signal, 'abort')).toEqual([]);
      expect(clock.pending).toBe(0);
    },
  );
});
