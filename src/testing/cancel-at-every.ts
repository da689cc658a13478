/**
 * Cancels a scenario at every place where it awaits, one place per run.
 *
 * Prior art: fault injection at every allocation (SQLite's `oom` tests); Trio's checkpoint tests.
 *
 * @module
 */
import { requireOptions, type OptionNames } from '../core/inside.ts';
import { createHook, executionAsyncId } from 'node:async_hooks';

import { CancellationTokenSource, type CancellationToken } from '../index.ts';
import { saysStopped, StopErrors } from './swallowed.ts';
import { VirtualClock } from './virtual-clock.ts';

/**
 * What a scenario is given.
 *
 * @since 0.1.0
 */
export interface CutScenario {
  /** Cancelled at the step of this run, on the scenario's clock. */
  readonly token: CancellationToken;
  readonly signal: AbortSignal;
  /** Goes on by itself whenever nothing else does. */
  readonly clock: VirtualClock;
  /** Does this at the step of this run as well: `onCut(() => agent.kill())`. */
  readonly onCut: (fn: () => void) => void;
}

/**
 * What one run came to.
 *
 * @since 0.1.0
 */
export interface CutRun<T> {
  /** Where it was cut: 0 is before it began. */
  readonly step: number;
  /** Whether the run got that far; the last one does not, and is the scenario undisturbed. */
  readonly isCut: boolean;
  /** Whether the stop was thrown at the scenario, as an error, and it returned a value that does not say so. */
  readonly isSwallowed: boolean;
  readonly result: PromiseSettledResult<T>;
}

/**
 * The error of a series that failed.
 *
 * @since 0.1.0
 */
export interface CutError extends Error {
  /** Where the failing run was cut. */
  readonly step: number;
  /** Runs that one again: `cancelAtEvery(scenario, { check, replay: 'cut@7' })`. */
  readonly replay: CutReplay;
}

/**
 * One run of a series, as text.
 *
 * @since 0.1.0
 */
export type CutReplay = `cut@${number}`;

/**
 * Options of {@link cancelAtEvery}.
 *
 * @since 0.1.0
 */
export interface CancelAtEveryOptions<T> {
  /** Looks at each run; what it throws ends the series, with the step in the message. */
  readonly check: (run: CutRun<T>) => void | Promise<void>;
  /** Gives up on a scenario with more steps than this; 10,000 by default. */
  readonly maxSteps?: number | undefined;
  /** Whether a run may swallow its stop, for work that is meant to end all the same; otherwise it fails. */
  readonly allowSwallowed?: boolean | undefined;
  /** Only this run, from the `replay` of an error. */
  readonly replay?: CutReplay | undefined;
}

/**
 * What a scenario goes on with, in JavaScript alone. While Node hands over what a socket or a file has brought, an abort would
 * destroy what Node is still reading from.
 */
const steps: ReadonlySet<string> = new Set(['PROMISE', 'TickObject', 'Microtask', 'Timeout', 'Immediate']);

/** Turns of the event loop, each with its timers, after which a run that has not settled never will. */
const MAX_ROUNDS = 1_000;

const optionNames: OptionNames<CancelAtEveryOptions<never>> = { check: 1, maxSteps: 1, allowSwallowed: 1, replay: 1 };

/**
 * Runs a scenario once for every place where it awaits something, and for every checkpoint of its token and signal
 * (`throwIfCancelled`, `throwIfAborted`), and cancels it there. The scenario must do the same each time: its own randomness and real time make steps that mean nothing.
 *
 * A stop is swallowed if it was thrown at the scenario – by the token, its signal, or a promise that was awaited – and
 * the scenario returned all the same. Step 0 is before the scenario begins: its signal is aborted already, and an `abort` listener
 * that is added then is never called. A value that has, or holds, the `status` `'cancelled'` or `'abandoned'` owns up to it.
 *
 * @checkpoint never
 * @cleanup A run that leaves a timer on its clock fails.
 * @param scenario Gets a fresh token and clock for each run.
 * @param options `check`, how many steps are too many, and the run to repeat.
 * @returns How many steps there were.
 * @throws TypeError, RangeError – an option is not what it should be. CutError – as a rejection: a run did not settle, left a timer, swallowed its stop, or its check threw (the
 * `cause`); names the first such step, and how to repeat it.
 * @example
 * ```ts
 * import { delay } from 'desist'
 * import { cancelAtEvery } from 'desist/testing'
 *
 * const steps = await cancelAtEvery(
 *   async ({ token }) => {
 *     await delay(token, 100)
 *     await delay(token, 100)
 *     return 'done'
 *   },
 *   { check: ({ isCut, result }) => console.assert(isCut || result.status === 'fulfilled') },
 * )
 * steps > 2 // => true
 * ```
 * @since 0.1.0
 */
