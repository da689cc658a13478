/**
 * One piece of work under a token of its own: told to stop, waited for, left behind, cleaned up after.
 * On storey 1b as the engine of `withCancellation` and its relatives, which differ only in what they make of the
 * outcome.
 *
 * Invariants: the work is started at most once, and never under a cancelled token; `#finish` runs exactly once; when
 * it has run, no listener and no timer of ours is left, and the work's result is still observed.
 *
 * Prior art: Trio's cancel scopes; execa's clean-up ladder.
 *
 * @module
 */
import { isThenable } from '../foundation/check.ts';
import { classify } from '../foundation/classify.ts';
import { isCancelledError } from '../foundation/errors.ts';
import { pin } from '../foundation/pin.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Releasable } from '../foundation/disposable.ts';
import { callSafely, clockOf } from '../token/environment.ts';
import type { CancellationToken, Registration } from '../token/handles.ts';
import { listenKilled, listenWith } from '../token/listener.ts';
import { OWN } from '../token/node.ts';
import { Source, Token, shieldOf } from '../token/source.ts';
import { keepForBody } from './body.ts';
import { WorkContext, workContext, type CancelContext, type ContextHost } from './context.ts';
import { IdleWatch } from './idle.ts';
import type { LateOutcome, Outcome } from './settle.ts';

/**
 * How long to wait for work that was told to stop: `wait` up to the grace, `try` one turn of the event loop, `abandon`
 * not at all.
 *
 * @since 0.1.0
 */
export type SettlePolicy = 'abandon' | 'try' | 'wait';

/** What the engine has to know; the callers have validated it. */
export interface WorkSettings<T> {
  readonly settle: SettlePolicy;
  readonly graceMs: number;
  readonly idleMs: number;
  readonly name: string;
  readonly onLateSettle: ((outcome: LateOutcome<T>) => void) | undefined;
  /** The owner says when to give up, by `giveUp()`: neither a grace nor a kill does. */
  readonly ownerDecides?: boolean;
}

/** The engine. `source` is the work's own, and released here. */
export class Work<T> implements ContextHost {
  readonly #source: Source;
  readonly #settings: WorkSettings<T>;
  readonly #clock: Clock;
  #done: ((outcome: Outcome<T>) => void) | undefined;
  #onCancelled: Registration | undefined;
  #onKilled: Registration | undefined;
  #idle: IdleWatch | undefined;
  #timer: Releasable | undefined;
  #grace: Source | undefined;
  #graceEndsAt = Infinity;
  #commits = 0;
  #committed: { readonly value: unknown } | undefined;
  /** Set while the grace ended inside a commit: the work is left behind as soon as it is out. */
  #overdue = false;
  #late: ((outcome: LateOutcome<T>) => void) | undefined;

  constructor(source: Source, settings: WorkSettings<T>, done: (outcome: Outcome<T>) => void) {
    this.#source = source;
    this.#settings = settings;
    this.#clock = clockOf(source.token);
    this.#done = done;
  }

  get token(): Token {
    return this.#source.token;
  }

  /** Whether a limit of this work, rather than a cancel from above, ended it. */
  static endedByOwnLimit(token: Token): boolean {
    const kind = token.reason?.kind;
    return (token.flags & OWN) !== 0 && (kind === 'deadline' || kind === 'idle');
  }

