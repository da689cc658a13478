import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, describe, expect, it } from 'vitest';

import { shareToken } from '../../src/adapters/worker/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import type { PoolTask } from '../integration/support/worker-task.ts';
import { majors } from './majors.ts';

const [newest] = majors;
const filename = pathToFileURL(join(import.meta.dirname, '../integration/support/worker-task.ts')).href;

/** The slice that both pools have. */
interface Pool {
  run(task: PoolTask, options: { transferList: never[]; signal: AbortSignal }): Promise<unknown>;
  destroy(): Promise<unknown>;
}

const { Piscina } = await newest!.load<typeof import('piscina')>('piscina');
const { Tinypool } = await newest!.load<typeof import('tinypool')>('tinypool');
const size = { minThreads: 1, maxThreads: 1 };
const pools: [string, Pool][] = [
  [`piscina ${newest!.version('piscina')}`, new Piscina({ filename, ...size })],
  [`tinypool ${newest!.version('tinypool')}`, new Tinypool({ filename, ...size })],
];

afterAll(async () => {
  for (const [, pool] of pools) await pool.destroy();
});

function start(pool: Pool, how: PoolTask['how'], graceMs: number) {
  const source = new CancellationTokenSource();
  const shared = shareToken(source, { graceMs });
  const transferList = shared.transferList as never[];
  const result = pool.run({ how, handle: shared.handle }, { transferList, signal: shared.graceSignal });
  return { source, shared, result };
}

describe.each(pools)('%s', (_name, pool) => {
  it('S28 a task that asks returns within the grace, and its thread lives on', async () => {
    const first = start(pool, 'adds', 1000);
    expect(await first.result).toBe('added');
    first.shared.release();
    const { source, shared, result } = start(pool, 'asks', 5000);
    await sleep(100);
    source.cancel({ kind: 'user', by: 'ada' });
    expect(await result).toBe('stopped by ada');
    shared.release();
  });

  it('S28 a deaf task loses its thread when the grace is over, and the pool goes on', async () => {
    const { source, shared, result } = start(pool, 'deaf', 150);
    const failure = result.catch((error: unknown) => error);
    await sleep(100);
    const startedAt = performance.now();
    source.cancel('user');
    expect(await failure).toMatchObject({ name: 'AbortError' });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(145);
    shared.release();
    const next = start(pool, 'adds', 1000);
    expect(await next.result).toBe('added');
    next.shared.release();
  });
});
