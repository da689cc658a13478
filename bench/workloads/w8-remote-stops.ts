/** W8: stops of runs in another process over a real Redis, beside a bare publish in the same run. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { redisBackend } from 'desist/redis';
import { openStopBus, type RemoteStopBus } from 'desist/remote';
import { SessionRegistry } from 'desist/sessions';
import { startRedisServer, type RedisServer } from '../engines/redis-server.ts';
import { median, type Effort } from '../harness.ts';
import type { Row, Workload } from '../workload.ts';

const noop = (): void => undefined;

/** Two buses, as two processes have them, and how to reach the engine without them. */
interface Scene {
  readonly server: RedisServer;
  readonly front: RemoteStopBus;
  readonly worker: RemoteStopBus;
}

async function hostAll(worker: RemoteStopBus, ids: readonly string[], deliver = noop): Promise<() => Promise<void>> {
  const ties = ids.map((id) =>
    worker.host(id, {
      deliver: (request) => {
        deliver();
        return Promise.resolve({
          ...{ reason: request.reason, turnId: undefined, requestedAt: 0, acknowledgedMs: 0, settledMs: 0 },
          ...{ operations: [], abandoned: [], callbackErrors: [], undelivered: [] },
        });
      },
    }),
  );
  while (!(await Promise.all(ties.map(async ({ claimed }) => claimed?.()))).every(Boolean));
  return async () => {
    for (const tie of ties) tie.release();
    while ((await Promise.all(ids.slice(-100).map((id) => worker.look(id)))).some(({ state }) => state === 'open'))
      await sleep(20);
  };
}

/** From `cancel()` to the token, and from `PUBLISH` to its message, each after the other. */
async function latencies({ server, front, worker }: Scene, rounds: number): Promise<Row[]> {
  const [publisher, subscriber] = [new Redis(server.port), new Redis(server.port)];
  await subscriber.subscribe('plain');
  const [asking, running] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let n = 0; n < rounds; n++) {
    const id = `latency-${String(n)}`;
    const session = running.open(id);
    await session.ready();
    let firedAt = 0;
    const turn = session.controller.runTurn(({ token }) => {
      token.onCancelled(() => (firedAt = performance.now()));
      return token.whenCancelled();
    });
    const from = performance.now();
    void asking.cancel(id, 'enough');
    await turn;
    ours.push(firedAt - from);
    await running.close(id);
    const heard = once(subscriber, 'message');
    const sentAt = performance.now();
    void publisher.publish('plain', 'stop');
    await heard;
    bare.push(performance.now() - sentAt);
  }
  publisher.disconnect();
  subscriber.disconnect();
  return [
    { what: 'cancel, until the token of another bus has fired: p50', value: median(ours), unit: 'ms' },
    {
      what: 'the same / a bare publish, until it is heard: p50',
      value: median(ours) / median(bare),
      unit: 'x',
      atMost: 3,
    },
  ];
}

/** What runs cost that nobody stops. */
async function idle({ server, worker }: Scene, runs: number, effort: Effort): Promise<Row[]> {
  const before = await server.info('used_memory');
  const ids = Array.from({ length: runs }, (_, n) => `idle-${String(n)}`);
  const release = await hostAll(worker, ids);
  const bytes = ((await server.info('used_memory')) - before) / runs;
  await sleep(500);
  const count = async (): Promise<[sent: number, all: number]> => [
    await server.info('cmdstat_evalsha'),
    await server.info('total_commands_processed'),
  ];
  const [[sent, all], since] = [await count(), performance.now()];
  // Three heartbeats, or one.
  await sleep(effort.scale === 1 ? 15_000 : 5_000);
  const [sentThen, allThen] = await count();
  const seconds = (performance.now() - since) / 1_000;
  await release();
  const name = runs.toLocaleString('en');
  return [
    {
      what: `operations a second of a process that hosts ${name} runs`,
      value: (sentThen - sent) / seconds,
      unit: 'count',
      atMost: 1,
    },
    // The questions of this bench are two of them.
    { what: 'with the commands inside of them', value: (allThen - all - 2) / seconds, unit: 'count' },
    { what: `memory of the engine for each of ${name} runs`, value: bytes, unit: 'bytes', atMost: 250 },
  ];
}

async function atOnce({ server, front, worker }: Scene, stops: number): Promise<Row[]> {
  let told = 0;
  const ids = Array.from({ length: stops }, (_, n) => `at-once-${String(n)}`);
  const release = await hostAll(worker, ids, () => told++);
  const asking = new SessionRegistry({ bus: front });
  const sent = await server.info('cmdstat_evalsha');
  const [cpu, from] = [process.cpuUsage(), performance.now()];
  const receipts = await Promise.all(
    ids.map((id) => asking.cancel(id, 'enough', { wait: 'observed', timeoutMs: 60_000 })),
  );
  const value = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  const operations = (await server.info('cmdstat_evalsha')) - sent;
  const reached = receipts.filter(({ status }) => status === 'observed' || status === 'settled').length;
  await release();
  const name = stops.toLocaleString('en');
  return [
    {
      what: `${name} stops at once, until all are known to be observed`,
      value,
      unit: 'ms',
      atMost: 1_000,
      // Both sides share one core here, and that core may have other work.
      floor: 6_000,
    },
    // These two say the same on a busy machine.
    { what: 'CPU of both sides for each of these', value: (user + system) / 1_000 / stops, unit: 'ms', atMost: 0.5 },
    { what: 'operations of the engine for each of these', value: operations / stops, unit: 'count', atMost: 0.5 },
    {
      what: 'of these observed, told once each',
      value: told === reached ? reached : -1,
      unit: 'count',
      atLeast: stops,
    },
  ];
}

export const workload: Workload = {
  id: 'W8',
  title: 'A stop that crosses a real Redis',
  async measure(effort) {
    const server = await startRedisServer();
    if (server === undefined) {
      process.stderr.write('redis-server is missing: W8 is not measured\n');
      return [];
    }
    const backend = redisBackend({ client: new Redis(server.port, { lazyConnect: true }) });
    const scene = { server, front: await openStopBus(backend), worker: await openStopBus(backend) };
    try {
      const rows = await latencies(scene, effort.scale === 1 ? 500 : 100);
      for (const runs of effort.scale === 1 ? [1_000, 10_000, 100_000] : [1_000])
        rows.push(...(await idle(scene, runs, effort)));
      rows.push(...(await atOnce(scene, effort.scale === 1 ? 5_000 : 500)));
      return rows;
    } finally {
      await Promise.all([scene.front.close(), scene.worker.close()]);
      await server.stop();
    }
  },
};
