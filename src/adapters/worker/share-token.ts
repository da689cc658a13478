/**
 * Hands a token to another thread or process. Prior art: .NET has one address space and needs none of this; Comlink
 * and Piscina's `AbortSignal` for the shape.
 *
 * @module
 */
import type { MessagePort as NodePort } from 'node:worker_threads';

import {
  type CancellationToken,
  type CancellationTokenSource,
  CancellationTokenSource as Sources,
  type CancelReasonInit,
  clockOf,
  DEFAULT_GRACE_MS,
  type OptionNames,
  requireMs,
  requireOptions,
  type TokenLike,
  tokenOf,
} from '../../core/inside.ts';
import { CancelFlag } from './cancel-flag.ts';
import { overIpc, overPort, requireIpc, type Endpoint, type EndpointHandlers, type IpcProcess } from './endpoint.ts';
import { FlagEnd } from './flag-end.ts';

/**
 * A port as both Node and the web take it in a list of what to transfer.
 *
 * @since 0.1.0
 */
export type TransferredPort = NodePort & MessagePort;

/**
 * A token on its way to another thread: plain data that `postMessage` takes, for `receiveToken`.
 *
 * @since 0.1.0
 */
export interface TokenHandle {
  /** The version of the protocol. */
  readonly desist: 1;
  /** The flag; missing where memory cannot be shared. */
  readonly memory?: ArrayBufferLike;
  readonly port: TransferredPort;
}

/**
 * Options of {@link shareToken}.
 *
 * @since 0.1.0
 */
export interface ShareTokenOptions {
  /** Milliseconds from the cancel to `graceSignal`, 1,000 by default. */
  readonly graceMs?: number | undefined;
}

/**
 * This side of a token that another process has too.
 *
 * @since 0.1.0
 */
export interface SharedToken extends Disposable {
  /** Cancelled by either side, with the reason of the first. */
  readonly token: CancellationToken;
  /**
   * Cancels both sides, not what the token came from.
   *
   * @returns Whether this call was the first.
   */
  cancel(reason?: CancelReasonInit | string): boolean;
  /** Unlinks the sides, without cancelling; by itself when the other side is gone, where that is told. */
  release(): void;
}

/**
 * This side of a token that another thread has too.
 *
 * @since 0.1.0
 */
export interface ThreadToken extends SharedToken {
  /** For the other side: in `workerData`, in a message, or in the task of a pool. */
  readonly handle: TokenHandle;
  /** What has to be transferred with it, once. */
  readonly transferList: TransferredPort[];
  /**
   * Aborts when the grace after a cancel is over, or at a kill. For pools: Piscina and tinypool terminate the thread of a
   * task whose `signal` aborts, so a task that heard of the stop has the grace to return.
   */
  readonly graceSignal: AbortSignal;
}

const optionNames: OptionNames<ShareTokenOptions & { readonly process: IpcProcess }> = { graceMs: 1, process: 1 };

/**
 * Makes a token that another thread can check in the middle of a synchronous loop, or that a child process has over its IPC channel.
 *
 * Given a source, the other side may cancel it; given a token, it may cancel only the shared one. Where memory cannot be
 * shared – pages that are not isolated, other processes – the other side hears of a cancel between two tasks, not inside a loop.
 * A reason crosses without its cause; above 2 kB its texts are cut.
 *
 * @checkpoint never – what is cancelled already arrives so.
 * @fairness Of two cancels on both sides the first wins on both, with its reason; without shared memory each side keeps
 * its own. So does a source that was cancelled here before it could hear of the other side's.
 * @cleanup `release()`: listeners and port are gone. By itself when the other side's port or channel closes, as it does in Node when
 * the thread or the process ends; a shared token keeps no thread and no process alive.
 * @param target What to hand over.
 * @param options The grace in milliseconds; or `process`, a child with an IPC channel, as `fork` starts it, which calls
 * `receiveToken(process)`.
 * @returns This side of the token; for a thread with the handle and the list of what to transfer.
 * @throws TypeError, RangeError – arguments that make no sense, or a process without a channel.
 * @example
 * ```ts
 * import { Worker } from 'node:worker_threads'
 * import { CancellationTokenSource } from 'desist'
 * import { shareToken } from 'desist/worker'
 *
 * const source = new CancellationTokenSource()
 * const { handle, transferList } = shareToken(source)
 * const worker = new Worker('while (Atomics.load(new Int32Array(require("worker_threads").workerData.memory), 0) === 0);',
 *   { eval: true, workerData: handle, transferList })
 * source.cancel('user')
 * await new Promise((resolve) => worker.once('exit', resolve)) // => 0
 * ```
 * @source Emscripten pthreads; Piscina `signal`
 * @since 0.1.0
 */
