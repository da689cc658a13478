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
export const bob = { kind: 'user', message: 'bob' } as const;

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

type Way = readonly [string, (attempt: Attempt, who?: typeof ada | typeof bob) => unknown];

/** The ways in which a person stops an attempt. */
export const ways: readonly Way[] = [
  ['sessions.cancel', ({ sessions, session }, who = ada) => sessions.cancel(session.id, who)],
  [
    'sessions.cancel of its turn',
    ({ sessions, session }, who = ada) => sessions.cancel(session.id, who, { turnId: 1 }),
  ],
  [
    'sessions.cancel of its hosting',
    ({ sessions, session, epoch }, who = ada) => sessions.cancel(session.id, who, { epoch }),
  ],
  ['sessions.kill', ({ sessions, session }, who = ada) => sessions.kill(session.id, who)],
  ['sessions.cancelAll', ({ sessions }, who = ada) => sessions.cancelAll(who)],
  ['session.pause', ({ session }, who = ada) => session.pause(who)],
  ['controller.cancel', ({ session }, who = ada) => session.controller.cancel(who)],
  ['controller.kill', ({ session }, who = ada) => session.controller.kill(who)],
  ['the token that it was opened with', ({ ofSession }, who = ada) => ofSession.cancel(who)],
  ['a kill of the token that it was opened with', ({ ofSession }, who = ada) => ofSession.kill(who)],
  ['the token of its turn', ({ ofTurn }, who = ada) => ofTurn.cancel(who)],
];

/** How an attempt ends. */
export const ends: readonly (readonly [string, (sessions: SessionRegistry) => Promise<unknown>])[] = [
  ['close', (sessions) => sessions.close('job', undefined, { willRetry: true })],
  ['drain', (sessions) => sessions.drain({ timeoutMs: 0, willRetry: true })],
];

/** A process whose calls take so many milliseconds to an engine, and from it. */
export async function slowProcess(clock: VirtualClock, backend: StopBackend, there = 10, back = 10) {
  const connect = slowly(clock, backend, there, back);
  const bus = await during(clock, openStopBus({ ...backend, connect }, { clock }));
  return new SessionRegistry({ bus, clock });
}

function slowly(clock: VirtualClock, { connect }: StopBackend, there: number, back: number): StopBackend['connect'] {
  const passed = (ms: number): Promise<void> => new Promise((resolve) => clock.setTimer(resolve, ms, { ref: true }));
  return async (node, events) => {
    const real = await connect(node, events);
    const slow = async (name: keyof StopConnection, args: readonly unknown[]): Promise<unknown> => {
      await passed(there);
      const answer: unknown = await Reflect.apply(real[name], real, args);
      await passed(back);
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
      const first = await slowProcess(clock, backend);
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