export async function cancelAtEvery<T>(
  scenario: (cut: CutScenario) => T | Promise<T>,
  options: CancelAtEveryOptions<T>,
): Promise<number> {
  requireOptions(options, optionNames);
  const { check, maxSteps = 10_000, allowSwallowed = false, replay } = options;
  if (typeof scenario !== 'function') throw new TypeError('scenario must be a function');
  if (typeof check !== 'function') throw new TypeError('options.check must be a function');
  if (!Number.isSafeInteger(maxSteps) || maxSteps < 0)
    throw new RangeError(`options.maxSteps must be a whole number from 0, got ${String(maxSteps)}`);
  const only = replay === undefined ? undefined : stepOf(replay);
  for (let step = only ?? 0; step <= maxSteps; step++) {
    let run: CutRun<T>;
    try {
      run = await runCut(scenario, step);
      if (run.isSwallowed && !allowSwallowed) throw new Error('the stop was swallowed: the scenario returned normally');
      await check(run);
    } catch (error) {
      throw cutError(step, error);
    }
    if (only === undefined ? !run.isCut : run.isCut) return step;
    if (only !== undefined) throw new RangeError(`options.replay: the scenario ends before step ${String(step)}`);
  }
  throw new Error(`the scenario has more than ${String(maxSteps)} steps; does it do the same each time?`);
}

function stepOf(replay: unknown): number {
  const [, digits] = /^cut@(\d+)$/.exec(String(replay)) ?? [];
  if (digits === undefined) throw new TypeError(`options.replay must be 'cut@<step>', got ${String(replay)}`);
  return Number(digits);
}

function cutError(step: number, cause: unknown): CutError {
  const replay: CutReplay = `cut@${String(step) as `${number}`}`;
  const message = cause instanceof Error ? cause.message : String(cause);
  const error = new Error(`cut at step ${String(step)}: ${message} (again: { replay: '${replay}' })`, { cause });
  return Object.assign(error, { step, replay });
}

async function runCut<T>(scenario: (cut: CutScenario) => T | Promise<T>, step: number): Promise<CutRun<T>> {
  const clock = new VirtualClock();
  const source = new CancellationTokenSource({ clock });
  const extra: (() => void)[] = [];
  let isCut = false as boolean;
  let isRunning = true as boolean;
  const cut = (): void => {
    isCut = true;
    source.cancel({ kind: 'user', message: `Cut at step ${String(step)}` });
    for (const fn of extra) fn();
  };
  const { token, signal } = source;
  let count = 0;
  const onStep = (): void => {
    if (++count === step) cut();
  };
  const errors = new StopErrors(token, () => {
    if (isRunning) onStep();
  });
  const onCut = (fn: () => void): void => {
    extra.push(fn);
    if (isCut) fn();
  };
  if (step === 0) cut();
  const settled = await countSteps(() => scenario({ token, signal, clock, onCut }), clock, onStep, errors);
  isRunning = false;
  const returned = isCut && settled.status === 'fulfilled' && !saysStopped(settled.value);
  const isSwallowed = returned && (await errors.wereThrown());
  source.release();
  if (clock.pending > 0) throw new Error(`${String(clock.pending)} timers are left on the clock`);
  return { step, isCut, isSwallowed, result: settled };
}

/** Runs the scenario to its end, and says each time that one of its own awaits goes on. */
async function countSteps<T>(
  run: () => T | Promise<T>,
  clock: VirtualClock,
  onStep: () => void,
  errors: StopErrors,
): Promise<PromiseSettledResult<T>> {
  const own = new Map<number, string>();
  let inside = false;
  const hook = createHook({
    init(id, type, _trigger, resource) {
      if (!inside && !own.has(executionAsyncId())) return;
      own.set(id, type);
      if (type === 'PROMISE') errors.add(resource);
    },
    before(id) {
      if (steps.has(own.get(id) ?? '')) onStep();
    },
    destroy(id) {
      own.delete(id);
    },
  });
  let result: PromiseSettledResult<T> | undefined;
  hook.enable();
  try {
    inside = true;
    const running = (async () => run())();
    inside = false;
    running.then(
      (value) => (result = { status: 'fulfilled', value }),
      (reason: unknown) => (result = { status: 'rejected', reason }),
    );
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (result !== undefined) return result;
      await clock.advance(round % 2 === 0 ? 0 : Math.max(0, (clock.nextAt ?? clock.now()) - clock.now()));
    }
    throw new Error('the scenario does not settle; time goes on for what hangs on its token, signal or clock alone');
  } finally {
    hook.disable();
  }
}
