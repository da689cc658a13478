/**
 * The engine of every call to work that has a name on another machine and outlives the request that started it: told
 * once, waited for within the grace, then cut and named.
 *
 * Invariants:
 *
 * - **W1** The other side is asked to cancel at most once, and never for work that is known to have ended. What has arrived
 *   by then is heard first: the question waits for a turn of the event loop that brings nothing more, in half of the grace.
 * - **W2** Nothing is cut before the grace is over: what is read on may be the name that a cancel needs.
 * - **W3** When the call settles, or its last limit has passed, the signal of whatever request is still open – the
 *   work's own, the question – has fired, and no timer is left. That of a request that has ended never fires: clients
 *   that leave a listener on it would announce finished work as cancelled.
 *
 * Prior art: the protocol's `tasks/cancel` of MCP, `CancelTask` of A2A; Kubernetes' termination grace.
 *
 * @module
 */
import {
  callSafely,
  type CancelContext,
  type Clock,
  clockOf,
  createCancelledError,
  DEFAULT_GRACE_MS,
  errorOf,
  neutralReason,
  type Releasable,
  requireOneOf,
  tokenOf,
} from '../../../core/inside.ts';
import {
  type RemoteContext,
  type RemoteEnd,
  remoteName,
  type RemoteWord,
  type RemoteWorkOptions,
  requireId,
} from './remote-words.ts';

/** What became of the question; `undefined` while it is open. */
type Answer = 'answered' | 'refused';

/** What came of the work's own request; `undefined` while it is open. Not every error is the work's own word. */
type Came<R> =
  | { readonly value: R; readonly end: RemoteEnd | undefined }
  | { readonly error: unknown; readonly isSaid: boolean };

