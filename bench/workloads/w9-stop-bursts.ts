/** W9: one stop, a hundred and a thousand at once, of runs in another process, beside as many bare publishes in the same run. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { redisBackend } from 'desist/redis';
import { openStopBus } from 'desist/remote';
import { SessionRegistry } from 'desist/sessions';
import type { BurstOrder } from '../engines/burst-runner.ts';
import { startRedisServer, type RedisServer } from '../engines/redis-server.ts';
import { median } from '../harness.ts';
import type { Row, Workload } from '../workload.ts';

const now = (): number => performance.timeOrigin + performance.now();

async function ask(runner: ChildProcess, order: BurstOrder): Promise<readonly number[]> {
  const answer = once(runner, 'message') as Promise<[number[]]>;
  runner.send(order);
  return (await answer)[0];
}

/** How long it took until half of them were there. */
const half = (times: readonly number[], from: number): number => median(times.map((at) => at - from));

interface Scene {
  readonly server: RedisServer;
  readonly runner: ChildProcess;
  readonly asking: SessionRegistry;
  readonly publisher: Redis;
}

async function burst({ server, runner, asking, publisher }: Scene, size: number, rounds: number): Promise<Row[]> {
  const [ours, bare, commands]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    const ids = Array.from({ length: size }, (_, n) => `${String(size)}-${String(round)}-${String(n)}`);
    await ask(runner, { host: ids });
    await sleep(50);
    const before = await server.info('total_commands_processed');
    let from = now();
    await Promise.all(ids.map((id) => asking.cancel(id, 'enough')));
    ours.push(half(await ask(runner, { told: size }), from));
    // With the end of each, which is written as well, and the look of whoever asked.
    await sleep(400);
    commands.push(((await server.info('total_commands_processed')) - before) / size);
    from = now();
    for (const id of ids) void publisher.publish('plain', id);
    bare.push(half(await ask(runner, { heard: size }), from));
  }
  const name = `${size.toLocaleString('en')} ${size === 1 ? 'stop' : 'stops at once'}`;
  return [
    { what: `${name}, until half are told in another process: p50`, value: median(ours), unit: 'ms' },
    {
      what: `${name}, the same / bare publishes: p50`,
      value: median(ours) / median(bare),
      unit: 'x',
      atMost: 4,
      // Three processes, and what a run's own stop costs, share the cores of the machine.
      floor: size > 100 ? 60 : 25,
    },
    {
      what: `${name}, commands of the engine for each, those inside of scripts included`,
      value: median(commands),
      unit: 'count',
      atMost: 8,
      floor: size > 1 ? 8 : 40,
    },
  ];
}

export const workload: Workload = {
  id: 'W9',
  title: 'Bursts of stops that cross a real Redis',
  async measure(effort) {
    const server = await startRedisServer();
    if (server === undefined) {
      process.stderr.write('redis-server is missing: W9 is not measured\n');
      return [];
    }
    const program = fileURLToPath(new URL('../engines/burst-runner.ts', import.meta.url));
    const runner = fork(program, [String(server.port)], { execArgv: [] });
    await once(runner, 'message');
    const bus = await openStopBus(redisBackend({ client: new Redis(server.port, { lazyConnect: true }) }));
    const scene = { server, runner, asking: new SessionRegistry({ bus }), publisher: new Redis(server.port) };
    try {
      await burst(scene, 200, 3);
      const rows: Row[] = [];
      for (const [size, rounds] of [
        [1, 40],
        [100, 15],
        [1_000, 7],
      ] as const)
        // prettier-ignore
        rows.push(...(await burst(scene, size, effort.scale === 1 ? rounds : 3)));
      return rows;
    } finally {
      scene.publisher.disconnect();
      await bus.close();
      runner.disconnect();
      await once(runner, 'exit');
      await server.stop();
    }
  },
};
