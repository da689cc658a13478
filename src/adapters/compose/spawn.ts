/**
 * A body with work in the background that ends with it. Unlike `scope`, which waits for what it started, the end of
 * the body stops it, and also what the body itself did not await. Prior art: abort-controller-x `spawn`, which drops the reason on the way to a fork and all
 * failures but the last.
 *
 * @module
 */
import { spawn as spawnUnder, type SpawnEffects } from 'abort-controller-x';

import {
  type CancelContext,
  type CancellableWork,
  type CancellationToken,
  type CancelReasonInit,
  childOf,
  keepForBody,
  noOptions,
  type OptionNames,
  type OptionsOnly,
  requireFunction,
  requireOptions,
  runShielded,
  Source,
  type TokenLike,
  tokenOf,
} from '../../core/inside.ts';
import { Branches, type ComposeOptions } from './branches.ts';

/**
 * Work in the background of a {@link spawn}.
 *
 * @since 0.1.0
 */
export interface SpawnTask<T> {
  /**
   * Tells it, and nothing else, to stop; that is no failure.
   *
   * @returns Whether this call won.
   */
  readonly cancel: (reason?: CancelReasonInit | string) => boolean;
  /** What it returns. Need not be asked for: nobody has to handle its failure here. */
  readonly join: () => Promise<T>;
}

/**
 * What the body of a {@link spawn} is given. Every function is bound.
 *
 * @since 0.1.0
 */
export interface SpawnContext {
  /**
   * Cancelled when everything is to stop: from above, by the limit, because something in it failed, and when the body
   * has ended, so that nothing that it did not await runs on; a body that returned a response may still be read.
   */
  readonly token: CancellationToken;
  /** `token.signal`, made when first read. */
  readonly signal: AbortSignal;
  /**
   * Starts work in the background. It is told to stop when the body ends; its failure stops everything.
   *
   * @checkpoint always, before
   */
  readonly fork: <T>(
    work: CancellableWork<T>,
    options?: { readonly name?: string | undefined } & OptionsOnly,
  ) => SpawnTask<T>;
  /** Registers clean-up: runs last in first out when everything has ended; within the grace, if it was stopped. */
  readonly defer: (cleanup: (graceToken: CancellationToken) => unknown) => void;
}

const forkNames: OptionNames<NonNullable<Parameters<SpawnContext['fork']>[1]>> = { name: 1 };

/** One call of `spawn`: what its body can start and leave to be cleaned up. */
class Spawn {
  readonly #branches: Branches;
  readonly #effects: SpawnEffects;
  /** Above every fork and beside the body, whose end cancels it. */
  readonly #forks: Source;
  readonly #deferred: ((graceToken: CancellationToken) => unknown)[] = [];
  #ended = false;
  /** The body returned a value, which a stop does not take back. */
  #hasValue = false;

