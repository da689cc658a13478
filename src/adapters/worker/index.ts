/**
 * Door `desist/worker`: tokens that reach other threads and processes, and calls that block.
 * A room of its own because it works with memory that threads share, and needs nothing of Node until a process is started.
 * Prior art: Emscripten's pthreads, Piscina, trio's `to_process`.
 *
 * @module desist/worker
 */
export { receiveToken } from './receive-token.ts';
export { runBlocking, type RunBlockingOptions } from './run-blocking.ts';
export { shareToken, type SharedToken, type ShareTokenOptions, type ThreadToken } from './share-token.ts';
export { superviseWorker, type SuperviseWorkerOptions, type WorkerEnd } from './supervise-worker.ts';
