/**
 * The worker threads that are started while somebody watches: what Node says of its handles has none that nobody listens to.
 *
 * @module
 */
import { channel } from 'node:diagnostics_channel';

/** As much as is used of a `Worker`. */
interface Thread {
  /** -1 once it has ended. */
  readonly threadId?: unknown;
}

/**
 * Watches, until it is stopped.
 *
 * @cleanup `stop()` takes the listener back.
 */
export function watchWorkers(): { readonly running: () => number; readonly stop: () => void } {
  const started = new Set<Thread>();
  const made = channel('worker_threads');
  const hear = (message: unknown): void => {
    const { worker } = message as { readonly worker?: Thread };
    if (worker !== undefined) started.add(worker);
  };
  made.subscribe(hear);
  return {
    running: () => [...started].filter(({ threadId }) => threadId !== -1).length,
    stop: () => {
      made.unsubscribe(hear);
    },
  };
}
