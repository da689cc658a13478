import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

import { leakCheck } from '../../../src/testing/leaks/leak-check.ts';
import { watchWorkers } from '../../../src/testing/leaks/worker-threads.ts';

it('a worker thread that nobody listens to is a leak, until it has ended', async () => {
  const [check, watch] = [leakCheck(), watchWorkers()];
  const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
  await once(worker, 'online');
  expect(watch.running()).toBe(1);
  expect(await check.finish({ settleMs: 0 })).toContainEqual({ name: 'worker thread', count: 1 });
  await worker.terminate();
  expect(watch.running()).toBe(0);
  watch.stop();
  const later = new Worker('', { eval: true });
  expect(watch.running()).toBe(0);
  await once(later, 'exit');
});
