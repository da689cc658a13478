/**
 * A block that ends only when everything it started has ended.
 *
 * Invariants: nothing starts after the end; the first root cause is thrown unchanged and stops the rest; every
 * clean-up runs, once, last in first out.
 *
 * Prior art: Trio's nursery, Kotlin's `coroutineScope`, Java's `StructuredTaskScope`.
 *
 * @module
 */
import {
  noOptions,
  requireFunction,
  requireMs,
  requireOptions,
  type OptionsOnly,
  type OptionNames,
} from '../foundation/check.ts';
import type { Clock } from '../foundation/clock.ts';
import { abandonedWork, type AbandonedWork } from '../foundation/results/abandoned-work.ts';
import type { CancelReasonInit } from '../foundation/reason.ts';
import { callSafely, reportCallbackError } from '../token/tree/environment.ts';
import type { CancellationToken, TokenLike } from '../token/cancellation-token.ts';
import { cancelIfOverdue } from '../token/time/overdue.ts';
import { tokenOf } from '../token/bridge/linked-tokens.ts';
import { Source } from '../token/source.ts';
import { childOf, type Token } from '../token/token.ts';
import { keepForBody } from './engine/body.ts';
import type { Outcome } from './outcome.ts';
import { DEFAULT_GRACE_MS } from './engine/grace.ts';
import { errorFor, type EndedWork } from './engine/limits.ts';
import { startWork, type CancellableWork } from './engine/start-work.ts';
import { runShielded } from './engine/shielded.ts';

/**
 * What the body of a {@link scope} is given. Every function is bound.
 *
 * @since 0.1.0
 */
export interface ScopeContext {
  /** Cancelled when the scope is to stop: from above, by its limit, by `cancel`, or because something in it failed. */
  readonly token: CancellationToken;
  /** `token.signal`, made when first read. */
  readonly signal: AbortSignal;
  /**
   * Starts work beside the body. The scope waits for it whether the promise is awaited or not, and its failure stops
   * everything else in the scope. Once the scope has ended, or with arguments that make no sense, nothing is started: the
   * promise rejects, and the misuse is reported, for nobody may await it.
   *
   * @checkpoint always, before
   */
  readonly fork: <T>(
    work: CancellableWork<T>,
    options?: { readonly name?: string | undefined } & OptionsOnly,
  ) => Promise<T>;
  /** Registers clean-up: runs last in first out when everything has ended; after a stop each has the grace to do so. */
  readonly defer: (cleanup: (graceToken: CancellationToken) => unknown) => void;
  /** Tells everything in the scope to stop. Forks that end for it are no error; the body's value is still returned. */
  readonly cancel: (reason?: CancelReasonInit | string) => void;
}

/**
 * Options of {@link scope}.
 *
 * @since 0.1.0
 */
export interface ScopeOptions extends OptionsOnly {
  readonly name?: string | undefined;
  /** Milliseconds for the body and all forks together. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds that each piece of work, and each clean-up, may take after the stop; 1,000 by default. */
  readonly graceMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Told of every failure that is not the one the scope throws, and of work that was left behind. */
  readonly onSuppressed?: ((error: unknown) => void) | undefined;
}

const optionNames: OptionNames<ScopeOptions> = { name: 1, timeoutMs: 1, graceMs: 1, clock: 1, onSuppressed: 1 };

const forkOptions: OptionNames<ForkOptions> = { name: 1 };

type ForkOptions = NonNullable<Parameters<ScopeContext['fork']>[1]>;

type Stopped = Exclude<Outcome<unknown>, { readonly status: 'completed' | 'failed' }>;

/** What runs, what went wrong first, what is to be cleaned up. */
class Scope {
  readonly #source: Source;
  readonly #options: ScopeOptions;
  readonly #graceMs: number;
  readonly #deferred: ((graceToken: CancellationToken) => unknown)[] = [];
  #running = 0;
  #idle: (() => void) | undefined;
  #ended = false;
  #quiet = false;
  /** The name of the first work that was left behind. */
  #left: AbandonedWork | undefined;
  readonly #failures = new Set<unknown>();
  #cause: { readonly error: unknown } | undefined;
  /** The first stop that something in the scope ended for. */
  #stopped: Stopped | undefined;

