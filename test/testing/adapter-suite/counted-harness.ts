/** Adapters around work that obeys and counts itself. */
import { type TokenLike, withCancellation } from '../../../src/index.ts';
import type { AdapterCall } from '../../../src/testing/adapter-suite/describe-adapter.ts';
import { deferred } from '../../../src/testing/fakes.ts';

export type Adapt = (token: TokenLike | undefined, work: (signal: AbortSignal) => Promise<string>) => Promise<string>;

/** A call of an adapter around work that obeys, and counts itself. */
export function harness(adapt: (...given: Parameters<Adapt>) => PromiseLike<unknown>) {
  return (token: TokenLike | undefined): AdapterCall => {
    const [begun, end] = [deferred<undefined>(), deferred<string>()];
    let running = 0;
    const done = adapt(token, (signal) => {
      running += 1;
      begun.resolve(undefined);
      const onAbort = (): void => {
        end.reject(signal.reason as Error);
      };
      signal.addEventListener('abort', onAbort);
      return end.promise.finally(() => {
        running -= 1;
        signal.removeEventListener('abort', onAbort);
      });
    });
    return {
      done,
      begun: begun.promise,
      isRunning: () => running > 0,
      finish: () => end.resolve('done'),
      fail: end.reject,
    };
  };
}

export const good: Adapt = (token, work) => withCancellation(token, ({ signal }) => work(signal));
