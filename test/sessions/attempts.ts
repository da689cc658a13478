/**
 * What the tests of sessions that are tried again share: the ways in which a person stops an attempt, how it ends, and where the next
 * one is opened.
 *
 * @module
 */
import { CancellationTokenSource, type TurnReport } from '../../src/index.ts';
import { openStopBus, type StopBackend, type StopConnection } from '../../src/remote/index.ts';
import { SessionRegistry, type Session } from '../../src/sessions/index.ts';
import { inProcessStopBus } from '../../src/sessions/in-process-stop-bus.ts';
import type { VirtualClock } from '../../src/testing/index.ts';
import { during, twoProcesses } from '../remote/kit.ts';

export const ada = { kind: 'user', message: 'ada' } as const;

/** An attempt that runs, and everything that it can be stopped with. */
export interface Attempt {
  readonly sessions: SessionRegistry;
  readonly session: Session;
  /** Its hosting, where the bus counts them. */
  readonly epoch: number | undefined;
  readonly ofSession: CancellationTokenSource;
  readonly ofTurn: CancellationTokenSource;
  readonly turn: Promise<TurnReport<void>>;
}

/** Opens a session, and begins a turn that cleans up for so many milliseconds. */
export async function beginAttempt(clock: VirtualClock, sessions: SessionRegistry, ms: number): Promise<Attempt> {
  const [ofSession, ofTurn] = [new CancellationTokenSource({ clock }), new CancellationTokenSource({ clock })];
  const session = sessions.open('job', { token: ofSession.token, graceMs: 5_000 });
  await during(clock, session.ready());
  const { epoch } = await during(clock, sessions.look('job'));
  const turn = session.controller.runTurn(
    async ({ token }) => {
      await token.whenCancelled();
      if (ms > 0) await new Promise<void>((resolve) => clock.setTimer(resolve, ms, { ref: true }));
    },
    { token: ofTurn.token },
  );
  return { sessions, session, epoch, ofSession, ofTurn, turn };
}

/** What becomes of a turn of the session's next attempt. */
export async function nextAttempt(
  clock: VirtualClock,
  sessions: SessionRegistry | undefined,
): Promise<TurnReport<string>> {
  const retry = (sessions as SessionRegistry).open('job');
  await during(clock, retry.ready());
  return during(
    clock,
    retry.controller.runTurn(() => 'ran'),
  );
}

type Way = readonly [string, (attempt: Attempt) => unknown];

/** The ways in which a person stops an attempt. */
export const ways: readonly Way[] = [
  ['sessions.cancel', ({ sessions, session }) => sessions.cancel(session.id, ada)],
  ['sessions.cancel of its turn', ({ sessions, session }) => sessions.cancel(session.id, ada, { turnId: 1 })],
  ['sessions.cancel of its hosting', ({ sessions, session, epoch }) => sessions.cancel(session.id, ada, { epoch })],
  ['sessions.kill', ({ sessions, session }) => sessions.kill(session.id, ada)],
  ['sessions.cancelAll', ({ sessions }) => sessions.cancelAll(ada)],
  ['session.pause', ({ session }) => session.pause(ada)],
  ['controller.cancel', ({ session }) => session.controller.cancel(ada)],
  ['controller.kill', ({ session }) => session.controller.kill(ada)],
  ['the token that it was opened with', ({ ofSession }) => ofSession.cancel(ada)],
  ['a kill of the token that it was opened with', ({ ofSession }) => ofSession.kill(ada)],
  ['the token of its turn', ({ ofTurn }) => ofTurn.cancel(ada)],
];

/** How an attempt ends. */
export const ends: readonly (readonly [string, (sessions: SessionRegistry) => Promise<unknown>])[] = [
  ['close', (sessions) => sessions.close('job', undefined, { willRetry: true })],
  ['drain', (sessions) => sessions.drain({ timeoutMs: 0, willRetry: true })],
];

/** Connects to an engine whose answers take ten milliseconds each way. */
function slowly(clock: VirtualClock, { connect }: StopBackend): StopBackend['connect'] {
  const away = (): Promise<void> => new Promise((resolve) => clock.setTimer(resolve, 10, { ref: true }));
  return async (node, events) => {
    const real = await connect(node, events);
    const slow = async (name: keyof StopConnection, args: readonly unknown[]): Promise<unknown> => {
      await away();
      const answer: unknown = await Reflect.apply(real[name], real, args);
      await away();
      return answer;
    };
    return new Proxy(real, {
      get: (_real, name) =>
        name === 'then' ? undefined : (...args: readonly unknown[]) => slow(name as keyof StopConnection, args),
    });
  };
}

/** Where an attempt runs, and where the next one may. */
export interface Place {
  readonly clock: VirtualClock;
  readonly first: SessionRegistry;
  readonly others: readonly SessionRegistry[];
}

export const places: ReadonlyMap<string, () => Promise<Place>> = new Map<string, () => Promise<Place>>([
  [
    'over a bus',
    async () => {
      const { clock, a, b } = await twoProcesses();
      return { clock, first: a.sessions, others: [a.sessions, b.sessions] };
    },
  ],
  [
    'over a bus that is slow where it runs',
    async () => {
      const { clock, backend, b } = await twoProcesses();
      const bus = await during(clock, openStopBus({ ...backend, connect: slowly(clock, backend) }, { clock }));
      const first = new SessionRegistry({ bus, clock });
      return { clock, first, others: [first, b.sessions] };
    },
  ],
  [
    'in one process',
    async () => {
      const { clock } = await twoProcesses();
      const bus = inProcessStopBus({ clock });
      const [first, second] = [new SessionRegistry({ bus, clock }), new SessionRegistry({ bus, clock })];
      return { clock, first, others: [first, second] };
    },
  ],
]);
