/**
 * One piece of work under a token of its own: told to stop, waited for, left behind, cleaned up after.
 *
 * Invariants: the work is started at most once, and never under a cancelled token, clean-up excepted; `#finish` runs exactly
 * once, and not while a commit runs; when it has run, no listener and no timer of ours is left, and the work's result is
 * still observed.
 *
 * Prior art: Trio's cancel scopes; execa's clean-up ladder.
 *
 * @module
 */
import { isThenable, quoted } from '../../foundation/check.ts';
import { isStopBy } from '../../foundation/classify/error-shape.ts';
import { abandonedWork } from '../../foundation/results/abandoned-work.ts';
import { isCancelledError } from '../../foundation/errors.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import type { Releasable } from '../../foundation/disposable.ts';
import { callSafely, clockOf, reportCallbackError } from '../../token/tree/environment.ts';
import type { CancellationToken } from '../../token/cancellation-token.ts';
import type { Registration } from '../../token/tree/listeners.ts';
import { listenWith } from '../../token/tree/listeners.ts';
import { Source } from '../../token/source.ts';
import { Token, shieldOf } from '../../token/token.ts';
import { tellStopped } from '../../token/tree/owner.ts';
import type { GraceHolder } from '../../token/tree/node.ts';
import { isUnrun, keepForBody, unrunError } from './body.ts';
import { Commits, type Committed } from './commits.ts';
import { DEFAULT_GRACE_MS, Grace, dropHolder, setHolder } from './grace.ts';
import type { EndedWork, Limits } from './limits.ts';
import { workContext, type CancelContext, type ContextHost } from './work-context.ts';
import { IdleWatch } from './idle-watch.ts';
import type { LateOutcome, Outcome } from '../outcome.ts';

/**
 * How long to wait for work that was told to stop: `wait` up to the grace, `try` one turn of the event loop, `abandon`
 * not at all.
 *
 * @since 0.1.0
 */
export type SettlePolicy = 'abandon' | 'try' | 'wait';

/** What was said of how work is stopped, validated. */
export interface WorkSettings {
  /** `wait` by default. */
  readonly settle?: SettlePolicy | undefined;
  readonly graceMs: number;
  /** The grace was given on the call itself: kept to the letter, also while something below is inside its own. */
  readonly isExactGrace?: boolean | undefined;
  /** Whether an error is how this client says that it was aborted. */
  readonly isStop?: ((error: unknown) => boolean) | undefined;
}

/** Whose work it is: what the engine has to know, and whom it tells. */
export interface WorkOwner<T> {
  readonly settings: WorkSettings;
  /** No limit by default. */
  readonly idleMs?: number | undefined;
  readonly name: string;
  /**
   * The owner says when to give up, by `giveUp()`: neither a grace nor a kill does. It takes part in the graces of
   * others by a {@link Grace} of its own, which it names with `setHolder` on the token below which its calls stand. The
   * token is not released: it is not the work's alone.
   */
  readonly ownerDecides?: boolean;
  /** Nobody reads on under the work's token: what its value would only begin to do when it is read does not happen. */
  readonly endsWithValue?: boolean | undefined;
  /** Clean-up: it is started under a cancelled token, too. */
  readonly startsStopped?: boolean;
  /** What the work was given as its own limit, for the error that says so. */
  readonly timeoutMs?: number | undefined;
  /** A token whose other children this work waits for, as a body does: it is held while they stop. */
  readonly holdsFor?: Token | undefined;
  /** The outcome of the work, once. */
  done(outcome: Outcome<T>, ended: EndedWork): void;
  /** Work that was given up has ended after all. */
  readonly endedLate?: ((outcome: LateOutcome<T>) => void) | undefined;
  /** The token was cancelled, and the work is about to hear of it. */
  stopping?(reason: CancelReason): void;
}

const soon = /* @__PURE__ */ Promise.resolve();

/**
 * The engine. `source` is the work's own, and released here.
 *
 * An owner that makes its own context gives it to `run`. Whatever it is, a work with a grace holds the work
 * above it from the cancel until it has ended or was given up (see {@link Grace}), and is held by what stands below.
 */
