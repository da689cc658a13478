/**
 * Stops while the engine or the network misbehaves: what became of each, counted.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { systemClock } from '../../../src/core/foundation/clock.ts';
import type { Clock } from '../../../src/index.ts';
import { openStopBus, type StopBackend } from '../../../src/remote/index.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import { givenTime } from '../../support/limit.ts';

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
  /** Whether a lease after the engine's return one of both processes did not host, ask and know again that all is well. */
  lateBack: number;
}

/** What a starved machine may bring about is said, and is no fault of the bus. */
const harmless: readonly (keyof StopFigures)[] = ['fenced', 'unconfirmed'];

/** What went wrong. */
export function wrongs(figures: StopFigures): Partial<StopFigures> {
  const wrong = Object.entries(figures).filter(([what, count]) => count > 0 && !harmless.some((one) => one === what));
  return Object.fromEntries(wrong);
}

/** The figures of a fault in a line, beside those of a bus that only publishes. */
export function lineOf(name: string, stops: number, figures: object, published: number | undefined): string {
  const said = Object.entries(figures).map(([what, count]) => `${what} ${String(count)}`);
  const beside = published === undefined ? '' : `; by publishing lost ${String(published)}`;
  return `${name}: of ${String(stops)} stops ${said.join(', ')}${beside}\n`;
}

/** A process whose clock is wrong, and goes at the right pace. */
const skewed = (ms: number): Clock => ({
  now: () => systemClock.now() + ms,
  setTimer: (...given) => systemClock.setTimer(...given),
});

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
  readonly races?: boolean | undefined;
  /** Milliseconds by which the clock of the one is fast, and that of the other slow. */
  readonly skewMs?: number | undefined;
  /** Misbehaves from the first stop on; resolves when it is over. */
  readonly fault: () => Promise<void>;
  /** Whether a client that comes now is served, by the ways of both processes. */
  readonly isServed: () => Promise<boolean>;
}

/** Stops each of `stops` runs once while the fault lasts. */
export async function stopUnder(given: FaultRun): Promise<StopFigures> {
  const { asking, running, leaseMs, stops, spreadMs, races, skewMs = 0, fault, isServed } = given;
  const times = { leaseMs, confirmMs: 20_000 };
  const [fast, slow] = [skewed(skewMs), skewed(-skewMs)];
  await using front = await openStopBus(asking, { ...times, clock: fast });
  await using worker = await openStopBus(running, { ...times, clock: slow });
  const askers = new SessionRegistry({ bus: front, clock: fast });
  const runners = new SessionRegistry({ bus: worker, clock: slow });
  const away = new Set<unknown>();
  for (const bus of [front, worker]) {
    bus.onEvent(({ type }) => {
      if (type === 'degraded') away.add(bus);
      if (type === 'recovered') away.delete(bus);
    });
  }
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
  const figures: StopFigures = {
    ...{ lost: 0, falselyConfirmed: 0, toldTwice: 0, wrongRun: 0, fenced: 0, unconfirmed: 0, lateBack: 0 },
  };
  const back = fault().then(async () => {
    // What a fault leads to may last longer than the fault: a pooler refuses everybody for a while after a login that failed.
    while (!(await isServed())) await sleep(10);
    const time = givenTime();
    try {
      const session = runners.open('run-after-it');
      const isHosted = await session.ready();
      const { status } = await askers.cancel('run-after-it', 'enough', {
        ...{ wait: 'observed', timeoutMs: leaseMs * 8 },
      });
      while (away.size > 0 && time.ms() < leaseMs) await sleep(10);
      return isHosted && status !== 'unconfirmed' && status !== 'requested' && time.ms() < leaseMs;
    } finally {
      time.stop();
    }
  });
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
  if (!(await back)) figures.lateBack = 1;
  for (const { told } of bystanders) {
    if (told.some((kind) => !fencing.includes(kind))) figures.wrongRun++;
    if (told.some((kind) => fencing.includes(kind))) figures.fenced++;
  }
  await runners.drain({ timeoutMs: 0 });
  return figures;
}
