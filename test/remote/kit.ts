/**
 * What the tests of stops over an engine share: several processes on one engine, on a clock that stands still.
 *
 * @module
 */
import type { StopReport } from '../../src/index.ts';
import { createReason } from '../../src/core/foundation/reason.ts';
import {
  memoryBackend,
  openStopBus,
  type OpenStopBusOptions,
  type RemoteStopBus,
  type StopBackend,
  type StopConnection,
} from '../../src/remote/index.ts';
import type { RunRecord, StopEntry } from '../../src/remote/record/run-record.ts';
import { unhosted } from '../../src/remote/record/run-record.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

/** One process. */
export interface Process {
  readonly bus: RemoteStopBus;
  readonly sessions: SessionRegistry;
}

/** Two processes on one engine. */
export async function twoProcesses(options: OpenStopBusOptions = {}) {
  const clock = new VirtualClock({ startAt: 1_000_000 });
  const backend = memoryBackend({ clock });
  const open = async (): Promise<Process> => {
    const bus = await openStopBus(backend, { clock, ...options });
    return { bus, sessions: new SessionRegistry({ bus, clock }) };
  };
  return { clock, backend, open, a: await open(), b: await open() };
}

/** Buses on one engine that can lose everything. */
export function forgetfulEngine() {
  const clock = new VirtualClock({ startAt: 1_000_000 });
  let engine = memoryBackend({ clock });
  let bornAt = -Infinity;
  const lose = (): void => {
    engine = memoryBackend({ clock });
    bornAt = clock.now();
  };
  // Each call goes to the engine that there is.
  const connect: StopBackend['connect'] = async (node, events) => {
    const connections = new Map([[engine, await engine.connect(node, events)]]);
    const current = async (): Promise<StopConnection> => {
      const connection = connections.get(engine) ?? (await engine.connect(node, events));
      connections.set(engine, connection);
      return connection;
    };
    const list: StopConnection['list'] = async (group) => {
      const listed = await (await current()).list(group);
      return { ...listed, ageMs: clock.now() - bornAt };
    };
    const call =
      (name: string | symbol) =>
      async (...args: readonly unknown[]): Promise<unknown> => {
        const connection = await current();
        return Reflect.apply(
          Reflect.get(connection, name) as (...args: readonly unknown[]) => unknown,
          connection,
          args,
        );
      };
    return new Proxy({} as StopConnection, {
      get: (_none, name) => (name === 'then' ? undefined : name === 'list' ? list : call(name)),
    });
  };
  const open = async (options: OpenStopBusOptions = {}): Promise<Process> => {
    const bus = await openStopBus({ ...engine, connect }, { clock, ...options });
    return { bus, sessions: new SessionRegistry({ bus, clock }) };
  };
  return { clock, open, lose };
}

/** A promise's value, while time goes by. */
export async function during<T>(clock: VirtualClock, promise: Promise<T>, ms = 60_000): Promise<T> {
  const state = { isDone: false };
  const watched = promise.finally(() => {
    state.isDone = true;
  });
  watched.catch(() => undefined);
  await clock.advance(0);
  for (let passed = 0; passed < ms && !hasEnded(state); passed += 5) await clock.advance(5);
  if (!hasEnded(state)) throw new Error(`not done after ${String(ms)} ms`);
  return watched;
}

function hasEnded({ isDone }: { readonly isDone: boolean }): boolean {
  return isDone;
}

/** A stop as a record has it. */
export function entry(id: string, rest: Partial<StopEntry> = {}): StopEntry {
  const reason = createReason({ kind: 'user', message: id, at: 5 });
  return { id, phase: 'requested', level: 'cancel', reason, at: 100, from: 'asker', members: [], ...rest };
}

/** A record that node `n1` hosts. */
export function running(rest: Partial<RunRecord> = {}): RunRecord {
  return { ...unhosted, epoch: 7, state: 'running', node: 'n1', claim: 'c1', ...rest };
}

/** A record after a step that must have written one. */
export function written({ record }: { readonly record: RunRecord | undefined }): RunRecord {
  if (record === undefined) throw new Error('nothing was written');
  return record;
}

/** What a host reports. */
export const report: StopReport = {
  ...{ reason: createReason({ kind: 'user', at: 5 }), turnId: 3, requestedAt: 5, acknowledgedMs: 1, settledMs: 9 },
  operations: [
    { kind: 'tool', name: 'search', agent: 'main', outcome: 'cancelled', ms: 4 },
    { kind: 'tool', name: 'deaf', agent: 'main', outcome: 'abandoned', ms: 9 },
  ],
  ...{ abandoned: ['deaf'], callbackErrors: [new Error('secret')], undelivered: ['a private message'] },
};
