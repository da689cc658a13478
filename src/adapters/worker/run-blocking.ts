/**
 * Makes a call that blocks its thread cancellable, by giving it a process of its own. Prior art: Python
 * `multiprocessing`'s terminate; trio `to_process.run_sync`.
 *
 * @module
 */
import {
  DEFAULT_GRACE_MS,
  type OptionNames,
  requireMs,
  requireOptions,
  show,
  type TokenLike,
  tokenOf,
} from '../../core/inside.ts';
import type { BlockingCall } from './blocking-process.ts';
import { turnToStart } from './start-turn.ts';

/**
 * Options of {@link runBlocking}.
 *
 * @since 0.1.0
 */
export interface RunBlockingOptions {
  /** From the first signal to SIGKILL, in milliseconds; 1000 by default. A call that blocks dies of the first. */
  readonly graceMs?: number | undefined;
  /** Which export of the module is called, `default` by default. */
  readonly exportName?: string | undefined;
  /**
   * Has the process killed even if this program is killed itself – SIGKILL, out of memory – and no hook of it can run: by one
   * small helper process for all that is guarded in the program. On Linux; elsewhere it does nothing. Default `false`.
   */
  readonly guardian?: boolean | undefined;
}

const optionNames: OptionNames<RunBlockingOptions> = { graceMs: 1, exportName: 1, guardian: 1 };

/**
 * Imports a module in a process of its own, calls its function with the arguments, and gives what it returns. A cancel
 * ends that process, with everything it has started, whatever it is blocked in: its sockets are closed, its children
 * gone, and the next call has a process of its own.
 *
 * Each call costs the start of a process, some 50 ms. Arguments, value and error are copied by structured clone, to another
 * process: what lives in one process only, such as a `Blob`, shared memory or a signal, is not. Node only.
 *
 * @checkpoint always – before the start, and until it has ended
 * @fairness A value beats a cancel, also one that comes within the grace; an error that the function throws after the cancel
 * does not, since the signals of the stop go to everybody it waits for.
 * @cleanup When the promise settles: no process, no listener, no timer. If this process ends first, it is killed, with `guardian` also after
 * a SIGKILL; that of a worker thread only with `guardian`, or if the thread is under `superviseWorker`.
 * @param token Whose stop, and whose clock.
 * @param moduleUrl Where the module is, such as `new URL('./tool.js', import.meta.url)`.
 * @param args For the function.
 * @param options The grace in milliseconds, and the name of the export.
 * @returns What the function returned or resolved with.
 * @throws CancelledError – as a rejection, with `abandoned` if a process of it could not be ended.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @throws Error – as a rejection: what the function threw, or that its process ended without an answer.
 * @example
 * ```ts
 * import { CancellationToken } from 'desist'
 * import { runBlocking } from 'desist/worker'
 *
 * const module = 'data:text/javascript,export default (a, b) => a + b'
 * await runBlocking<number>(CancellationToken.none, module, [2, 3]) // => 5
 * ```
 * @source trio `to_process.run_sync`
 * @since 0.1.0
 */
export async function runBlocking<T>(
  token: TokenLike | null | undefined,
  moduleUrl: string | URL,
  args: readonly unknown[] = [],
  options: RunBlockingOptions = {},
): Promise<T> {
  const call = callOf(token, moduleUrl, args, options);
  call.token.throwIfCancelled();
  // Loaded here and not above: the rest of this door opens in browsers, too.
  const { runInProcess } = await import('./blocking-process.ts');
  await turnToStart();
  return (await runInProcess(call)) as T;
}

function callOf(
  token: TokenLike | null | undefined,
  moduleUrl: unknown,
  args: unknown,
  options: RunBlockingOptions,
): BlockingCall {
  requireOptions(options, optionNames);
  const { graceMs, exportName = 'default', guardian = false } = options;
  const isUrl = typeof moduleUrl === 'string' || moduleUrl instanceof URL;
  if (!isUrl || !URL.canParse(moduleUrl)) {
    throw new TypeError(`moduleUrl must be an absolute URL, got ${show(moduleUrl)}`);
  }
  if (!Array.isArray(args)) throw new TypeError(`args must be an array, got ${show(args)}`);
  if (typeof exportName !== 'string') throw new TypeError(`exportName must be a string, got ${show(exportName)}`);
  if (typeof guardian !== 'boolean') throw new TypeError(`guardian must be true or false, got ${show(guardian)}`);
  return {
    token: tokenOf(token),
    url: String(moduleUrl),
    args,
    exportName,
    guardian,
    graceMs: requireMs('graceMs', graceMs ?? DEFAULT_GRACE_MS, 'finite'),
  };
}
