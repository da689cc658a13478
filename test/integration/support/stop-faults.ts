/**
 * Stops while the engine or the network misbehaves: what became of each, counted.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { openStopBus, type StopBackend } from '../../../src/remote/index.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';

/** How many runs are stopped under each fault: the gate's few, or the long form's many. */
export const STOPS = Number(process.env['FAULT_STOPS'] ?? 100);

/** What became of the stops, and of as many runs that nobody stopped. */
export interface StopFigures {
  /** Runs that were asked to stop, and did not. */
  lost: number;
  /** Stops said to be observed or settled while the run went on. */
  falselyConfirmed: number;
  /** Runs that stopped more than once, or that nobody asked to. */
  doubled: number;
}

/** A run that counts how often it was stopped. */
interface CountedRun {
  stops: number;
  readonly ended: Promise<unknown>;
}

/** How the runs meet the fault. */
export interface FaultRun {
  /** Of the process that asks, and of the one that runs. */
  readonly asking: StopBackend;
  readonly running: StopBackend;
  readonly leaseMs: number;
  /** Milliseconds over which the stops are spread. */
  readonly spreadMs: number;
  /** Each run begins in the moment of its stop. */
  readonly races?: boolean;
  /** Misbehaves from the first stop on; resolves when it is over. */
  readonly fault: () => Promise<void>;
}

/** Stops each of `STOPS` runs once while the fault lasts. */
export async function stopUnder({ asking, running, leaseMs, spreadMs, races, fault }: FaultRun): Promise<StopFigures> {
  const times = { leaseMs, confirmMs: 20_000 };
  await using front = await openStopBus(asking, times);
  await using worker = await openStopBus(running, times);
  const [askers, runners] = [new SessionRegistry({ bus: front }), new SessionRegistry({ bus: worker })];
  const begin = (id: string): CountedRun => {
    const run: CountedRun = {
      stops: 0,
      ended: runners.open(id).controller.runTurn(async ({ token }) => {
        token.onCancelled(() => (run.stops += 1));
        await token.cancelled();
      }),
    };
    return run;
  };
  const ids = Array.from({ length: STOPS }, (_, n) => `run-${String(n)}`);
  const bystanders = ids.map((id) => begin(`${id}-left-alone`));
  const runs = new Map(races === true ? [] : ids.map((id) => [id, begin(id)]));
  // The records are in the engine before the fault begins; the race is the one case that is about that.
  if (races !== true) for (const id of ids) while ((await front.look(id)).state !== 'open') await sleep(10);
  const figures: StopFigures = { lost: 0, falselyConfirmed: 0, doubled: 0 };
  const over = fault();
  await Promise.all(
    ids.map(async (id, n) => {
      await sleep((spreadMs * n) / STOPS);
      // A race is run in either order, with little between the two.
      const early = races === true && n % 2 === 0 ? begin(id) : runs.get(id);
      if (races === true) await sleep(n % 5);
      const asked = askers.cancel(id, 'enough', { wait: 'settled', timeoutMs: 30_000 });
      const run = early ?? begin(id);
      const { status } = await asked;
      if ((status === 'observed' || status === 'settled') && run.stops === 0) figures.falselyConfirmed++;
      await Promise.race([run.ended, sleep(10_000, undefined, { ref: false })]);
      if (run.stops === 0) figures.lost++;
      if (run.stops > 1) figures.doubled++;
    }),
  );
  await over;
  figures.doubled += bystanders.filter(({ stops }) => stops > 0).length;
  await runners.drain({ timeoutMs: 0 });
  return figures;
}
