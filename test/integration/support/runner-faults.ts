/**
 * Stops of runs in another process, which is paused past its lease or killed: what became of each, counted.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { expect, vi } from 'vitest';

import { openStopBus, type StopConnection } from '../../../src/remote/index.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import { reachEngine, type EngineName } from './runner-engine.ts';
import { lineOf, STOPS, type StopFigures } from './stop-faults.ts';

/** What a fault of the runner showed. */
export interface RunnerFigures extends Pick<StopFigures, 'lost' | 'falselyConfirmed'> {
  /** Stops that were confirmed and told to the next run as well, and runs that stopped and that nobody asked to. */
  doubled: number;
  /** Writes that the engine took from the runner after another one had taken its runs over. */
  lateWrites: number;
}

/** The figures, those of the plain bus, and whether the fault met what it was to meet. */
export interface RunnerOutcome {
  readonly figures: RunnerFigures;
  /** Stops that nobody heard who only listened. */
  readonly published: number;
  /** Stops that were answered with the death of the runner. */
  readonly foundDead: number;
  /** Late writes that were refused. */
  readonly refused: number;
}

/** A runner that is paused in the middle, or killed. */
export type RunnerFault = 'paused' | 'killed';

/** Both. */
export const runnerFaults: readonly RunnerFault[] = ['paused', 'killed'];

/** A third of it is how long the engine may take to answer, also beside a busy neighbour. */
const leaseMs = 3_000;
const program = fileURLToPath(new URL('stop-runner.ts', import.meta.url));

interface Runner {
  /** The kinds of the stops that each run was told. */
  readonly stopped: ReadonlyMap<string, readonly string[]>;
  readonly heard: ReadonlySet<string>;
  /** What became of each late write. */
  readonly late: readonly string[];
  said(word: 'ready' | 'over'): Promise<void>;
  signal(name: NodeJS.Signals): void;
  readonly gone: Promise<unknown>;
}

function startRunner(...given: readonly string[]): Runner {
  const child = spawn(process.execPath, [program, ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 240_000,
  });
  const [stopped, heard, words] = [new Map<string, string[]>(), new Set<string>(), new Map<string, () => void>()];
  const spoken = new Map(['ready', 'over'].map((word) => [word, new Promise<void>((done) => words.set(word, done))]));
  const late: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const [word = '', id = '', kind = ''] = line.split(' ');
    if (word === 'stopped') stopped.set(id, [...(stopped.get(id) ?? []), kind]);
    else if (word === 'heard') heard.add(id);
    else if (word === 'late') late.push(kind);
    else words.get(word)?.();
  });
  const gone = new Promise<void>((resolve) => lines.once('close', resolve));
  return {
    ...{ stopped, heard, late },
    said: (word) =>
      Promise.race([spoken.get(word), gone.then(() => Promise.reject(new Error(`ended before ${word}`)))]),
    signal: (name) => child.kill(name),
    gone,
  };
}

/** Waits for what has to come; a broken engine never lets it. */
const until = (holds: () => boolean | Promise<boolean>): Promise<void> =>
  vi.waitFor(async () => expect(await holds()).toBe(true), { interval: 10, timeout: 30_000 });

const readAll = (connection: StopConnection, ids: readonly string[]): Promise<readonly (string | undefined)[]> =>
  Promise.all(ids.map(async (id) => (await connection.read(id)).value));