/** One piece of work, under the context of the call that waits for it. */
export class RemoteWork<R> {
  readonly #context: Pick<CancelContext, 'token' | 'graceToken'>;
  readonly #options: RemoteWorkOptions<R>;
  readonly #clock: Clock;
  readonly #wire = new AbortController();
  readonly #question = new AbortController();
  #id: string | undefined;
  #isAsked = false;
  #isCut = false;
  /** Set while more of what has arrived may be heard, by which the question waits. */
  #rest: Releasable | undefined;
  /** Until when it may wait. */
  #restEnds: number | undefined;
  /** Set while the last words may come behind the answer. */
  #lastWords: Releasable | undefined;
  #answer: Answer | undefined;
  #came: Came<R> | undefined;
  #isSettled = false;
  #lateLimit: Releasable | undefined;
  #resolve: (value: R) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(context: Pick<CancelContext, 'token' | 'graceToken'>, options: RemoteWorkOptions<R>) {
    this.#context = context;
    this.#options = options;
    this.#clock = clockOf(tokenOf(context.token));
  }

  get id(): string | undefined {
    return this.#id;
  }

  /** Starts the work and settles with what became of it; called once. */
  run(start: (context: RemoteContext<R>) => R | PromiseLike<R>): Promise<R> {
    const { id } = this.#options;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      const { token } = this.#context;
      token.onCancelled(() => {
        this.#stopped();
      });
      if (id !== undefined) this.#heard({ id });
      const started = new Promise<R>((resolveWork) => {
        resolveWork(start({ signal: this.#wire.signal, heard: this.#heard, named: this.#named }));
      });
      started.then(
        (value) => {
          this.#requestEnded({ value });
        },
        (error: unknown) => {
          this.#requestEnded({ error });
        },
      );
    });
  }

  #leave(): void {
    this.#wire.abort(neutralReason());
  }

  readonly #named = (id: string): void => {
    requireId('named(id): the id', id);
    this.#heard({ id });
  };

  readonly #heard = ({ id, last }: RemoteWord<R>): void => {
    if (this.#isSettled || this.#came !== undefined) return;
    // The first name is the work's; what comes with every event says the same again.
    const isNamed = id !== undefined && this.#id === undefined;
    if (isNamed) {
      requireId('named(id): the id', id);
      this.#id = id;
    }
    if (last !== undefined) {
      this.#came = this.#cameOf(last);
      this.#leave();
    }
    if (isNamed) callSafely(tokenOf(this.#context.token), this.#options.onNamed, id);
    this.#askInTurn();
    this.#decide();
  };

  #cameOf(last: NonNullable<RemoteWord<R>['last']>): Came<R> {
    if ('error' in last) return last;
    try {
      const end = this.#options.endOf?.(last.value);
      if (end !== undefined) requireOneOf('the end', end, ['completed', 'cancelled', 'failed']);
      return { ...last, end };
    } catch (error) {
      return { error, isSaid: true };
    }
  }

  #stopped(): void {
    this.#askInTurn();
    // Made only when it is needed: in a stop.
    this.#context.graceToken.onCancelled(() => {
      this.#cut();
    });
  }

  /** W1: with a name, once, and only while the work may run. */
  get #isToAsk(): boolean {
    if (this.#id === undefined || this.#isAsked || this.#isSettled) return false;
    const came = this.#came;
    return this.#context.token.isCancelled && (came === undefined || ('error' in came && !came.isSaid));
  }

  #askInTurn(): void {
    if (!this.#isToAsk) return;
    this.#rest?.release();
    const ask = (): void => {
      this.#ask();
    };
    const now = this.#clock.now();
    // Some work never pauses, and the answer needs its time as well.
    this.#restEnds ??= now + Math.min(this.#context.graceToken.remainingMs(), DEFAULT_GRACE_MS) / 2;
    if (this.#rest === undefined || now < this.#restEnds) this.#rest = this.#clock.setTimer(ask, 0, { ref: true });
    else ask();
  }

  #ask(): void {
    const id = this.#id;
    const came = this.#came;
    if (id === undefined || !this.#isToAsk) return;
    this.#rest?.release();
    this.#isAsked = true;
    // The name was all that the request was still good for.
    if (this.#isCut && came === undefined) this.#leave();
    const { signal } = this.#question;
    const asked = new Promise((resolve) => {
      resolve(this.#options.cancel(id, { signal }));
    });
    asked.then(
      () => {
        this.#answered('answered');
      },
      () => {
        this.#answered('refused');
      },
    );
  }

  /** The grace is over. What has no name yet is listened to for as long as its name may still come. */
  #cut(): void {
    if (this.#isSettled) return;
    this.#isCut = true;
    if (this.#isAsked || this.#came !== undefined) this.#abortAll();
    else {
      const giveUp = (): void => {
        this.#abortAll();
      };
      this.#lateLimit = this.#clock.setTimer(giveUp, this.#options.nameMs, { ref: false });
    }
  }

  /** W3 */
  #abortAll(): void {
    if (this.#came === undefined) this.#leave();
    if (this.#isAsked && this.#answer === undefined) this.#question.abort(neutralReason());
  }

  #answered(answer: Answer): void {
    this.#answer = answer;
    this.#decide();
  }

  #requestEnded(last: { readonly value: R } | { readonly error: unknown }): void {
    if (this.#came !== undefined) return;
    // A client whose request we have cut may end without a word: that says nothing of the work.
    const isSilent = this.#wire.signal.aborted && 'value' in last && last.value === undefined;
    const said = isSilent ? { error: errorOf(tokenOf(this.#context.token)) } : last;
    this.#came = this.#cameOf('value' in said ? said : { ...said, isSaid: false });
    // No more comes of it.
    this.#ask();
    this.#decide();
  }

  #decide(): void {
    const came = this.#came;
    const isOver = came !== undefined;
    // The work's own last word needs no answer beside it.
    if (isOver && 'value' in came && came.end !== undefined) this.#settleWith(came);
    else if (this.#answer === 'answered' && this.#options.until === 'answer') {
      if (isOver || this.#options.mayOvertake !== true) this.#stop();
      else this.#waitForLastWords();
    } else if (!isOver || this.#isToAsk || (this.#isAsked && this.#answer === undefined)) return;
    // What broke after a question that was only heard has not ended by it.
    else if (this.#answer === 'answered' && ('value' in came || came.isSaid)) this.#stop();
    else this.#settleWith(came);
  }

  /** The work is over; what it said before may still be on its way. It has half of what is left of the grace, which must not end first. */
  #waitForLastWords(): void {
    const stop = (): void => {
      this.#stop();
    };
    const halfMs = this.#context.graceToken.remainingMs() / 2;
    this.#lastWords ??= this.#clock.setTimer(stop, halfMs, { ref: true });
  }

  /** Nobody has answered for the work. */
  #settleWith(came: Came<R>): void {
    const { reason } = this.#context.token;
    const name = remoteName(this.#options.name, this.#id);
    if ('value' in came && came.end === 'cancelled' && reason !== undefined) this.#stop();
    this.#settle(() => {
      if ('value' in came) this.#resolve(came.value);
      // After a stop only the work's own word says that it is over: whatever else its request fails with, it may go on.
      else if (reason === undefined || (came.isSaid && !this.#isAsked && !this.#isCut)) this.#reject(came.error);
      else this.#reject(createCancelledError(reason, { abandoned: { name } }));
    });
  }

  /** The work is over, by the stop. */
  #stop(): void {
    this.#settle(() => {
      this.#reject(errorOf(tokenOf(this.#context.token)));
    });
  }

  #settle(how: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#lateLimit?.release();
    this.#rest?.release();
    this.#lastWords?.release();
    how();
    this.#abortAll();
  }
}
