/** What the tests of this folder ask of promises and signals. */
import { getEventListeners } from 'node:events';

/** One turn of the event loop: every promise reaction that is due has run afterwards. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The error a promise rejects with; listens at once. */
export const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => Promise.reject(new Error('did not reject')),
    (error: unknown) => error,
  );

/** `pending` if the promise has not settled within a few turns of the event loop. */
export async function stateOf(promise: Promise<unknown>): Promise<'pending' | 'fulfilled' | 'rejected'> {
  let state: 'pending' | 'fulfilled' | 'rejected' = 'pending';
  promise.then(
    () => (state = 'fulfilled'),
    () => (state = 'rejected'),
  );
  for (let i = 0; i < 5; i += 1) await turn();
  return state;
}

export const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

/** Rejects when its signal says so, with the signal's reason, as well-behaved work does. */
export const obedient = ({ signal }: { readonly signal: AbortSignal }): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });

/** Never settles. */
export const deaf = (): Promise<never> => new Promise(() => {});

/** As much of a signal as the bare library uses; `abort()` calls its listeners as a plain function would. */
export function plainSignal() {
  const heard: (() => void)[] = [];
  const state = {
    aborted: false,
    reason: undefined as unknown,
    addEventListener: (_type: string, listener: () => void) => heard.push(listener),
    removeEventListener: () => {},
  };
  const abort = (reason: unknown): void => {
    Object.assign(state, { aborted: true, reason });
    for (const listener of heard) listener();
  };
  return { signal: state as unknown as AbortSignal, abort };
}