  constructor(branches: Branches, effects: SpawnEffects) {
    this.#branches = branches;
    this.#effects = effects;
    this.#forks = new Source(childOf(branches.token));
    // One for all: the library throws the last clean-up's failure, and skips clean-ups that clean-ups register.
    effects.defer(() => this.#cleanUp());
  }

  run<T>(body: (context: SpawnContext) => T | PromiseLike<T>): Promise<T> {
    let own: Source | undefined;
    const work = ({ token }: CancelContext): T | PromiseLike<T> => {
      // The engine releases the token of a work, which cancels nothing; what the body did not await is to stop with it.
      own = new Source(childOf(tokenOf(token)));
      return body(this.#context(own.token));
    };
    const { told } = this.#branches.start(work, body.name || 'spawn body');
    const end = (value?: unknown): void => {
      this.#forks.cancel({ kind: 'superseded', message: 'The body has ended' });
      if (own === undefined || keepForBody(own, value)) return;
      own.cancel({ kind: 'ended', message: 'The body has ended' });
      own.release();
    };
    told.then(
      (value) => {
        this.#hasValue = true;
        end(value);
      },
      () => {
        end();
      },
    );
    return told;
  }

  #context(token: CancellationToken): SpawnContext {
    return {
      token,
      get signal(): AbortSignal {
        return token.signal;
      },
      fork: (work, options = noOptions) => {
        requireOptions(options, forkNames);
        return this.#fork(work, options.name);
      },
      defer: (cleanup) => {
        requireFunction('defer(cleanup)', cleanup);
        if (this.#ended) throw new TypeError('spawn() has ended: this clean-up would never run');
        this.#deferred.push(cleanup);
      },
    };
  }

  #fork<T>(work: CancellableWork<T>, name: string | undefined): SpawnTask<T> {
    requireFunction('fork(work)', work);
    let cancel: SpawnTask<T>['cancel'] = () => false;
    const joined = new Promise<T>((resolve, reject) => {
      const under = this.#forks.token;
      const { source, told } = this.#branches.start(work, name ?? (work.name || 'fork'), under, (outcome, error) => {
        if (outcome.status === 'completed') resolve(outcome.value);
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the work's own error, whatever it is
        else reject(error);
      });
      cancel = (reason) => source.cancel(reason);
      // The library takes no more of them when it is ending; the branch, which is not begun then, has the reason.
      told.catch(() => undefined);
      this.#effects.fork(() => told);
    });
    joined.catch(() => undefined);
    return { cancel, join: () => joined };
  }

  async #cleanUp(): Promise<void> {
    for (let clean = this.#deferred.pop(); clean !== undefined; clean = this.#deferred.pop()) {
      const cleanup = clean;
      const { token, cleanupGraceMs } = this.#branches;
      await new Promise<void>((resolve) => {
        runShielded(token, cleanup, cleanupGraceMs, (outcome, error) => {
          if (outcome.status !== 'completed') this.#branches.failedToCleanUp(outcome, error, !this.#hasValue);
          resolve();
        });
      });
    }
    this.#ended = true;
  }
}

/**
 * Runs a body that may start work in the background, and stops that work, and what the body did not await, when the
 * body ends. The promise settles when
 * everything has ended or was left behind after its grace, and every clean-up has run.
 *
 * @checkpoint always, before; the body is not called if the token is cancelled
 * @fairness The first failure, of the body, a fork or a clean-up, is thrown unchanged; the others go to `onSuppressed`. A
 * body that returned a value beats a cancel.
 * @cleanup Clean-ups run last in first out, each under a shield; then the tokens are released.
 * @param token Whose stop.
 * @param body Gets `fork`, `defer`, and the token and signal of the whole.
 * @param options Limits in milliseconds, and who hears of what the result does not say.
 * @returns What the body returned.
 * @throws CancelledError – as a rejection: the token was cancelled; `abandoned` names who did not stop, clean-ups included.
 * @throws DeadlineExceededError – as a rejection: `timeoutMs` passed, or the grace of a clean-up without a stop that anybody
 * is told of.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense. The first failure, unchanged.
 * @example A heartbeat for as long as the work lasts
 * ```ts
 * import { CancellationToken, delay } from 'desist'
 * import { spawn } from 'desist/compose'
 *
 * const log: string[] = []
 * const value = await spawn(CancellationToken.none, async ({ token, fork, defer }) => {
 *   defer(() => log.push('unlocked'))
 *   fork(async (beat) => {
 *     for (;;) await delay(beat.token, 1000)
 *   })
 *   await delay(token, 5)
 *   return 'done'
 * })
 * value // => 'done'
 * log // => ['unlocked']
 * ```
 * @source abort-controller-x `spawn`
 * @since 0.1.0
 */
export async function spawn<T>(
  token: TokenLike | null | undefined,
  body: (context: SpawnContext) => T | PromiseLike<T>,
  options: ComposeOptions = {},
): Promise<T> {
  const parent = tokenOf(token);
  requireFunction('body', body);
  const branches = new Branches(parent, options);
  return branches.settle((signal) => spawnUnder(signal, (_signal, effects) => new Spawn(branches, effects).run(body)));
}
