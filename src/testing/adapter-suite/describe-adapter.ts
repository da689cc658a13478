/**
 * Puts a function that takes a token through the laws that every adapter of this package keeps.
 *
 * Prior art: unstorage's driver suite.
 *
 * @module
 */
import { requireOptions, type OptionNames } from '../../core/inside.ts';
import { setTimeout } from 'node:timers';

import type { CancelReason, TokenLike } from '../../index.ts';
import { adapterLaws, type AdapterStage } from './adapter-laws.ts';
import { pause, tooLate, waitUntil } from '../waiting.ts';
import { failUnheard } from './unheard-rejections.ts';

/**
 * One call under test. What it cannot do is left out, and the laws that need it do not apply.
 *
 * @since 0.1.0
 */
export interface AdapterCall {
  /** What the adapter gave its caller. */
  readonly done: PromiseLike<unknown>;
  /** Resolves once the work behind the adapter has begun. */
  readonly begun: PromiseLike<unknown>;
  /** Whether that work runs now, by a witness that is not the adapter: the server's socket, the process table, a counter. */
  readonly isRunning: () => boolean | Promise<boolean>;
  /** Lets the work end normally. */
  readonly finish?: (() => unknown) | undefined;
  /** Lets the work fail, with this error where it can carry one. */
  readonly fail?: ((error: Error) => unknown) | undefined;
}

/**
 * How the suite gets at an adapter.
 *
 * @since 0.1.0
 */
export interface AdapterHarness {
  /** What the adapter is called in what the suite says. */
  readonly name: string;
  /** Makes one call, whose work goes on until it is stopped, or told to finish or to fail. */
  readonly start: (token: TokenLike | undefined) => AdapterCall;
  /** For an adapter that resolves when it was stopped: by what, according to the value. One that rejects needs none. */
  readonly reasonOf?: ((value: unknown) => CancelReason | undefined) | undefined;
  /** How many calls are made at once under one token; 200 by default, fewer where a call is a process. */
  readonly atOnce?: number | undefined;
}

/**
 * Options of {@link describeAdapter}.
 *
 * @since 0.1.0
 */
export interface DescribeAdapterOptions {
  /** How long to wait for what has to happen, in milliseconds; 5,000 by default. It costs time only where a law fails. */
  readonly settleMs?: number | undefined;
  /** How long to watch that nothing happens any more, in milliseconds; 50 by default. */
  readonly quietMs?: number | undefined;
}

/**
 * What one law came to.
 *
 * @since 0.1.0
 */
export interface AdapterVerdict {
  readonly law: string;
  readonly status: 'passed' | 'failed' | 'notApplicable';
  /** What was wrong, or what is missing. */
  readonly why?: string | undefined;
}

function stageOf(harness: AdapterHarness, { settleMs = 5_000, quietMs = 50 }: DescribeAdapterOptions): AdapterStage {
  return {
    harness,
    quiet: () => pause(quietMs),
    within: (what, promise) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(tooLate(what, settleMs));
        }, settleMs);
        const end = (): void => {
          clearTimeout(timer);
        };
        promise.then(resolve, reject).then(end, end);
      }),
    until: (what, isSo) => waitUntil(what, isSo, settleMs),
  };
}

const optionNames: OptionNames<DescribeAdapterOptions> = { settleMs: 1, quietMs: 1 };

/**
 * Plays the laws one after the other: what a stop does before, during and after a call, with a token, an `AbortSignal` and
 * nothing, for every kind of reason and for many calls at once; and that a call leaves nothing on its token.
 *
 * Laws that need `finish` or `fail` do not apply to a call without it. A verdict is data, so one assertion in any runner
 * is enough.
 *
 * @param harness The adapter, and how its calls are made.
 * @param options How patient to be.
 * @returns One verdict for each law; it never rejects because a law fails.
 * @throws TypeError, RangeError – the harness is none, or a limit. As a rejection.
 * @cleanup Each law ends its calls by a stop; what an adapter leaves running is its own fault, and named.
 * @example A function of one's own
 * ```ts
 * import { withCancellation } from 'desist'
 * import { deferred, describeAdapter } from 'desist/testing'
 *
 * const verdicts = await describeAdapter({
 *   name: 'download',
 *   start(token) {
 *     const [begun, end] = [deferred<void>(), deferred<string>()]
 *     let running = 0
 *     const done = withCancellation(token, async ({ signal }) => {
 *       running += 1
 *       begun.resolve()
 *       signal.addEventListener('abort', () => end.reject(signal.reason as Error))
 *       return end.promise.finally(() => (running -= 1))
 *     })
 *     return { done, begun: begun.promise, isRunning: () => running > 0, finish: () => end.resolve('all of it'), fail: end.reject }
 *   },
 * })
 * verdicts.filter(({ status }) => status !== 'passed') // => []
 * ```
 * @source unstorage `test/drivers/utils.ts`
 * @since 0.1.0
 */
export async function describeAdapter(
  harness: AdapterHarness,
  options: DescribeAdapterOptions = {},
): Promise<AdapterVerdict[]> {
  const given = harness as Partial<AdapterHarness> | null | undefined;
  if (typeof given?.start !== 'function')
    throw new TypeError(`describeAdapter(harness) needs start(), got ${typeof given?.start}`);
  const { atOnce = 200 } = harness;
  if (!Number.isSafeInteger(atOnce) || atOnce < 1)
    throw new RangeError(`harness.atOnce must be a whole number from 1, got ${String(atOnce)}`);
  requireOptions(options, optionNames);
  for (const [name, ms] of Object.entries({ settleMs: 0, quietMs: 0, ...options })) {
    if (ms !== undefined && !(ms >= 0 && ms < Infinity))
      throw new RangeError(`options.${name} must be a time in ms, got ${String(ms)}`);
  }
  const stage = stageOf(harness, options);
  const verdicts: AdapterVerdict[] = [];
  for (const [law, play] of Object.entries(adapterLaws)) {
    let missing: string | undefined;
    try {
      await failUnheard(async () => {
        missing = await play(stage);
      });
      if (missing === undefined) verdicts.push({ law, status: 'passed' });
      else verdicts.push({ law, status: 'notApplicable', why: `its calls have no ${missing}()` });
    } catch (error) {
      verdicts.push({ law, status: 'failed', why: error instanceof Error ? error.message : String(error) });
    }
  }
  return verdicts;
}