/** Asks `STOPS` runs of another process to stop, each once: the first half before the fault, the others after it. */
export async function stopFaultyRunner(engine: EngineName, port: number, fault: RunnerFault): Promise<RunnerOutcome> {
  const access = reachEngine(engine, port);
  const times = { leaseMs, confirmMs: 20_000 };
  const front = await openStopBus(access.backend, times);
  const successor = await openStopBus(access.backend, times);
  const watcher = await access.backend.connect('watcher', { wake: () => 0, resync: () => 0, down: () => 0 });
  const ids = Array.from({ length: STOPS }, (_, n) => `run-${String(n)}`);
  const bystanders = ids.map((id) => `${id}-left-alone`);
  const runner = startRunner(engine, String(port), String(leaseMs), [...ids, ...bystanders].join(','));
  try {
    await runner.said('ready');
    const askers = new SessionRegistry({ bus: front });
    const ask = async (id: string): Promise<string> => {
      void access.publish(id);
      return (await askers.cancel(id, { kind: 'user', message: 'enough' }, { wait: 'settled', timeoutMs: 30_000 }))
        .status;
    };
    const half = STOPS / 2;
    const first = ids.slice(0, half).map(ask);
    // Half of these are confirmed, and what the runner has to say of the others is on its way.
    const early = await Promise.all(first.filter((_, n) => n % 2 === 0));
    await until(() => runner.stopped.size >= half);
    runner.signal(fault === 'paused' ? 'SIGSTOP' : 'SIGKILL');
    const receipts = await Promise.all([...first, ...ids.slice(half).map(ask)]);

    const seconds = new Map<string, string[]>();
    const next = new SessionRegistry({ bus: successor });
    for (const id of [...ids, ...bystanders]) {
      const told: string[] = [];
      seconds.set(id, told);
      void next.open(id).controller.runTurn(async ({ token }) => {
        token.onCancelled(({ kind }) => told.push(kind));
        await token.whenCancelled();
      });
    }
    for (const id of [...ids, ...bystanders]) await until(async () => (await askers.look(id)).state === 'open');
    // What was told to the new runs is written by then.
    await sleep(leaseMs / 2);
    const before = await readAll(watcher, ids);
    if (fault === 'paused') {
      runner.signal('SIGCONT');
      await runner.said('over');
      await sleep(leaseMs / 2);
    }
    const after = await readAll(watcher, ids);
    runner.signal('SIGKILL');
    await runner.gone;

    const wasTold = (id: string): boolean => (runner.stopped.get(id) ?? []).includes('user');
    const toldNext = (id: string): number => seconds.get(id)?.length ?? 0;
    const isConfirmed = (n: number): boolean => receipts[n] === 'observed' || receipts[n] === 'settled';
    const wasOver = (n: number): boolean => n < half && n % 2 === 0 && early[n / 2] === 'settled';
    const count = (is: (id: string, n: number) => boolean): number => ids.filter(is).length;
    const figures = {
      lost: count((id) => !wasTold(id) && toldNext(id) === 0),
      falselyConfirmed: count((id, n) => isConfirmed(n) && !wasTold(id) && toldNext(id) === 0),
      // D10: what was told, and had not ended, is for the next attempt as well; what had ended before the fault is not.
      doubled:
        count((id, n) => toldNext(id) > 1 || (wasOver(n) && toldNext(id) > 0)) +
        bystanders.filter((id) => toldNext(id) > 0 || wasTold(id)).length,
      lateWrites: count((_, n) => before[n] !== after[n]) + runner.late.filter((how) => how === 'swapped').length,
    };
    await next.drain({ timeoutMs: 0 });
    return {
      figures,
      published: count((id) => !runner.heard.has(id)),
      refused: runner.late.filter((how) => how === 'refused').length,
      foundDead: receipts.filter((status) => status === 'runner-dead').length,
    };
  } finally {
    runner.signal('SIGKILL');
    await Promise.all([front.close(), successor.close(), watcher.close(true)]);
    await access.close();
  }
}

/**
 * Nothing was lost, said falsely, done twice or written late, although the fault met what it was to meet. How many are on their way in the
 * moment of a pause is chance; where none were, nothing was fenced off, and it is played again.
 *
 * @param play Plays it with an engine of its own.
 */
export async function checkRunner(fault: RunnerFault, play: () => Promise<RunnerOutcome>, times = 3): Promise<void> {
  const { figures, published, foundDead, refused } = await play();
  process.stdout.write(lineOf(`a runner that is ${fault}`, STOPS, figures, published));
  expect(figures).toEqual({ lost: 0, falselyConfirmed: 0, doubled: 0, lateWrites: 0 });
  expect(foundDead).toBeGreaterThanOrEqual(STOPS / 2);
  // What was published to a paused process waits in its socket.
  if (fault === 'killed') expect(published).toBeGreaterThanOrEqual(STOPS / 2);
  else if (refused === 0 && times > 1) await checkRunner(fault, play, times - 1);
  else expect(refused).toBeGreaterThan(0);
}
