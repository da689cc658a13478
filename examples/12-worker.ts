/**
 * A search runs on another thread, in a loop that never lets go of it; the person presses Stop. The loop sees it through
 * shared memory. A call that blocks inside the operating system gets a process of its own, and that goes too.
 */
import { Worker } from 'node:worker_threads';

import { CancellationTokenSource } from 'desist';
import { runBlocking, shareToken, superviseWorker } from 'desist/worker';

const stop = new CancellationTokenSource({ name: 'search' });

// On the other thread: no `await` in the loop, so no message could be heard there.
const search = `
  const { parentPort, workerData } = require('node:worker_threads');
  import('desist/worker').then(({ receiveToken }) => {
    const { token, release } = receiveToken(workerData);
    parentPort.postMessage('searching');
    let best = 0;
    for (let n = 1; !token.isCancelled; n++) best = Math.max(best, n % 97);
    parentPort.postMessage('best so far ' + best + ', stopped by ' + token.reason.by);
    release();
  });
`;
const { handle, transferList } = shareToken(stop);
const worker = new Worker(search, { eval: true, workerData: handle, transferList });
const ended = superviseWorker(stop.token, worker);
worker.on('message', (text: string) => {
  console.log('worker:', text);
  if (text === 'searching') setTimeout(() => stop.cancel({ kind: 'user', by: 'ada' }), 100);
});
console.log('terminated:', (await ended).terminated);

// A thread that waits for a child cannot be terminated. A process can.
const again = new CancellationTokenSource();
const blocking =
  'data:text/javascript,import{execFileSync}from"node:child_process";export default()=>execFileSync("sleep",["60"])';
setTimeout(() => again.cancel('user'), 300);
await runBlocking(again.token, blocking).catch((error: unknown) => {
  console.log('blocking call:', error instanceof Error && error.message);
});

// Output:
// worker: searching
// worker: best so far 96, stopped by ada
// terminated: false
// blocking call: User cancelled
