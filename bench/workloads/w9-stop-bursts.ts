/**
 * W9: one stop, a hundred and a thousand at once, of runs in another process, beside as many bare publishes in the same run, and
 * beside what such a stop cannot do without.
 */
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
import { askLeast } from '../limits/least-stop.ts';
import type { Row, Workload } from '../workload.ts';

const now = (): number => performance.timeOrigin + performance.now();

/** The process that runs, which must not be waited for when it is gone. */
class Runner {
  readonly #process: ChildProcess;
  readonly #gone: Promise<never>;

  constructor(port: number) {
    const program = fileURLToPath(new URL('../engines/burst-runner.ts', import.meta.url));
    this.#process = fork(program, [String(port)], { execArgv: [] });
    this.#gone = once(this.#process, 'exit').then(() => Promise.reject(new Error('the runner is gone')));
    this.#gone.catch(() => undefined);
  }

  /** What it says next. */
  async says(): Promise<readonly number[]> {
    return (await Promise.race([once(this.#process, 'message') as Promise<[number[]]>, this.#gone]))[0];
  }

  ask(order: BurstOrder): Promise<readonly number[]> {
    const answer = this.says();
    this.#process.send(order);
    return answer;
  }

  async end(): Promise<void> {
    this.#process.disconnect();
    await this.#gone.catch(() => undefined);
  }
}

/** How long it took until half of them were there. */
const half = (times: readonly number[], from: number): number => median(times.map((at) => at - from));

interface Scene {
  readonly server: RedisServer;
  readonly runner: Runner;
  readonly asking: SessionRegistry;
  readonly publisher: Redis;
}

/** Sends stops, and says when they were told, or came. */
interface Way {
  /** How the runner is told to host them, where it is. */
  readonly order?: 'host' | 'hostAlone';
  send(ids: readonly string[]): Promise<unknown>;
}

const ways = ({ asking, publisher }: Scene): Readonly<Record<'ours' | 'plain' | 'bare' | 'least', Way>> => ({
  ours: { order: 'host', send: (ids) => Promise.all(ids.map((id) => asking.cancel(id, 'enough'))) },
  plain: { send: (ids) => Promise.all(ids.map((id) => publisher.publish('plain', id))) },
  bare: { order: 'hostAlone', send: (ids) => Promise.all(ids.map((id) => publisher.publish('bare', id))) },
  least: { order: 'hostAlone', send: (ids) => askLeast(publisher, ids) },
});

/** Milliseconds until half are there, and commands of the engine for each. */
async function sendOnce({ server, runner }: Scene, { order, send }: Way, ids: readonly string[]): Promise<Sent> {
  if (order !== undefined) await runner.ask({ [order]: ids });
  await sleep(50);
  const before = await server.info('total_commands_processed');
  const from = now();
  const sent = send(ids);
  const ms = half(await runner.ask(order === undefined ? { heard: ids.length } : { told: ids.length }), from);
  await sent;
  // With the end of each, which is written as well, and the look of whoever asked, a second later.
  await sleep(1_300);
  const commands = ((await server.info('total_commands_processed')) - before - 1) / ids.length;
  return { ms, commands };
}

interface Sent {
  readonly ms: number;
  readonly commands: number;
}

async function burst(scene: Scene, size: number, rounds: number): Promise<Row[]> {
  const all = Object.entries(ways(scene));
  const found = new Map<string, Sent[]>(all.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, way] of all) {
      const ids = Array.from({ length: size }, (_, n) => `${name}-${String(size)}-${String(round)}-${String(n)}`);
      found.get(name)?.push(await sendOnce(scene, way, ids));
    }
  }
  const of = (name: keyof ReturnType<typeof ways>, what: keyof Sent): number =>
    median((found.get(name) ?? []).map((sent) => sent[what]));
  const many = `${size.toLocaleString('en')} ${size === 1 ? 'stop' : 'stops at once'}`;
  const limit = `limit: ${many},`;
  return [
    { what: `${many}, until half are told in another process: p50`, value: of('ours', 'ms'), unit: 'ms' },
    {
      what: `${many}, the same / bare publishes: p50`,
      value: of('ours', 'ms') / of('plain', 'ms'),
      unit: 'x',
      atMost: 4,
      // Three processes share the cores of the machine; on one that is busy each waits its turn at every step.
      floor: size === 1 ? 8 : size > 100 ? 60 : 20,
    },
    {
      what: `${limit} a bare publish that stops it there, and nothing is kept / bare publishes`,
      value: of('bare', 'ms') / of('plain', 'ms'),
      unit: 'x',
    },
    {
      what: `${limit} the least that keeps it / bare publishes`,
      value: of('least', 'ms') / of('plain', 'ms'),
      unit: 'x',
    },
    {
      what: `${many}, commands of the engine for each, those inside of scripts included`,
      value: of('ours', 'commands'),
      unit: 'count',
      atMost: 8,
      floor: size === 1 ? 20 : 8,
    },
    { what: `${limit} the least that keeps it: commands of the engine`, value: of('least', 'commands'), unit: 'count' },
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
    const runner = new Runner(server.port);
    await runner.says();
    const bus = await openStopBus(redisBackend({ client: new Redis(server.port, { lazyConnect: true }) }));
    const scene = { server, runner, asking: new SessionRegistry({ bus }), publisher: new Redis(server.port) };
    try {
      await burst(scene, 200, 3);
      const rows: Row[] = [];
      for (const [size, rounds] of [
        [1, 20],
        [100, 12],
        [1_000, 7],
      ] as const)
        // prettier-ignore
        rows.push(...(await burst(scene, size, effort.scale === 1 ? rounds : 3)));
      return rows;
    } finally {
      scene.publisher.disconnect();
      await bus.close();
      await runner.end();
      await server.stop();
    }
  },
};
