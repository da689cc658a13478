/**
 * Stops while the engine or the network misbehaves: what became of each, counted.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { openStopBus, type StopBackend } from '../../../src/remote/index.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import type { Engine } from '../../support/engines/redis.ts';
import type { LoopbackProxy } from './loopback-proxy.ts';

/** How many runs are stopped under each fault: the gate's few, or the long form's many. */
export const STOPS = Number(process.env['FAULT_STOPS'] ?? 100);

/** Whether this is the long form. */
export const isLong: boolean = STOPS >= 1_000;

/** What became of the stops, and of as many runs that nobody stopped. */
export interface StopFigures {
  /** Runs that were asked to stop and did not, though no receipt says that nobody knows: the rest is honest. */
  lost: number;
  /** Stops said to be observed or settled while the run went on. */
  falselyConfirmed: number;
  /** Runs that the same stop reached more than once. */
  toldTwice: number;
  /** Runs that stopped and that nobody asked to. */
  wrongRun: number;
  /** Runs that were stopped by their own host, as it had no lease any more; only where the machine was starved. */
  fenced: number;
  /** Stops that nobody could confirm, and said so. */
  unconfirmed: number;
}

/** Nothing went wrong: what a starved machine may bring about is said, and is no fault of the bus. */
export const wrongs = ({ lost, falselyConfirmed, toldTwice, wrongRun }: StopFigures): readonly number[] => [
  ...[lost, falselyConfirmed, toldTwice, wrongRun],
];

/** The figures of a fault in a line, beside those of a bus that only publishes. */
export function lineOf(name: string, stops: number, figures: object, published: number | undefined): string {
  const said = Object.entries(figures).map(([what, count]) => `${what} ${String(count)}`);
  const beside = published === undefined ? '' : `; by publishing lost ${String(published)}`;
  return `${name}: of ${String(stops)} stops ${said.join(', ')}${beside}\n`;
}

/** A run that counts what it was told, by kind. */
interface CountedRun {
  readonly told: string[];
  readonly ended: Promise<unknown>;
}

const fencing = ['lease-lost', 'superseded'];

/** How the runs meet the fault. */
export interface FaultRun {
  /** Of the process that asks, and of the one that runs. */
  readonly asking: StopBackend;
  readonly running: StopBackend;
  readonly leaseMs: number;
  /** How many runs are stopped. */
  readonly stops: number;
  /** Milliseconds over which the stops are spread. */
  readonly spreadMs: number;
  /** Each run begins in the moment of its stop. */
  readonly races?: boolean;
  /** Misbehaves from the first stop on; resolves when it is over. */
  readonly fault: () => Promise<void>;
}

/** Stops each of `stops` runs once while the fault lasts. */
export async function stopUnder(given: FaultRun): Promise<StopFigures> {
  const { asking, running, leaseMs, stops, spreadMs, races, fault } = given;
  const times = { leaseMs, confirmMs: 20_000 };
  await using front = await openStopBus(asking, times);
  await using worker = await openStopBus(running, times);
  const [askers, runners] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
  const begin = (id: string): CountedRun => {
    const told: string[] = [];
    const ended = runners.open(id).controller.runTurn(async ({ token }) => {
      token.onCancelled(({ kind }) => told.push(kind));
      await token.whenCancelled();
    });
    return { told, ended };
  };
  const ids = Array.from({ length: stops }, (_, n) => `run-${String(n)}`);
  const bystanders = ids.map((id) => begin(`${id}-left-alone`));
  const runs = new Map(races === true ? [] : ids.map((id) => [id, begin(id)]));
  // The records are in the engine before the fault begins; the race is the one case that is about that.
  if (races !== true) for (const id of ids) while ((await askers.look(id)).state !== 'open') await sleep(10);
  const figures: StopFigures = { lost: 0, falselyConfirmed: 0, toldTwice: 0, wrongRun: 0, fenced: 0, unconfirmed: 0 };
  const over = fault();
  await Promise.all(
    ids.map(async (id, n) => {
      await sleep((spreadMs * n) / stops);
      // A race is run in either order, with little between the two.
      const early = races === true && n % 2 === 0 ? begin(id) : runs.get(id);
      if (races === true) await sleep(n % 5);
      const asked = askers.cancel(id, 'enough', { wait: 'settled', timeoutMs: 30_000 });
      const run = early ?? begin(id);
      const { status } = await asked;
      if ((status === 'observed' || status === 'settled') && run.told.length === 0) figures.falselyConfirmed++;
      await Promise.race([run.ended, sleep(30_000, undefined, { ref: false })]);
      if (status === 'unconfirmed') figures.unconfirmed++;
      else if (run.told.length === 0) figures.lost++;
      if (run.told.filter((kind) => kind === 'user').length > 1) figures.toldTwice++;
      if (run.told.some((kind) => fencing.includes(kind))) figures.fenced++;
    }),
  );
  await over;
  for (const { told } of bystanders) {
    if (told.some((kind) => !fencing.includes(kind))) figures.wrongRun++;
    if (told.some((kind) => fencing.includes(kind))) figures.fenced++;
  }
  await runners.drain({ timeoutMs: 0 });
  return figures;
}

/** What goes wrong while the stops are on their way. */
export interface Fault {
  readonly name: string;
  /** Milliseconds over which the stops are spread. */
  readonly spreadMs: number;
  readonly races?: boolean;
  /**
   * Whether a bus that only publishes is bound to lose some. TCP brings late what is sent during a short partition, and a
   * client that is back sooner than the next stop misses nothing of a restart.
   */
  readonly losesMessages: boolean;
  readonly run: (engine: Engine, proxy: LoopbackProxy) => Promise<void>;
}

/** How many runs a fault meets: the long form races twice as often, as each race has its own luck. */
export function stopsOf({ races }: Fault): number {
  return races === true && isLong ? STOPS * 2 : STOPS;
}

/** What every engine has to stand, and the network to it. */
export const faults: readonly Fault[] = [
  {
    name: 'an engine that is killed twice',
    losesMessages: false,
    spreadMs: 4_000,
    run: async (engine) => {
      for (const _ of [1, 2]) {
        await sleep(1_000);
        await engine.restart();
      }
    },
  },
  {
    name: "a runner's socket that is cut every 300 ms",
    losesMessages: true,
    spreadMs: 3_000,
    run: async (_, proxy) => {
      for (let n = 0; n < 10; n++) {
        await sleep(300);
        proxy.cut();
      }
    },
  },
  {
    name: 'a socket that is half open',
    losesMessages: true,
    spreadMs: 2_000,
    run: async (_, proxy) => {
      await sleep(500);
      proxy.silence();
    },
  },
  {
    name: 'a partition of 3 s',
    losesMessages: false,
    spreadMs: 3_500,
    run: async (_, proxy) => {
      proxy.part();
      await sleep(3_000);
      proxy.heal();
    },
  },
  {
    name: 'stops that race with registration',
    spreadMs: 500,
    losesMessages: true,
    races: true,
    run: () => Promise.resolve(),
  },
];
