/**
 * The cancellation of one call that we make for somebody: a child of the caller's token with limits of its own, and
 * the error to throw when it ended.
 *
 * Invariant: after `release()` nothing of the call hangs on the caller's token, and no limit is armed.
 *
 * Prior art: Go's `context.WithTimeout` plus `context.Cause`.
 *
 * @module
 */
import {
  type CancellationToken,
  type CancellationTokenSource,
  CancellationTokenSource as Sources,
  cancelIfOverdue,
  classify,
  type Clock,
  clockOf,
  DeadlineExceededError,
  errorOf,
  IdleWatch,
  type Releasable,
  requireMs,
  type TokenLike,
  tokenOf,
} from '../../core/inside.ts';

/** The limits of one call. */
export interface CallLimits {
  /** Names the call in reasons. */
  readonly name?: string | undefined;
  /** Milliseconds for all of it. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds without anything coming, counted only while somebody waits. */
  readonly idleMs?: number | undefined;
}

/** A call's own token, inside its caller's. */
export class CallScope {
  readonly #parents: readonly CancellationToken[];
  readonly #source: CancellationTokenSource;
  readonly #timeoutMs: number | undefined;
  readonly #idleMs: number | undefined;
  #idle: IdleWatch | undefined;
  #isWaiting = false;
  readonly #held: Releasable[] = [];

  /** @throws TypeError, RangeError – something that is no token, or a limit that makes no sense. */
  constructor(parents: readonly (TokenLike | null | undefined)[], limits: CallLimits) {
    const { name, timeoutMs, idleMs } = limits;
    if (idleMs !== undefined) requireMs('idleMs', idleMs, 'infinity-allowed');
    this.#parents = parents.map(tokenOf);
    this.#source = new Sources({ parent: this.#parents, name, timeoutMs });
    this.#timeoutMs = timeoutMs;
    this.#idleMs = idleMs;
  }

  get token(): CancellationToken {
    return this.#source.token;
  }

  get signal(): AbortSignal {
    return this.#source.signal;
  }

  get isCancelled(): boolean {
    return this.#source.isCancelled;
  }

  /** Whether nothing may start any more: it was cancelled, or a limit has passed while nothing let a timer run. */
  get isTooLate(): boolean {
    return cancelIfOverdue(tokenOf(this.#source.token));
  }

  /** Measures the limits; whatever waits on behalf of the call asks it too. */
  get clock(): Clock {
    return clockOf(tokenOf(this.#source.token));
  }

  /** The call's signal and another in one: fires with whichever is first, and is let go with the call. */
  signalWith(other: AbortSignal): AbortSignal {
    const both = new Sources({ parent: [this.#source.token, other] });
    this.#held.push(both);
    return both.signal;
  }

  /** Has this released with the call. */
  hold(one: Releasable): void {
    this.#held.push(one);
  }

  /** Whether `arm()` and `disarm()` do anything. */
  get countsIdleness(): boolean {
    return this.#idleMs !== undefined;
  }

  /** Starts counting idleness afresh: something came, or somebody began to wait. */
  arm(): void {
    const ms = this.#idleMs;
    if (ms === undefined || ms === Infinity || this.#source.isCancelled) return;
    if (this.#idle === undefined) {
      this.#idle = new IdleWatch(this.clock, ms, () => {
        this.#source.cancel({ kind: 'idle', message: `Nothing moved for ${String(ms)} ms` });
      });
    } else if (this.#isWaiting) this.#idle.progress();
    else this.#idle.resume();
    this.#isWaiting = true;
  }

  /** Stops counting idleness: nobody waits. */
  disarm(): void {
    if (this.#isWaiting) this.#idle?.pause();
    this.#isWaiting = false;
  }

  /** Stops the call from inside, without a word to the caller. */
  cancel(message: string): void {
    this.#source.cancel({ message });
  }

  /**
   * What to throw once the call is cancelled: the caller's cancel as it is, a limit of our own as the error of whoever
   * set a limit – told apart by the recorded reason, for the clock says nothing about who came first.
   */
  failure(): Error {
    const { reason } = this.#source;
    if (reason !== undefined && !this.#parents.some((parent) => parent.reason === reason)) {
      const limitMs = reason.kind === 'idle' ? this.#idleMs : reason.kind === 'deadline' ? this.#timeoutMs : undefined;
      if (limitMs !== undefined) return new DeadlineExceededError(limitMs, reason);
    }
    return errorOf(tokenOf(this.#source.token));
  }

  /** What to throw for an error of the call: our stop, if that is what it means; a failure that raced it stays one. */
  explain(error: unknown): unknown {
    const { reason } = this.#source;
    return reason !== undefined && classify(error, this.token).reason === reason ? this.failure() : error;
  }

  /** Unlinks the call; its state stays as it is. */
  release(): void {
    for (const one of this.#held.splice(0)) one.release();
    this.#idle?.release();
    this.#source.release();
  }
}
