/**
 * What a piece of work is handed: its token, and the four things it may say while it runs.
 * On storey 1b beside `work.ts`, which it talks to through a port.
 *
 * @module
 */
import { requireFunction } from '../foundation/check.ts';
import type { CancellationToken } from '../token/handles.ts';
import type { Token } from '../token/source.ts';
import { checkpoint } from './checkpoint.ts';

/**
 * What work under a token is given. Every function is bound and every member a field of its own: take the object apart,
 * copy it, or hand it as a whole to a client that looks for a `signal` in its options.
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
   * the stop has to wait. Only a kill waits no longer than one grace more.
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

/**
 * Every member is a field of its own, for a context is handed on: a client that copies the options it is given must find
 * the signal among them. The two that cost something are made when they are read, by getters that all contexts share.
 */
export class WorkContext implements CancelContext {
  static readonly #signal: PropertyDescriptor = {
    enumerable: true,
    configurable: true,
    get(this: WorkContext) {
      return this.#host.token.signal;
    },
  };
  static readonly #graceToken: PropertyDescriptor = {
    enumerable: true,
    configurable: true,
    get(this: WorkContext) {
      return this.#host.graceToken();
    },
  };
  readonly #host: ContextHost;
  declare readonly token: CancellationToken;
  declare readonly signal: AbortSignal;
  declare readonly graceToken: CancellationToken;
  declare readonly checkpoint: () => void;
  declare readonly progress: () => void;
  declare readonly commit: CancelContext['commit'];

  constructor(host: ContextHost) {
    this.#host = host;
    this.token = host.token;
    this.checkpoint = () => {
      checkpoint(host.token);
    };
    this.progress = () => {
      host.progress();
    };
    this.commit = (fn) => commit(host, fn);
    Object.defineProperty(this, 'signal', WorkContext.#signal);
    Object.defineProperty(this, 'graceToken', WorkContext.#graceToken);
  }
}

/** Keeps a piece of work in one piece. */
export async function commit<T>(host: ContextHost, fn: () => T | Promise<T>): Promise<T> {
  requireFunction('commit(fn)', fn);
  // Also a limit that no timer could report yet: a loop that never yields must not commit after its end.
  checkpoint(host.token);
  host.enterCommit();
  let done: { readonly value: T } | undefined;
  try {
    done = { value: await fn() };
    return done.value;
  } finally {
    host.leaveCommit(done);
  }
}
