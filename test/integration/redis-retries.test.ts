/**
 * Stops of work that a queue tries again, over real engines, with real processes that are drained or killed.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, vi } from 'vitest';

import { CancellationTokenSource, type Turn } from '../../src/index.ts';
import { openStopBus } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { ways } from '../sessions/attempts.ts';
import { hasPostgres, startPostgres } from '../support/engines/postgres.ts';
import { hasRedis, startRedis } from '../support/engines/redis.ts';
import { reachEngine, type EngineName } from './support/runner-engine.ts';

const program = fileURLToPath(new URL('support/drained-worker.ts', import.meta.url));
const engines: readonly (readonly [EngineName, () => boolean, typeof startPostgres])[] = [
  ['redis', hasRedis, () => startRedis()],
  ['postgres', hasPostgres, startPostgres],
];

function startWorker(engine: EngineName, port: number) {
  const child = spawn(process.execPath, [program, engine, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
  const gone = new Promise<string>((resolve) =>
    child.once('exit', (code, signal) => {
      resolve(String(signal ?? code));
    }),
  );
  const until = (line: string): Promise<void> =>
    vi.waitFor(() => expect(said).toContain(line), { interval: 5, timeout: 30_000 });
  return { said, gone, until, signal: (name: NodeJS.Signals) => child.kill(name) };
}

describe.each(engines)('a job over %s', (name, isHere, start) => {
  it.runIf(isHere())(
    `D10 a job over ${name} that a person stops by any way is stopped at a retry that begins while it cleans up, unless it is wanted again`,
    { timeout: 120_000 },
    async () => {
      const engine = await start();
      const { backend, close } = reachEngine(name, engine.port);
      const buses = await Promise.all([0, 1].map(() => openStopBus(backend, { confirmMs: 20_000 })));
      const play = async ([way, stop]: (typeof ways)[number], where: number, again: boolean) => {
        const [here, there] = [0, where].map((at) => new SessionRegistry({ bus: buses[at] })) as [
          SessionRegistry,
          SessionRegistry,
        ];
        const id = [way, where, again].join();
        const [ofSession, ofTurn] = [new CancellationTokenSource(), new CancellationTokenSource()];
        const session = here.open(id, { token: ofSession.token, graceMs: 10_000 });
        await session.ready();
        const { epoch } = await here.look(id);
        const { promise: cleanedUp, resolve: cleanUp } = deferred<undefined>();
        const body = async ({ token }: Turn): Promise<void> => {
          await token.whenCancelled();
          await cleanedUp;
        };
        const turn = session.controller.runTurn(body, { token: ofTurn.token });
        void stop({ sessions: here, session, epoch, ofSession, ofTurn, turn });
        const ending = here.close(id, undefined, { willRetry: true });
        // As far as another process can know of it.
        const isKnown = async (): Promise<void> => expect((await there.look(id)).stop).toBeDefined();
        if (where === 1) await vi.waitFor(isKnown, { timeout: 60_000 });
        const next = there.open(id, { again });
        await next.ready();
        const first = await next.controller.runTurn(() => 'ran');
        const later = next.controller.runTurn(({ token }) => Promise.race([token.whenCancelled(), ending]));
        cleanUp(undefined);
        const rest = [(await later).status, (await turn).status];
        await there.close(id);
        return [id, first.status, ...rest];
      };
      try {
        const rows = ways.flatMap((way) =>
          [0, 1].flatMap((where) => [false, true].map((again) => ({ way, where, again }))),
        );
        const played = await Promise.all(rows.map(({ way, where, again }) => play(way, where, again)));
        expect(played).toEqual(
          rows.map(({ way, where, again }) => [
            [way[0], where, again].join(),
            again ? 'completed' : 'cancelled',
            'completed',
            'cancelled',
          ]),
        );
      } finally {
        await Promise.all(buses.map((bus) => bus.close()));
        await close();
        await engine.stop();
      }
    },
  );

  it.runIf(isHere()).each(['SIGTERM', 'SIGKILL'] as const)(
    `D10 a job over ${name} that was told to stop does not run again when its process ends by %s`,
    { timeout: 120_000 },
    async (signal) => {
      const engine = await start();
      const { backend, close } = reachEngine(name, engine.port);
      const bus = await openStopBus(backend, { confirmMs: 20_000 });
      const sessions = new SessionRegistry({ bus });
      const worker = startWorker(name, engine.port);
      try {
        await worker.until('began');
        const asked = sessions.cancel(
          'job',
          { kind: 'user', message: 'no more of this' },
          { wait: 'observed', timeoutMs: 60_000 },
        );
        await worker.until('told user');
        // Known to the engine: what a process has heard and not said dies with it.
        expect(['observed', 'settled']).toContain((await asked).status);
        worker.signal(signal);
        await worker.gone;
        expect(worker.said.includes('cancelled')).toBe(signal === 'SIGTERM');
        const next = sessions.open('job');
        expect(await next.ready()).toBe(true);
        const report = await next.controller.runTurn(() => 'ran to its end');
        expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'no more of this' } });
        await sessions.close('job', undefined, { willRetry: true });
        const wanted = sessions.open('job', { again: true });
        await wanted.ready();
        expect((await wanted.controller.runTurn(() => 'ran')).unwrap()).toBe('ran');
        expect((await sessions.drain({ timeoutMs: 0 })).unconfirmed).toBeUndefined();
      } finally {
        worker.signal('SIGKILL');
        await bus.close();
        await close();
        await engine.stop();
      }
    },
  );

  it.runIf(isHere())(
    `a job over ${name} that nobody has stopped is known to wait for its next attempt when its process is gone`,
    { timeout: 120_000 },
    async () => {
      const engine = await start();
      const { backend, close } = reachEngine(name, engine.port);
      const bus = await openStopBus(backend, { confirmMs: 20_000 });
      const sessions = new SessionRegistry({ bus });
      const worker = startWorker(name, engine.port);
      try {
        await worker.until('began');
        expect((await sessions.look('job')).state).toBe('open');
        worker.signal('SIGTERM');
        await worker.gone;
        expect((await sessions.look('job')).state).toBe('absent');
        expect((await sessions.cancel('job', 'not again')).status).toBe('pending');
      } finally {
        worker.signal('SIGKILL');
        await bus.close();
        await close();
        await engine.stop();
      }
    },
  );
});
