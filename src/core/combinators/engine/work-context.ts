/**
 * What a piece of work is handed: its token, and the four things it may say while it runs.
 *
 * @module
 */
import {
  isObject,
  noOptions,
  requireFunction,
  requireMs,
  requireOptions,
  type OptionNames,
  type OptionsOnly,
} from '../../foundation/check.ts';
import type { CancellationToken } from '../../token/cancellation-token.ts';
import type { Token } from '../../token/token.ts';
import { checkpoint } from '../checkpoint.ts';
import { isUnrun, unrunError } from './body.ts';
import type { Committed } from './commits.ts';
import { lazyMembers, type MemberTable } from './lazy-members.ts';

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
  /** Says that something moved: feeds the idle limit. With `idleMs` it sets the limit from here on; `Infinity` for none. */
  readonly progress: {
    (options?: { readonly idleMs?: number | undefined } & OptionsOnly): void;
    /** Hand it over as a listener: what an event brings is not looked at. */
    (...event: readonly unknown[]): void;
  };
  /**
   * Runs what must not be cut in half: refuses to start once cancelled, and once inside runs to its end, also while the
   * stop waits. The stop waits for it until `limitMs`, 30,000 by default, or the grace is over, whichever is longer, also with
   * `settle: 'abandon'`, and a kill for one grace more, 1,000 at most; then the work is left behind and its effect is unknown.
   *
   * @checkpoint always, before; never after
   */
  readonly commit: <T>(
    fn: () => T | Promise<T>,
    options?: { readonly limitMs?: number | undefined } & OptionsOnly,
  ) => Promise<T>;
}

/** What the context needs of the work it belongs to. */
export interface ContextHost {
  readonly token: Token;
  graceToken(): CancellationToken;
  progress(idleMs?: number): void;
  enterCommit(limitMs: number): void;
  leaveCommit(committed: Committed | undefined): void;
}

/** The member `progress` of a context, for what has a limit on silence. */
export function progressOf(work: { progress(idleMs?: number): void }): CancelContext['progress'] {
  return (options?: unknown) => {
    // Not everything that calls it means to hand something over: `stream.on('data', progress)`.
    const idleMs: unknown = isObject(options) ? (options as { readonly idleMs?: unknown }).idleMs : undefined;
    work.progress(idleMs === undefined ? undefined : requireMs('idleMs', idleMs, 'infinity-allowed'));
  };
}

/** The members of every context of work: alone, or among those of a call of a turn. */
export const workMembers: MemberTable<ContextHost, CancelContext> = {
  token: ({ token }) => token,
  signal: ({ token }) => token.signal,
  graceToken: (host) => host.graceToken(),
  checkpoint:
    ({ token }) =>
    () => {
      checkpoint(token);
    },
  progress: progressOf,
  commit: (host) => (fn, options) => commit(host, fn, options),
};

/** What a piece of work is handed. */
export const workContext: (host: ContextHost) => CancelContext = /* @__PURE__ */ lazyMembers(() => workMembers);

/** How long a stop waits for a commit that was given no limit. */
const COMMIT_LIMIT_MS = 30_000;

type CommitOptions = NonNullable<Parameters<CancelContext['commit']>[1]>;

const commitOptions: OptionNames<CommitOptions> = { limitMs: 1 };

async function commit<T>(host: ContextHost, fn: () => T | Promise<T>, options: CommitOptions = noOptions): Promise<T> {
  requireFunction('commit(fn)', fn);
  requireOptions(options, commitOptions);
  const limitMs = requireMs('limitMs', options.limitMs ?? COMMIT_LIMIT_MS, 'infinity-allowed');
  // Also a limit that no timer could report yet: a loop that never yields must not commit after its end.
  checkpoint(host.token);
  host.enterCommit(limitMs);
  let done: { readonly value: T } | undefined;
  try {
    const value = await fn();
    if (isUnrun(value, true)) throw unrunError('commit(fn)');
    done = { value };
    return done.value;
  } finally {
    host.leaveCommit(done);
  }
}
