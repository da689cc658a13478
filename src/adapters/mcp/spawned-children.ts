/**
 * Which child processes a piece of asynchronous work has started, without a word from it: an SDK's transport shows its
 * process only when it is connected, and a server that does not answer `initialize` never is.
 *
 * Prior art: Node's `child_process` diagnostics channel; `AsyncLocalStorage`.
 *
 * @module
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';

type Found = ChildProcess[];

/** What is used of Node; elsewhere there are no processes to be found. */
interface Host {
  readonly storage: AsyncLocalStorage<Found>;
  readonly channel: {
    subscribe(listener: (message: unknown) => void): void;
    unsubscribe(listener: (message: unknown) => void): unknown;
  };
}

let host: Host | undefined;
let watchers = 0;

function findHost(): Host | undefined {
  const find = (globalThis as { readonly process?: Partial<NodeJS.Process> }).process?.getBuiltinModule;
  const hooks = find?.('node:async_hooks');
  const channels = find?.('node:diagnostics_channel');
  if (hooks === undefined || channels === undefined) return undefined;
  return { storage: new hooks.AsyncLocalStorage(), channel: channels.channel('child_process') };
}

function note(message: unknown): void {
  const child = (message as { readonly process?: ChildProcess }).process;
  if (child !== undefined) host?.storage.getStore()?.push(child);
}

/**
 * Runs `work` and notes each child process that it starts.
 *
 * @param work May go on after it has returned; its processes are noted until its promise settles.
 * @param found Where they are noted.
 */
export async function notingChildren<T>(work: () => T | PromiseLike<T>, found: ChildProcess[]): Promise<T> {
  host ??= findHost();
  if (host === undefined) return await work();
  if (watchers++ === 0) host.channel.subscribe(note);
  try {
    return await host.storage.run(found, work);
  } finally {
    if (--watchers === 0) host.channel.unsubscribe(note);
  }
}

/** Whether a child that was started has not been reaped: then its pid is its own. */
export function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}