export class Work<T> implements ContextHost, GraceHolder, EndedWork {
  // See `Cancellation`.
  static readonly pinned: unknown = /* @__PURE__ */ pinned(Work);
  readonly #source: Source;
  readonly #owner: WorkOwner<T>;
  readonly #clock: Clock;
  /** Somebody waits for the outcome. */
  #isAwaited = true;
  #onCancelled: Registration | undefined;
  #idle: IdleWatch | undefined;
  #idleMs: number;
  #grace: Grace | undefined;
  #graceSource: Source | undefined;
  #commits: Commits | undefined;
  #stoppedAt: number | undefined;
  /** The tick of the stop is over: a value that comes now came after it. */
  #isAfterStop = false;
  /** Set while the grace ended inside a commit: the work is left behind as soon as it is out. */
  #isOverdue = false;
  #timer: Releasable | undefined;
  /** Whether the work was called. */
  hasBegun = false;
  #late: ((outcome: LateOutcome<T>) => void) | undefined;

  constructor(source: Source, owner: WorkOwner<T>) {
    this.#source = source;
    this.#owner = owner;
    this.#idleMs = owner.idleMs ?? Infinity;
    this.#clock = clockOf(source.token);
  }

  get token(): Token {
    return this.#source.token;
  }

  get limits(): Limits {
    return { timeoutMs: this.#owner.timeoutMs, idleMs: this.#idleMs };
  }

  run(work: (context: CancelContext) => T | PromiseLike<T>): void;
  /** With a context of the owner's making. */
  run<C>(work: (context: C) => T | PromiseLike<T>, context: C): void;
  run<C>(work: (context: C | CancelContext) => T | PromiseLike<T>, context?: C): void {
    const { token } = this;
    const { reason } = token;
    // Whoever was told that it starts may have stopped it.
    if (reason !== undefined && this.#owner.startsStopped !== true) {
      this.#owner.stopping?.(reason);
      this.#finish({ status: 'cancelled', reason });
      return;
    }
    this.hasBegun = true;
    this.#onCancelled = listenWith(token, onCancelled, this as Work<unknown>);
    const { ownerDecides, holdsFor } = this.#owner;
    if (ownerDecides !== true) setHolder(token, this);
    if (holdsFor !== undefined) setHolder(holdsFor, this);
    if (this.#idleMs !== Infinity) this.#watchIdle();
    let result: T | PromiseLike<T>;
    let pending: boolean;
    try {
      result = work(context ?? workContext(this));
      pending = isThenable(result);
    } catch (error) {
      this.#finish(this.#verdict(error));
      return;
    }
    if (!pending) {
      this.#finish(this.#returned(result as T));
      return;
    }
    Promise.resolve(result).then(
      (value) => {
        this.#finish(this.#returned(value));
      },
      (error: unknown) => {
        this.#finish(this.#verdict(error));
      },
    );
  }

  #returned(value: T): LateOutcome<T> {
    const { endsWithValue, name } = this.#owner;
    if (isUnrun(value, endsWithValue === true)) return { status: 'failed', error: unrunError(quoted(name)) };
    return this.#isLate(value) ? { status: 'completed', value, afterStop: true } : { status: 'completed', value };
  }

  /** Whether a value came after the stop; one that a commit made was on its way before. */
  #isLate(value: T): boolean {
    if (!this.#isAfterStop || !this.#isAwaited) return false;
    const committed = this.#commits?.committed;
    return committed === undefined || !Object.is(committed.value, value);
  }

  graceToken(): CancellationToken {
    if (this.#graceSource === undefined) {
      this.#graceSource = new Source(shieldOf(this.token));
      if (!this.#isAwaited) this.#endGrace();
      else this.#moveGraceToken();
    }
    return this.#graceSource.token;
  }

  progress(idleMs?: number): void {
    if (idleMs !== undefined && idleMs !== this.#idleMs) {
      this.#idleMs = idleMs;
      this.#idle?.release();
      this.#idle = undefined;
      if (idleMs !== Infinity && this.#isAwaited && !this.token.isCancelled) this.#watchIdle();
    } else this.#idle?.progress();
  }

  #watchIdle(): void {
    const idleMs = this.#idleMs;
    this.#idle = new IdleWatch(this.#clock, idleMs, () => {
      this.#source.cancel({ kind: 'idle', message: `Nothing moved for ${String(idleMs)} ms` });
    });
  }