  constructor(parent: Token, options: ScopeOptions) {
    this.#options = options;
    this.#graceMs = requireMs('graceMs', options.graceMs ?? DEFAULT_GRACE_MS, 'infinity-allowed');
    if (options.onSuppressed !== undefined) requireFunction('onSuppressed', options.onSuppressed);
    const { name, timeoutMs, clock } = options;
    // Last, for it arms a timer.
    this.#source = new Source(childOf(parent), { name, timeoutMs, clock });
  }

  context(): ScopeContext {
    const { token } = this.#source;
    return {
      token,
      get signal(): AbortSignal {
        return token.signal;
      },
      fork: (work, options = noOptions) => this.#fork(work, options),
      defer: (cleanup) => {
        requireFunction('defer(cleanup)', cleanup);
        if (this.#ended) throw new TypeError('the scope has ended: this clean-up would never run');
        this.#deferred.push(cleanup);
      },
      cancel: (reason) => {
        this.#quiet ||= this.#source.cancel(reason);
      },
    };
  }

  async run<T>(body: (scope: ScopeContext) => T | PromiseLike<T>): Promise<T> {
    const outcome = await new Promise<Outcome<T>>((resolve) => {
      const name = body.name === '' ? 'scope body' : body.name;
      // The body waits for its forks: while they unwind, it is not given up.
      this.#start(() => body(this.context()), name, resolve, this.#source.token);
    });
    // The end of one fork may start the next: look again after everybody has been told.
    while (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    this.#ended = true;
    await this.#cleanUp();
    const token = this.#source.token;
    this.#release(outcome);
    if (this.#cause !== undefined) throw this.#cause.error;
    if (outcome.status === 'completed' && (this.#stopped === undefined || this.#quiet)) return outcome.value;
    const stopped = this.#stopped ?? (outcome as Stopped);
    const left = stopped.status === 'cancelled' && this.#left !== undefined ? { abandoned: this.#left } : {};
    throw errorFor({ ...stopped, ...left }, { token, limits: this.#options });
  }

  /** A body that was returned stays in reach of a stop. */
  #release(outcome: Outcome<unknown>): void {
    if (outcome.status === 'completed' && keepForBody(this.#source, outcome.value)) return;
    this.#source.release();
  }

  #fork<T>(work: CancellableWork<T>, options: ForkOptions): Promise<T> {
    const made = new Promise<T>((resolve, reject) => {
      try {
        requireOptions(options, forkOptions);
        if (this.#ended) throw new TypeError('the scope has ended: nothing more can be started in it');
        this.#start(work, options.name, (outcome, error) => {
          if (outcome.status === 'completed') resolve(outcome.value);
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the work's own error, whatever it is
          else reject(error);
        });
      } catch (error) {
        // Misuse. Who forks without waiting would hear nothing of it.
        reportCallbackError(this.#source.token, error);
        throw error;
      }
    });
    // Whoever awaits it gets the error as well; the scope deals with it either way.
    made.catch(() => undefined);
    return made;
  }

  /** Starts one piece of work and sorts its outcome: a value, the stop that everybody got, or a cause. */
  #start<T>(
    work: CancellableWork<T>,
    name: string | undefined,
    done: (outcome: Outcome<T>, error: unknown) => void,
    holdsFor?: Token,
  ): void {
    const options = { name, graceMs: this.#options.graceMs };
    this.#running++;
    try {
      const onEnd = (outcome: Outcome<T>, ended: EndedWork): void => {
        // Inside the scope its limit is a cancel like any other.
        const error = outcome.status === 'completed' ? undefined : errorFor(outcome, ended);
        if (outcome.status === 'failed') this.#fail(error);
        else if (outcome.status !== 'completed') {
          this.#stopped ??= outcome;
          if (outcome.status === 'abandoned') {
            this.#left ??= abandonedWork(outcome.name, outcome.late);
            this.#suppress(error);
          }
        }
        done(outcome, error);
        // One round of microtasks for whoever waits for this fork and starts another.
        void Promise.resolve().then(() => {
          this.#forkEnded();
        });
      };
      startWork<T>(this.#source.token, work, options, onEnd, holdsFor);
    } catch (error) {
      this.#forkEnded();
      throw error;
    }
  }

  #forkEnded(): void {
    if (--this.#running === 0) this.#idle?.();
  }

  #fail(error: unknown): void {
    // The same error coming out again through the body that awaited the fork is not a second failure.
    if (this.#failures.has(error)) return;
    this.#failures.add(error);
    if (this.#cause !== undefined) {
      this.#suppress(error);
      return;
    }
    this.#cause = { error };
    this.#source.cancel({ kind: 'sibling', cause: error });
  }

  async #cleanUp(): Promise<void> {
    for (let clean = this.#deferred.pop(); clean !== undefined; clean = this.#deferred.pop()) {
      const cleanup = clean;
      await new Promise<void>((resolve) => {
        runShielded(this.#source.token, cleanup, this.#graceMs, (outcome, error) => {
          if (outcome.status !== 'completed') this.#failedToCleanUp(outcome, error);
          resolve();
        });
      });
    }
  }

  #failedToCleanUp(outcome: Exclude<Outcome<unknown>, { readonly status: 'completed' }>, error: unknown): void {
    // The end of a grace is not what went wrong: the stop that it is counted from was there first.
    const isLate = outcome.status !== 'failed' && this.#stopped !== undefined && !this.#quiet;
    if (isLate && outcome.status === 'abandoned') this.#left ??= abandonedWork(outcome.name, outcome.late);
    if (this.#cause === undefined && !isLate) this.#cause = { error };
    else this.#suppress(error);
  }

  #suppress(error: unknown): void {
    callSafely(this.#source.token, this.#options.onSuppressed, error);
  }
}

/**
 * Runs a block that may start work beside itself, and ends only when all of it has ended or was left behind after its
 * grace. One failure stops the rest.
 *
 * @checkpoint always, before; the body is not called if the token is cancelled
 * @fairness The first root cause is thrown unchanged; what it brought down goes to `onSuppressed`. A value beats a
 * cancel that came when everything was finished.
 * @cleanup Clean-ups run last in first out, each under a shield; then the scope's token is released.
 * @param token Whose stop.
 * @param body Gets `fork`, `defer`, `cancel` and the scope's token.
 * @param options Limits in milliseconds, a name.
 * @returns What the body returned.
 * @throws CancelledError – as a rejection: stopped from above.
 * @throws DeadlineExceededError – as a rejection: the scope's own limit passed, or the grace of a clean-up without a stop
 * that anybody is told of.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @throws Error – as a rejection: the first failure of the body, a fork or a clean-up, unchanged.
 * @example
 * ```ts
 * import { CancellationToken, scope } from 'desist'
 *
 * const log: string[] = []
 * const sum = await scope(CancellationToken.none, async ({ fork, defer }) => {
 *   defer(() => log.push('closed'))
 *   const [a, b] = await Promise.all([fork(() => 1), fork(() => 2)])
 *   return a + b
 * })
 * sum // => 3
 * log // => ['closed']
 * ```
 * @source Trio `open_nursery`
 * @since 0.1.0
 */
export async function scope<T>(
  token: TokenLike | null | undefined,
  body: (scope: ScopeContext) => T | PromiseLike<T>,
  options: ScopeOptions = {},
): Promise<T> {
  const parent = tokenOf(token);
  requireFunction('body', body);
  requireOptions(options, optionNames);
  cancelIfOverdue(parent);
  parent.throwIfCancelled();
  return new Scope(parent, options).run(body);
}
