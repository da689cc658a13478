/**
 * The process that runs in W9: `burst-runner.ts port`. It hosts what it is told to host, listens on a plain channel, and says
 * when it was told of each, by a clock that both processes have.
 *
 * @module
 */
import { Redis } from 'ioredis';
import { redisBackend } from 'desist/redis';
import { openStopBus } from 'desist/remote';
import { SessionRegistry } from 'desist/sessions';

/** What it is told: to host runs, or to say when so many were told or heard. */
export interface BurstOrder {
  readonly host?: readonly string[];
  readonly told?: number;
  readonly heard?: number;
}

const port = Number(process.argv[2]);
const bus = await openStopBus(redisBackend({ client: new Redis(port, { lazyConnect: true }) }));
const sessions = new SessionRegistry({ bus });
const plain = new Redis(port);
await plain.subscribe('plain');
const now = (): number => performance.timeOrigin + performance.now();
const [told, heard]: [number[], number[]] = [[], []];
plain.on('message', () => heard.push(now()));

async function host(ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => sessions.open(id).ready()));
  for (const id of ids) {
    const turn = sessions.open(id).controller.runTurn(({ token }) => {
      token.onCancelled(() => told.push(now()));
      return token.whenCancelled();
    });
    void turn.then(() => sessions.close(id));
  }
}

async function collect(times: number[], count: number): Promise<readonly number[]> {
  while (times.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  return times.splice(0);
}

async function obey({ host: ids = [], told: mostTold = 0, heard: mostHeard = 0 }: BurstOrder): Promise<void> {
  await host(ids);
  process.send?.([...(await collect(told, mostTold)), ...(await collect(heard, mostHeard))]);
}

process.on('message', (order: BurstOrder) => void obey(order));
process.once('disconnect', () => process.exit());
process.send?.([]);