  /** From here on the work is not left behind. */
  enterCommit(limitMs: number): void {
    (this.#commits ??= new Commits()).enter(limitMs);
  }

  leaveCommit(committed: Committed | undefined): void {
    const commits = this.#commits as Commits;
    commits.leave(committed, this.token.isCancelled);
    const { finish, running } = commits;
    if (finish === undefined || running > 0) {
      this.#hasLeft();
      return;
    }
    commits.finish = undefined;
    finish();
  }

  /** The same for work that waits for others: it may end before. */
  enterWait(): void {
    (this.#commits ??= new Commits()).begin();
  }

  leaveWait(): void {
    this.#commits?.end();
    this.#hasLeft();
  }

  /** When it was told to stop, if it was. */
  get stoppedAt(): number | undefined {
    return this.#stoppedAt;
  }

  /** What its commits have made so far. */
  get committed(): Committed | undefined {
    return this.#commits?.committed;
  }

  #hasLeft(): void {
    // What follows the commit gets one turn to return.
    if (this.#isOverdue && this.#isAwaited && !isOpen(this.#commits)) this.#abandonIn(0);
  }

  hold(): void {
    this.#graceOf().hold();
    this.#moveGraceToken();
  }

  letGo(): void {
    this.#graceOf().letGo();
    this.#moveGraceToken();
  }

  #graceOf(): Grace {
    const { settle = 'wait', graceMs, isExactGrace = false } = this.#owner.settings;
    // `try` means one turn of the event loop, whatever is below.
    const isExact = isExactGrace || settle !== 'wait';
    return (this.#grace ??= new Grace(
      this.#clock,
      this.token,
      settle === 'wait' ? graceMs : 0,
      isExact,
      () => {
        if (this.token.isKilled) this.#abandon();
        else this.giveUp();
      },
      this,
    ));
  }

  /** Clean-up is allowed for as long as somebody waits for it. */
  #moveGraceToken(): void {
    const endsAt = this.#grace?.endsAt ?? Infinity;
    if (this.#stoppedAt === undefined || !this.#isAwaited) return;
    this.#graceSource?.cancelAfter(Math.max(0, endsAt - this.#clock.now()));
  }

  cancelled(reason: CancelReason): void {
    this.#owner.stopping?.(reason);
    this.#idle?.release();
    this.#stoppedAt = this.#clock.now();
    // Behind the reactions to what was settled in this tick.
    void soon.then(nothing).then(() => {
      this.#isAfterStop = true;
    });
    if (this.#owner.ownerDecides === true || !this.#isAwaited) return;
    this.#graceOf().start();
    if (this.#owner.settings.settle === 'abandon') {
      // A result of the same tick is a result: its reaction is queued before this one.
      void soon.then(() => {
        this.giveUp();
      });
    } else this.#moveGraceToken();
  }

  /** The grace ends now. What is inside a commit has one more, a second at most, and is then left behind all the same. */
  killed(): number {
    this.#endGrace();
    const commits = this.#commits;
    this.#isOverdue = isOpen(commits);
    this.#timer?.release();
    return isOpen(commits) ? Math.min(this.#owner.settings.graceMs, DEFAULT_GRACE_MS, commits.limitMs) : 0;
  }

  #abandonIn(ms: number): void {
    this.#timer?.release();
    this.#timer = this.#clock.setTimer(
      () => {
        this.#abandon();
      },
      ms,
      { ref: true },
    );
  }

