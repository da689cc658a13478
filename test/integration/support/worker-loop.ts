/**
 * The other side of the worker tests: a loop that asks, one that does not, one that only waits for messages.
 *
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads';

import { receiveToken } from '../../../src/adapters/worker/index.ts';
import type { TokenHandle } from '../../../src/adapters/worker/share-token.ts';
import { threadPath, withoutCoreMs } from './without-core.ts';

const { how, handle } = workerData as { readonly how: string; readonly handle: TokenHandle };
const { token, cancel, release } = receiveToken(handle);

/** Work that no engine leaves out. */
function spin(): number {
  let value = 1;
  for (let i = 0; i < 100; i++) value = (Math.imul(value, 48_271) ^ i) >>> 0;
  return value;
}

if (how === 'loop') {
  parentPort?.postMessage(threadPath());
  let rounds = 0;
  while (!token.isCancelled) rounds += spin() & 1;
  parentPort?.postMessage({ at: Date.now(), withoutCoreMs: withoutCoreMs(), rounds, reason: token.reason });
  release();
} else if (how === 'child') {
  const child = token.child().token;
  parentPort?.postMessage(threadPath());
  while (!child.isCancelled) spin();
  parentPort?.postMessage({ at: Date.now(), withoutCoreMs: withoutCoreMs(), reason: child.reason });
  release();
} else if (how === 'deaf') {
  parentPort?.postMessage('ready');
  for (;;) spin();
} else if (how === 'wait') {
  const work = setInterval(() => undefined, 1000); // a token that is waited for keeps no thread alive
  parentPort?.postMessage('ready');
  await token.whenCancelled();
  clearInterval(work);
  parentPort?.postMessage({ at: Date.now(), reason: token.reason, signal: token.signal.aborted });
  release();
} else {
  cancel({ kind: 'budget', message: 'deep enough' });
  parentPort?.postMessage('ready');
}
