/**
 * A function that takes a token, held to the laws that its callers rely on: one that hears every stop, and the same with a
 * listener that it forgets.
 */
import { CancellationToken, withCancellation, type TokenLike } from 'desist';
import { deferred, describeAdapter, type AdapterHarness, type Deferred } from 'desist/testing';

type Download = (token: TokenLike | undefined, transfer: (signal: AbortSignal) => Promise<string>) => Promise<string>;

const download: Download = (token, transfer) => withCancellation(token, ({ signal }) => transfer(signal));

/** The fault: it shows a stop to the person, and goes on listening when the download is over. */
const forgetful: Download = (token, transfer) => {
  CancellationToken.from(token ?? CancellationToken.none).onCancelled(() => {});
  return download(token, transfer);
};

/** What stands for the network: a transfer that goes on until it is stopped or told to end, and a witness of it. */
function harness(name: string, adapter: Download): AdapterHarness {
  return {
    name,
    start(token) {
      const [begun, end]: [Deferred<void>, Deferred<string>] = [deferred(), deferred()];
      let running = 0;
      const done = adapter(token, async (signal) => {
        running += 1;
        begun.resolve();
        const stop = () => end.reject(signal.reason as Error);
        signal.addEventListener('abort', stop);
        try {
          return await end.promise;
        } finally {
          signal.removeEventListener('abort', stop);
          running -= 1;
        }
      });
      return {
        done,
        begun: begun.promise,
        isRunning: () => running > 0,
        finish: () => end.resolve('all'),
        fail: end.reject,
      };
    },
  };
}

for (const [name, adapter] of Object.entries({ download, forgetful })) {
  const verdicts = await describeAdapter(harness(name, adapter), { settleMs: 200 });
  const broken = verdicts.filter(({ status }) => status === 'failed');
  console.log(`${name}: ${verdicts.length - broken.length} of ${verdicts.length} laws hold`);
  for (const { law, why } of broken) console.log(`- ${law}: ${why}`);
}

// Output:
// download: 9 of 9 laws hold
// forgetful: 7 of 9 laws hold
// - a call that ends leaves nothing on its token or its signal: waited 200 ms until nothing of the call hangs on the token
// - a failure of the work is its own, and no stop: waited 200 ms until nothing of the call hangs on the token
