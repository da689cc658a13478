/**
 * Takes a token that another thread or process handed over.
 *
 * @module
 */
import { show } from '../../core/inside.ts';
import { CancelFlag } from './cancel-flag.ts';
import { isPort, overIpc, overPort, requireIpc, type IpcProcess } from './endpoint.ts';
import { FlagEnd } from './flag-end.ts';
import type { SharedToken, TokenHandle } from './share-token.ts';

/**
 * The token that `shareToken` handed over. Its `isCancelled` reads the shared memory, so a
 * synchronous loop that asks it stops; callbacks and promises wait, as all do, until the loop lets them run.
 *
 * Of a handle it may be called once: the port it holds is a single end. A child process is cancelled with kind
 * `disconnect` when the process that shared the token goes away.
 *
 * @checkpoint never
 * @fairness As `shareToken`.
 * @cleanup `release()`. A thread is not kept alive; a child process is, by the listener on its channel, until then or
 * until the channel closes.
 * @param from The handle as it arrived; in a child process `process`.
 * @returns This side of the token; a `cancel` reaches the other.
 * @throws TypeError – something else.
 * @example In the worker
 * ```ts
 * import { MessageChannel } from 'node:worker_threads'
 * import { CancellationTokenSource } from 'desist'
 * import { receiveToken, shareToken } from 'desist/worker'
 *
 * const source = new CancellationTokenSource()
 * const shared = shareToken(source)
 * const { token, release } = receiveToken(shared.handle) // in life, on the other thread
 * source.cancel('user')
 * token.isCancelled // => true
 * token.reason?.kind // => 'user'
 * release()
 * shared.release()
 * ```
 * @source Emscripten pthreads
 * @since 0.1.0
 */
export function receiveToken(from: TokenHandle | IpcProcess): SharedToken {
  if (!isHandle(from)) return receiveOver(requireIpc(from));
  const { memory, port } = from;
  if (!isPort(port)) throw new TypeError(`the handle's port must have been transferred with it, got ${show(port)}`);
  const flag = new CancelFlag(memory ?? CancelFlag.ownMemory());
  const end: FlagEnd = new FlagEnd(
    flag,
    'receiver',
    (handlers) => overPort(port, handlers),
    () => end.release(),
  );
  return handleOf(end);
}

function receiveOver(ipc: IpcProcess): SharedToken {
  const flag = new CancelFlag(CancelFlag.ownMemory());
  const onGone = (): void => {
    end.cancel({ kind: 'disconnect', message: 'The process that shared the token is gone' });
    end.release();
  };
  const end: FlagEnd = new FlagEnd(flag, 'receiver', (handlers) => overIpc(ipc, handlers), onGone);
  return handleOf(end);
}

function isHandle(value: unknown): value is TokenHandle {
  return typeof value === 'object' && value !== null && (value as { desist?: unknown }).desist === 1;
}

function handleOf(end: FlagEnd): SharedToken {
  const release = (): void => end.release();
  return { token: end.token, cancel: (reason) => end.cancel(reason), release, [Symbol.dispose]: release };
}
