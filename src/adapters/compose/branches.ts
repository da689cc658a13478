/**
 * Several pieces of work under one token: what stops them, what counts, and what was left behind. The library is told
 * of each branch in the only two words it tells apart: an error named AbortError is a stop, any other a failure.
 * Which of them a branch gets is decided here, by the token and not by the name.
 *
 * Invariants: every branch ends within its grace or is left behind and named; the first failure is thrown unchanged,
 * and every other is told to `onSuppressed` once; the source is released when the last branch has ended.
 *
 * Prior art: Trio's nursery; abort-controller-x.
 *
 * @module
 */
import {
  callSafely,
  type CancellableWork,
  type CancelReason,
  childOf,
  DEFAULT_GRACE_MS,
  errorFor,
  errorOf,
  isBody,
  type LateOutcome,
  type OptionNames,
  type Outcome,
  requireFunction,
  requireMs,
  requireOptions,
  type ScopeOptions,
  show,
  Source,
  startWork,
  type Token,
} from '../../core/inside.ts';
import { relay } from './relay.ts';

/**
 * Options of `all`, `race` and `spawn`: those of `scope`, and one for what came too late.
 *
 * @since 0.1.0
 */
export interface ComposeOptions extends ScopeOptions {
  /**
   * Told of values that came when the end was decided, and of what a branch that was left behind did in the end; the
   * outcome is the one that `withCancellation` reports: a value that came after the stop has `afterStop`.
   */
  readonly onLateSettle?: ((outcome: LateOutcome<unknown>) => void) | undefined;
}

type Completed = Extract<Outcome<unknown>, { readonly status: 'completed' }>;
type Stopped = Exclude<Outcome<unknown>, { readonly status: 'completed' | 'failed' }>;

/** Told how a branch ended: its outcome, and the error for whoever waits for it. */
export type BranchListener<T> = (outcome: Outcome<T>, error: unknown) => void;

/**
 * What `all` and `race` take. With the empty list in it, the compiler reads a list as a tuple.
 *
 * @since 0.1.0
 */
export type Works = readonly CancellableWork<unknown>[] | [];

/**
 * What the works of a list return, once awaited, in their order.
 *
 * @since 0.1.0
 */
export type Values<T extends Works> = {
  -readonly [K in keyof T]: Awaited<ReturnType<Extract<T[K], (...args: never) => unknown>>>;
};

/**
 * Refuses anything but a list of functions.
 *
 * @throws TypeError – it names the first one that is not.
 */
export function requireWorks(works: unknown): readonly CancellableWork<unknown>[] {
  if (!Array.isArray(works)) throw new TypeError(`works must be an array of functions, got ${show(works)}`);
  for (const [index, work] of works.entries()) requireFunction(`works[${String(index)}]`, work);
  return works as CancellableWork<unknown>[];
}

const optionNames: OptionNames<ComposeOptions> = {
  name: 1,
  timeoutMs: 1,
  graceMs: 1,
  clock: 1,
  onSuppressed: 1,
  onLateSettle: 1,
};

/** The branches of one composition. */
export class Branches {
  /** Of a clean-up; a branch that was given none has a default one, which waits for what stops inside it. */
  readonly cleanupGraceMs: number;
  readonly #options: ComposeOptions;
  readonly #source: Source;
  readonly #firstValueWins: boolean;
  readonly #running = new Set<Source>();
  readonly #stopped: Stopped[] = [];
  /** The composition itself, and every branch that has not ended. */
  #open = 1;
  #cause: { readonly error: unknown } | undefined;
  #winner: { readonly value: unknown } | undefined;

  constructor(parent: Token, options: ComposeOptions, firstValueWins = false) {
    requireOptions(options, optionNames);
    const { name, timeoutMs, graceMs, clock, onSuppressed, onLateSettle } = options;
    this.cleanupGraceMs = requireMs('graceMs', graceMs ?? DEFAULT_GRACE_MS, 'infinity-allowed');
    if (onSuppressed !== undefined) requireFunction('onSuppressed', onSuppressed);
    if (onLateSettle !== undefined) requireFunction('onLateSettle', onLateSettle);
    this.#options = options;
    this.#firstValueWins = firstValueWins;
    parent.throwIfCancelled();
    // Last, for it arms a timer.
    this.#source = new Source(childOf(parent), { name, timeoutMs, clock });
  }

  get token(): Token {
    return this.#source.token;
  }

