/**
 * One call to work that runs elsewhere, under a token, with all that a call has: limits, a grace, a late outcome.
 *
 * @module
 */
import {
  type CancelContext,
  createCancelledError,
  DeadlineExceededError,
  isCancelledError,
  isDeadlineExceededError,
  type TokenLike,
  withCancellation,
  type WithCancellationOptions,
} from '../../../core/inside.ts';
import { type RemoteContext, remoteName, type RemoteWorkOptions } from './remote-words.ts';
import { RemoteWork } from './remote-work.ts';

/** The limits of one call; those of `withCancellation`. */
export type RemoteLimits<R> = Pick<
  WithCancellationOptions<R>,
  'graceMs' | 'timeoutMs' | 'idleMs' | 'onLateSettle' | 'clock'
>;

/** What a call has when nobody says otherwise: a request that waits for a name this long is a server that is gone. */
export const DEFAULT_NAME_MS = 30_000;

/**
 * Runs one piece of remote work. If it has to be left behind, the error's `abandoned` names it with its id.
 *
 * @param start Begins the work, and settles with what came of its own request.
 */
export async function callRemote<R>(
  token: TokenLike | null | undefined,
  start: (remote: RemoteContext<R>, context: CancelContext) => R | PromiseLike<R>,
  options: RemoteWorkOptions<R>,
  limits: RemoteLimits<R>,
): Promise<R> {
  const { name } = options;
  let work: RemoteWork<R> | undefined;
  try {
    return await withCancellation(
      token,
      (context) => {
        const begun = (work = new RemoteWork(context, options));
        return begun.run((remote) => start(remote, context));
      },
      { ...limits, name },
    );
  } catch (error) {
    throw withId(error, name, work?.id);
  }
}

/** The same error; where it names this work as left behind, with the id by which somebody can look for it. */
function withId(error: unknown, name: string, id: string | undefined): unknown {
  const isCancel = isCancelledError(error);
  if (!isCancel && !isDeadlineExceededError(error)) return error;
  if (id === undefined || error.abandoned?.name !== name) return error;
  const { reason, completed } = error;
  const known = { completed, abandoned: { name: remoteName(name, id) } };
  return isCancel ? createCancelledError(reason, known) : new DeadlineExceededError(error.limitMs, reason, known);
}
