/** G21: a check of a token in shared memory, inside a hot loop; and how soon a loop on another thread ends. */
import { Worker } from 'node:worker_threads';
import { CancellationTokenSource } from 'desist';
import { receiveToken, shareToken } from 'desist/worker';
import { compare, keep, median } from '../harness.ts';
import type { Workload } from '../workload.ts';

class Bare {
  declare cancelled: boolean;
  constructor() {
    this.cancelled = false;
  }
}

/** What one round of a loop does between two checks: a few dozen instructions that no compiler leaves out. */
function step(value: number): number {
  let next = value | 1;
  for (let i = 0; i < 16; i++) {
    next ^= next << 13;
    next ^= next >>> 17;
    next ^= next << 5;
  }
  return next;
}

/** Milliseconds from a cancel here until a loop there has ended, by the clock that both threads share. */
async function exitMs(rounds: number): Promise<number> {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.door).then(({ receiveToken }) => {
      const { token, release } = receiveToken(workerData.handle);
      parentPort.postMessage('ready');
      let value = 1;
      while (!token.isCancelled) value = (Math.imul(value, 48271) ^ (value >>> 15)) | 1;
      parentPort.postMessage(performance.timeOrigin + performance.now());
      release();
    });`;
  const found: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const source = new CancellationTokenSource();
    const { handle, transferList } = shareToken(source);
    const door = import.meta.resolve('desist/worker');
    const worker = new Worker(code, { eval: true, workerData: { door, handle }, transferList });
    const next = (): Promise<unknown> => new Promise((resolve) => worker.once('message', resolve));
    await next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const endedAt = next();
    const cancelledAt = performance.timeOrigin + performance.now();
    source.cancel('user');
    found.push(((await endedAt) as number) - cancelledAt);
    await worker.terminate();
  }
  return median(found);
}

export const workload: Workload = {
  id: 'G21',
  title: 'A check of a flag in shared memory, in a hot loop',
  async measure(effort) {
    const shared = shareToken(null);
    const { token, release } = receiveToken(shared.handle);
    const child = token.child().token;
    const bare = new Bare();
    const words = new Int32Array(new SharedArrayBuffer(4));
    const timings = await compare(effort, {
      none: {
        run: (count) => {
          let value = 1;
          for (let i = 0; i < count; i++) value = step(value);
          keep(value);
        },
      },
      bare: {
        run: (count) => {
          let value = 1;
          for (let i = 0; i < count; i++) {
            if (bare.cancelled) break;
            value = step(value);
          }
          keep(value);
        },
      },
      atomic: {
        run: (count) => {
          let value = 1;
          for (let i = 0; i < count; i++) {
            if (Atomics.load(words, 0) !== 0) break;
            value = step(value);
          }
          keep(value);
        },
      },
      token: {
        run: (count) => {
          let value = 1;
          for (let i = 0; i < count; i++) {
            if (token.isCancelled) break;
            value = step(value);
          }
          keep(value);
        },
      },
    });
    // In a comparison of its own: another class at the same getter would make the first one slower.
    const below = await compare(effort, {
      none: {
        run: (count) => {
          let value = 1;
          for (let i = 0; i < count; i++) value = step(value);
          keep(value);
        },
      },
      child: {
        run: (count) => {
          let value = 1;
          for (let i = 0; i < count; i++) {
            if (child.isCancelled) break;
            value = step(value);
          }
          keep(value);
        },
      },
    });
    release();
    shared.release();
    return [
      {
        what: 'loop with the check / without',
        value: timings.ratio('token', 'none'),
        unit: 'x',
        atMost: { node24: 1.3, node20: 1.1 },
      },
      { what: 'the check, beyond the loop', value: timings.beyond('token', 'none'), unit: 'ns' },
      { what: 'a plain field read, beyond the loop', value: timings.beyond('bare', 'none'), unit: 'ns' },
      { what: 'Atomics.load, beyond the loop', value: timings.beyond('atomic', 'none'), unit: 'ns' },
      { what: 'the check of a child, beyond the loop', value: below.beyond('child', 'none'), unit: 'ns' },
      { what: 'cancel → the loop on the other thread has ended', value: await exitMs(5), unit: 'ms', atMost: 5 },
    ];
  },
};