  /** Starts a branch, unless it is too late. The promise is for the library; `listener` hears the whole of it. */
  start<T>(
    work: CancellableWork<T>,
    name: string,
    under: Token = this.token,
    listener?: BranchListener<T>,
  ): { readonly source: Source; readonly told: Promise<T> } {
    const source = new Source(childOf(under));
    this.#running.add(source);
    this.#open++;
    if (this.#winner !== undefined) this.#stopLoser(source);
    const { graceMs, onLateSettle } = this.#options;
    const told = new Promise<T>((resolve, reject) => {
      startWork<T>(source.token, work, { name, graceMs, onLateSettle }, (outcome, ended) => {
        this.#running.delete(source);
        const error = outcome.status === 'completed' ? undefined : errorFor(outcome, ended);
        if (outcome.status === 'completed') {
          this.#complete(outcome, listener !== undefined);
          resolve(outcome.value);
        } else if (outcome.status === 'failed') {
          reject(this.fail(error) ? new Error('A branch failed', { cause: error }) : errorOf(source.token));
        } else {
          this.#stopped.push(outcome);
          if (outcome.status === 'abandoned') this.#suppress(error);
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the work's own error, whatever it is
          reject(error);
        }
        listener?.(outcome, error);
        if (outcome.status === 'abandoned') void outcome.late.then(() => this.#leave(source));
        // A stop has to reach a body that is still to be read.
        else this.#leave(outcome.status === 'completed' && isBody(outcome.value) ? undefined : source);
      });
    });
    return { source, told };
  }

  /** Something failed: the first failure stops everything. */
  fail(error: unknown): boolean {
    if (this.#winner === undefined && this.#cause === undefined) {
      this.#cause = { error };
      this.#source.cancel({ kind: 'sibling', cause: error });
      return true;
    }
    // The same error coming out again through a body that waited for the branch is not a second failure.
    if (this.#cause?.error !== error) this.#suppress(error);
    return false;
  }

  /** A clean-up that did not complete. The end of its grace is not what went wrong where a stop was there first. */
  failedToCleanUp(outcome: Exclude<Outcome<unknown>, Completed>, error: unknown, isStopped: boolean): void {
    if (outcome.status === 'failed' || !isStopped || this.#cause !== undefined || !this.token.isCancelled) {
      this.fail(error);
      return;
    }
    this.#stopped.push(outcome);
    this.#suppress(error);
  }

  /** Runs the library over the branches that `start` makes, and says what came of it. */
  async settle<T>(start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const end = await relay(this.token, start).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const result = (this.#winner as { readonly value: T } | undefined) ?? end;
    const { token } = this;
    // The limit was for the call, not for what is left behind or still to be read.
    this.#source.cancelAfter(Infinity);
    const isOpen = this.#cause === undefined && 'value' in result && [result.value].flat().some(isBody);
    if (!isOpen) this.#leave();
    if (this.#cause !== undefined) throw this.#cause.error;
    if ('value' in result) return result.value;
    throw token.isCancelled ? this.#stopError(token) : result.error;
  }

  #complete(outcome: Completed, isHeard: boolean): void {
    if (this.#winner !== undefined || this.#cause !== undefined) {
      if (!isHeard) callSafely(this.token, this.#options.onLateSettle, outcome);
    } else if (this.#firstValueWins) {
      this.#winner = outcome;
      for (const loser of this.#running) this.#stopLoser(loser);
    }
  }

  /** One by one, and not all of them above: a winner that is a response still has its body to be read. */
  #stopLoser(source: Source): void {
    source.cancel({ kind: 'superseded', message: 'Another branch came first' });
  }

  #suppress(error: unknown): void {
    callSafely(this.token, this.#options.onSuppressed, error);
  }

  /** The one error of the cancel, unless this composition has something of its own to say. */
  #stopError(token: Token): unknown {
    const reason = token.reason as CancelReason;
    const completed = this.#stopped.find((stop) => stop.completed !== undefined)?.completed;
    const left = this.#stopped.filter((stop) => stop.status === 'abandoned');
    const [first] = left;
    const what = { reason, ...(completed === undefined ? {} : { completed }) };
    const outcome: Stopped =
      first === undefined
        ? { status: 'cancelled', ...what }
        : { ...first, ...what, name: left.map(({ name }) => name).join(', ') };
    return errorFor(outcome, { token, limits: this.#options });
  }

  #leave(branch?: Source): void {
    branch?.release();
    if (--this.#open === 0) this.#source.release();
  }
}