  run(work: (context: CancelContext) => T | PromiseLike<T>): void;
  /** With a context of the owner's making. */
  run<C>(work: (context: C) => T | PromiseLike<T>, contextFor: (host: ContextHost) => C): void;
  run<C>(work: (context: C | CancelContext) => T | PromiseLike<T>, contextFor?: (host: ContextHost) => C): void {
    const { idleMs } = this.#settings;
    this.#onCancelled = listenWith(this.token, onCancelled, this as Work<unknown>);
    if (idleMs !== Infinity) {
      this.#idle = new IdleWatch(this.#clock, idleMs, () => {
        this.#source.cancel({ kind: 'idle', message: `Nothing moved for ${String(idleMs)} ms` });
      });
    }
    let result: T | PromiseLike<T>;
    let pending: boolean;
    try {
      result = work(contextFor === undefined ? workContext(this) : contextFor(this));
      pending = isThenable(result);
    } catch (error) {
      this.#finish(this.#verdict(error));
      return;
    }
    if (!pending) {
      this.#finish({ status: 'completed', value: result as T });
      return;
    }
    Promise.resolve(result).then(
      (value) => {
        this.#finish({ status: 'completed', value });
      },
      (error: unknown) => {
        this.#finish(this.#verdict(error));
      },
    );
  }

  graceToken(): CancellationToken {
    if (this.#grace === undefined) {
      this.#grace = new Source(shieldOf(this.token));
      if (this.#done === undefined) this.#endGrace();
      else if (this.#graceEndsAt !== Infinity)
        this.#grace.cancelAfter(Math.max(0, this.#graceEndsAt - this.#clock.now()));
    }
    return this.#grace.token;
  }

  progress(): void {
    this.#idle?.progress();
  }

  enterCommit(): void {
    this.#commits++;
  }

  leaveCommit(value: { readonly value: unknown } | undefined): void {
    this.#committed = value ?? this.#committed;
    if (--this.#commits > 0 || !this.#overdue) return;
    // What follows the commit gets one turn to return.
    this.#startTimer(0);
  }

  cancelled(): void {
    const { settle, graceMs } = this.#settings;
    this.#idle?.release();
    if (this.#settings.ownerDecides === true) return;
    if (settle === 'abandon') {
      // A result of the same tick is a result: its reaction is queued before this one.
      void Promise.resolve().then(() => {
        this.giveUp();
      });
      return;
    }
    this.#onKilled = listenKilled(this.token, () => {
      this.#killed();
    });
    const grace = settle === 'try' ? 0 : graceMs;
    // Killed at once: there is no grace to wait for.
    if (grace === Infinity || this.#done === undefined || this.token.isKilled) return;
    this.#graceEndsAt = this.#clock.now() + grace;
    this.#grace?.cancelAfter(grace);
    this.#startTimer(grace);
  }

  /** The grace ends now. What is inside a commit has one grace more, and then it is left behind all the same. */
  #killed(): void {
    this.#endGrace();
    const ms = this.#commits > 0 ? this.#settings.graceMs : 0;
    if (ms === Infinity) this.#overdue = true;
    else this.#startTimer(ms, true);
  }

  #startTimer(ms: number, force = false): void {
    this.#timer?.release();
    this.#timer = this.#clock.setTimer(
      () => {
        if (force) this.#abandon();
        else this.giveUp();
      },
      ms,
      { ref: true },
    );
  }

  /** Stops waiting for the work, except inside a commit. */
  giveUp(): void {
    // A commit runs to its end: leaving it behind would call a finished effect unknown.
    if (this.#commits > 0) this.#overdue = true;
    else this.#abandon();
  }

  #abandon(): void {
    const done = this.#done;
    const reason = this.token.reason;
    if (done === undefined || reason === undefined) return;
    this.#stopWaiting();
    this.#endGrace();
    const late = new Promise<LateOutcome<T>>((resolve) => {
      this.#late = resolve;
    });
    const completed = this.#committed;
    const { name } = this.#settings;
    done({ status: 'abandoned', reason, name, late, ...(completed === undefined ? {} : { completed }) });
  }

  #endGrace(): void {
    this.#grace?.cancel({ kind: 'deadline', message: 'The grace is over' });
  }

  #stopWaiting(): void {
    this.#done = undefined;
    this.#onCancelled?.unregister();
    this.#onKilled?.unregister();
    this.#idle?.release();
    this.#timer?.release();
  }

  /** The work itself has ended. */
  #finish(outcome: LateOutcome<T>): void {
    const done = this.#done;
    this.#stopWaiting();
    this.#grace?.release();
    if (outcome.status !== 'completed' || !keepForBody(this.#source, outcome.value)) this.#source.release();
    if (done !== undefined) {
      done(outcome);
      return;
    }
    this.#late?.(outcome);
    callSafely(this.token, this.#settings.onLateSettle, outcome);
  }

  #verdict(error: unknown): LateOutcome<T> {
    const reason = this.token.reason;
    // A failure that merely raced the cancel stays a failure, and so does a stop that was somebody else's.
    if (reason === undefined || classify(error, this.token).reason !== reason) return { status: 'failed', error };
    const { completed = this.#committed, abandoned } = isCancelledError(error) ? error : {};
    return {
      status: 'cancelled',
      reason,
      ...(completed === undefined ? {} : { completed }),
      ...(abandoned === undefined ? {} : { abandoned }),
    };
  }
}

function onCancelled(_reason: unknown, work: Work<unknown>): void {
  work.cancelled();
}

const settings = { settle: 'wait', graceMs: 0, idleMs: 0, name: '', onLateSettle: undefined } as const;
const pinned = new Work<unknown>(new Source(new Token(undefined)), settings, () => undefined);
pin(pinned);
pin(new WorkContext(pinned));