  /** Stops waiting for the work; what is inside a commit has until its own limit. */
  giveUp(): void {
    const commits = this.#commits;
    // Leaving a commit behind would call a finished effect unknown.
    if (!isOpen(commits)) {
      this.#abandon();
      return;
    }
    if (this.#isOverdue) return;
    this.#isOverdue = true;
    const ms = (this.#stoppedAt ?? Infinity) + commits.limitMs - this.#clock.now();
    if (ms !== Infinity) this.#abandonIn(Math.max(0, ms));
  }

  #abandon(): void {
    const reason = this.token.reason;
    if (!this.#isAwaited || reason === undefined) return;
    this.#stopWaiting();
    this.#endGrace();
    const late = new Promise<LateOutcome<T>>((resolve) => {
      this.#late = resolve;
    });
    const completed = this.#commits?.committed;
    const { name } = this.#owner;
    tellStopped(this.token, { reason, abandoned: abandonedWork(name, late) });
    this.#owner.done(
      { status: 'abandoned', reason, name, late, ...(completed === undefined ? {} : { completed }) },
      this,
    );
  }

  #endGrace(): void {
    this.#graceSource?.cancel({ kind: 'deadline', message: 'The grace is over' });
  }

  #stopWaiting(): void {
    this.#isAwaited = false;
    this.#onCancelled?.unregister();
    this.#idle?.release();
    this.#timer?.release();
    this.#grace?.end();
    dropHolder(this.token, this);
    const { holdsFor } = this.#owner;
    if (holdsFor !== undefined) dropHolder(holdsFor, this);
  }

  /** Whether a commit of the work goes on, and is part of it: then the work is over with that. */
  #goesOn(commits: Commits, outcome: LateOutcome<T>): boolean {
    if (commits.running === 0) return false;
    commits.finish = () => {
      this.#finish(this.#withCommitted(outcome));
    };
    return true;
  }

  #withCommitted(outcome: LateOutcome<T>): LateOutcome<T> {
    const completed = this.#commits?.committed;
    return outcome.status !== 'cancelled' || completed === undefined ? outcome : { completed, ...outcome };
  }

  /** The work itself has ended. */
  #finish(outcome: LateOutcome<T>): void {
    if (this.#commits !== undefined && this.#goesOn(this.#commits, outcome)) return;
    const isAwaited = this.#isAwaited;
    this.#stopWaiting();
    this.#graceSource?.release();
    const isOwn = this.#owner.ownerDecides !== true;
    if (isOwn && (outcome.status !== 'completed' || !keepForBody(this.#source, outcome.value))) this.#source.release();
    if (isAwaited) {
      this.#owner.done(outcome, this);
      return;
    }
    this.#late?.(outcome);
    callSafely(this.token, (late: LateOutcome<T>) => this.#owner.endedLate?.(late), outcome);
  }

  #verdict(error: unknown): LateOutcome<T> {
    const reason = this.token.reason;
    // A failure that merely raced the cancel stays a failure, and so does a stop that was somebody else's.
    if (reason === undefined || !(isStopBy(error, reason) || this.#isStop(error))) {
      return { status: 'failed', error };
    }
    const { completed, abandoned } = isCancelledError(error) ? error : {};
    return this.#withCommitted({
      status: 'cancelled',
      reason,
      ...(completed === undefined ? {} : { completed }),
      ...(abandoned === undefined ? {} : { abandoned }),
    });
  }

  #isStop(error: unknown): boolean {
    try {
      return this.#owner.settings.isStop?.(error) === true;
    } catch (thrown) {
      reportCallbackError(this.token, thrown);
      return false;
    }
  }
}

function isOpen(commits: Commits | undefined): commits is Commits {
  return commits !== undefined && commits.open > 0;
}

function nothing(): void {
  // Takes one turn of the microtask queue.
}

function onCancelled(reason: CancelReason, work: Work<unknown>): void {
  work.cancelled(reason);
}

function pinned(type: typeof Work): unknown {
  const owner = { settings: { graceMs: 0 }, name: '', done: () => undefined };
  return new type<unknown>(new Source(new Token(undefined)), owner);
}
