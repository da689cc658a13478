/** G17: being woken against looking every 50 ms. */
import { CancellationTokenSource, raceCancellation } from 'desist';
import { median } from '../harness.ts';
import type { Workload } from '../workload.ts';

const INTERVAL_MS = 50;
const LOOPS = 40;
const never = new Promise<never>(() => {});

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function nanosSince(start: bigint): number {
  return Number(process.hrtime.bigint() - start);
}

/** Forty loops, each started at a moment of its own, all told to stop at once. */
async function polling(): Promise<number> {
  const flag = { stop: false };
  let toldAt = 0n;
  const late: number[] = [];
  const loops: Promise<void>[] = [];
  for (let i = 0; i < LOOPS; i++) {
    loops.push(
      (async () => {
        while (!flag.stop) await sleep(INTERVAL_MS);
        late.push(nanosSince(toldAt));
      })(),
    );
    await sleep(INTERVAL_MS / LOOPS);
  }
  flag.stop = true;
  toldAt = process.hrtime.bigint();
  await Promise.all(loops);
  return median(late);
}

async function woken(): Promise<number> {
  const source = new CancellationTokenSource();
  let nanos = 0;
  let toldAt = 0n;
  const caught = raceCancellation(source.token, never).catch(() => {
    nanos = nanosSince(toldAt);
  });
  toldAt = process.hrtime.bigint();
  source.cancel('user');
  await caught;
  return nanos;
}

export const workload: Workload = {
  id: 'G17',
  title: 'Wake against a polling loop',
  async measure(effort) {
    for (let i = 0; i < 20_000; i++) await woken();
    const ratios: number[] = [];
    for (let round = 0; round < effort.rounds; round++) {
      const looked = await polling();
      const heard: number[] = [];
      for (let i = 0; i < 1001; i++) heard.push(await woken());
      ratios.push(looked / median(heard));
    }
    return [
      { what: `looking every ${INTERVAL_MS} ms / being woken`, value: median(ratios), unit: 'x', atLeast: 10_000 },
    ];
  },
};
