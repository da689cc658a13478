/**
 * What a piece of work is handed: its token, and the four things it may say while it runs.
 * On storey 1b beside `work.ts`, which it talks to through a port.
 *
 * @module
 */
import { requireFunction } from '../foundation/check.ts';
import type { CancellationToken } from '../token/handles.ts';
import { errorOf } from '../token/pull.ts';
import type { Token } from '../token/source.ts';
import { checkpoint } from './checkpoint.ts';

/**
 * What work under a token is given. Every function is bound: take the object apart as you like.
 *
 * @since 0.1.0
 */
export interface CancelContext {
  /** A fresh child of the caller's token, released when the work ends. */
  readonly token: CancellationToken;
  /** `token.signal`, made when first read. */
  readonly signal: AbortSignal;
  /** Live while clean-up is allowed: cancelled when the grace is over. Give it to what must still happen after a stop. */
  readonly graceToken: CancellationToken;
  /**
   * Throws if it is time to stop; also when a deadline has passed that no timer could report yet.
   *
   * @checkpoint always
   */
  readonly checkpoint: () => void;
  /** Says that something moved: feeds the idle limit. */
  readonly progress: () => void;
  /**
   * Runs what must not be cut in half: refuses to start once cancelled, and once inside runs to its end, however long
   * the stop has to wait.
   *
   * @checkpoint always, before; never after
   */
  readonly commit: <T>(fn: () => T | Promise<T>) => Promise<T>;
}

/** What the context needs of the work it belongs to. */
export interface ContextHost {
  readonly token: Token;
  graceToken(): CancellationToken;
  progress(): void;
  enterCommit(): void;
  leaveCommit(value: { readonly value: unknown } | undefined): void;
}

/** Functions are made when first asked for: most work takes the signal and nothing else. */
export class WorkContext implements CancelContext {
  readonly #host: ContextHost;
  #checkpoint: (() => void) | undefined;
  #progress: (() => void) | undefined;
  #commit: (<T>(fn: () => T | Promise<T>) => Promise<T>) | undefined;

  constructor(host: ContextHost) {
    this.#host = host;
  }

  get token(): CancellationToken {
    return this.#host.token;
  }

  get signal(): AbortSignal {
    return this.#host.token.signal;
  }

  get graceToken(): CancellationToken {
    return this.#host.graceToken();
  }

  get checkpoint(): () => void {
    const host = this.#host;
    return (this.#checkpoint ??= () => {
      checkpoint(host.token);
    });
  }

  get progress(): () => void {
    const host = this.#host;
    return (this.#progress ??= () => {
      host.progress();
    });
  }

  get commit(): <T>(fn: () => T | Promise<T>) => Promise<T> {
    const host = this.#host;
    return (this.#commit ??= (fn) => commit(host, fn));
  }
}

async function commit<T>(host: ContextHost, fn: () => T | Promise<T>): Promise<T> {
  requireFunction('commit(fn)', fn);
  if (host.token.isCancelled) throw errorOf(host.token);
  host.enterCommit();
  let done: { readonly value: T } | undefined;
  try {
    done = { value: await fn() };
    return done.value;
  } finally {
    host.leaveCommit(done);
  }
}