export function shareToken(
  target: TokenLike | CancellationTokenSource | null | undefined,
  options: { readonly process: IpcProcess },
): SharedToken;
export function shareToken(
  target: TokenLike | CancellationTokenSource | null | undefined,
  options?: ShareTokenOptions,
): ThreadToken;
export function shareToken(
  target: TokenLike | CancellationTokenSource | null | undefined,
  options: ShareTokenOptions & { readonly process?: IpcProcess } = {},
): SharedToken {
  requireOptions(options, optionNames);
  return 'process' in options ? shareWithProcess(target, options.process) : shareWithThread(target, options);
}

function shareWithProcess(
  target: TokenLike | CancellationTokenSource | null | undefined,
  child: IpcProcess | undefined,
): SharedToken {
  const ipc = requireIpc(child);
  const flag = new CancelFlag(CancelFlag.ownMemory());
  return share(parentOf(target), flag, (handlers) => overIpc(ipc, handlers));
}

function shareWithThread(
  target: TokenLike | CancellationTokenSource | null | undefined,
  options: ShareTokenOptions,
): ThreadToken {
  const graceMs = requireMs('graceMs', options.graceMs ?? DEFAULT_GRACE_MS, 'infinity-allowed');
  const parent = parentOf(target);
  const flag = new CancelFlag();
  const { port1, port2 } = new MessageChannel();
  const port: MessagePort = port2;
  const grace = new Sources({ name: 'grace', clock: clockOf(tokenOf(parent.token)) });
  const killed = parent.token.onKilled((reason) => grace.cancel(reason));
  const shared = share(parent, flag, (handlers) => overPort(port1, handlers), {
    onCancelled: (reason) => grace.cancelAfter(graceMs, reason),
    onRelease: () => {
      killed.unregister();
      grace.release();
      // A port that was never handed over is closed by nobody else, and holds its memory; one that was is not ours.
      port.close();
    },
  });
  return {
    ...shared,
    handle: { desist: 1, ...(flag.isShared ? { memory: flag.memory } : {}), port: transferred(port) },
    transferList: [transferred(port)],
    get graceSignal() {
      return grace.signal;
    },
  };
}

/** One port, in the words of both platforms: each declares a class of its own for it. */
function transferred(port: unknown): TransferredPort {
  return port as TransferredPort;
}

interface Parent {
  readonly token: CancellationToken;
  /** Only a source can be cancelled from the other side. */
  readonly cancel: ((reason: CancelReasonInit) => void) | undefined;
}

function parentOf(target: TokenLike | CancellationTokenSource | null | undefined): Parent {
  if (isSource(target)) return { token: tokenOf(target.token), cancel: (reason) => void target.cancel(reason) };
  return { token: tokenOf(target), cancel: undefined };
}

function isSource(target: TokenLike | CancellationTokenSource | null | undefined): target is CancellationTokenSource {
  return typeof (target as Partial<CancellationTokenSource> | null | undefined)?.cancel === 'function';
}

function share(
  parent: Parent,
  flag: CancelFlag,
  open: (handlers: EndpointHandlers) => Endpoint,
  on: { onCancelled?: (reason: CancelReasonInit) => void; onRelease?: () => void } = {},
): SharedToken {
  const end = new FlagEnd(flag, 'owner', open, release);
  const fromParent = parent.token.onCancelled((reason) => void end.cancel(reason));
  const toParent = end.token.onCancelled((reason) => {
    on.onCancelled?.(reason);
    parent.cancel?.(reason);
  });
  function release(): void {
    fromParent.unregister();
    toParent.unregister();
    end.release();
    on.onRelease?.();
  }
  return {
    token: end.token,
    cancel: (reason) => end.cancel(reason),
    release,
    [Symbol.dispose]: release,
  };
}
