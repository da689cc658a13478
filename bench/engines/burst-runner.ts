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
import { answerLeast, hostLeast, leastChannel } from '../limits/least-stop.ts';

/** What it is told: to host runs, on the bus or for itself alone, or to say when so many were told or heard. */
export interface BurstOrder {
  readonly host?: readonly string[];
  readonly hostAlone?: readonly string[];
  readonly told?: number;
  readonly heard?: number;
}

const port = Number(process.argv[2]);
const bus = await openStopBus(redisBackend({ client: new Redis(port, { lazyConnect: true }) }));
const sessions = new SessionRegistry({ bus });
/** Knows no bus: what a stop costs where the run is. */
const alone = new SessionRegistry();
const [plain, own] = [new Redis(port), new Redis(port)];
await plain.subscribe('plain', 'bare', leastChannel);
const now = (): number => performance.timeOrigin + performance.now();
const [told, heard]: [number[], number[]] = [[], []];
const stopAlone = (id: string): void => void alone.cancel(id, 'enough');
plain.on('message', (channel, message) => {
  if (channel === 'plain') heard.push(now());
  else if (channel === 'bare') stopAlone(message);
  else void answerLeast(own, message, stopAlone);
});

function run(sessions: SessionRegistry, ids: readonly string[]): void {
  for (const id of ids) {
    const turn = sessions.open(id).controller.runTurn(({ token }) => {
      token.onCancelled(() => told.push(now()));
      return token.whenCancelled();
    });
    void turn.then(() => sessions.close(id));
  }
}

async function host(ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => sessions.open(id).ready()));
  run(sessions, ids);
}

async function hostAlone(ids: readonly string[]): Promise<void> {
  await hostLeast(own, ids);
  run(alone, ids);
}

async function collect(times: number[], count: number): Promise<readonly number[]> {
  while (times.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  return times.splice(0);
}

async function obey({ told: mostTold = 0, heard: mostHeard = 0, ...given }: BurstOrder): Promise<void> {
  if (given.host !== undefined) await host(given.host);
  if (given.hostAlone !== undefined) await hostAlone(given.hostAlone);
  process.send?.([...(await collect(told, mostTold)), ...(await collect(heard, mostHeard))]);
}

process.on('message', (order: BurstOrder) => void obey(order));
process.once('disconnect', () => process.exit());
process.send?.([]);
