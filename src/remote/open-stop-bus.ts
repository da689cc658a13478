/**
 * Opens the bus that takes stops to whichever process hosts a session.
 *
 * @module
 */
import {
  requireMs,
  requireOneOf,
  requireOptions,
  requireWhole,
  wrongType,
  type OptionNames,
} from '../core/foundation/check.ts';
import { systemClock, type Clock } from '../core/foundation/clock.ts';
import type { Releasable } from '../core/foundation/disposable.ts';
import { Portions } from '../core/combinators/portions.ts';
import type { SessionStatus } from '../sessions/session-status.ts';
import type { StopBus } from '../sessions/stop-bus.ts';
import { waitAtMost } from '../core/combinators/wait-at-most.ts';
import { LIVE_MS } from './node/engine/exchange.ts';
import type { StopBackend, StopBackendEvents, StopConnection } from './backend.ts';
import type { StopBusEvent } from './node/engine/health.ts';
import type { RunMember } from './node/members.ts';
import { StopBusNode } from './stop-bus-node.ts';

/**
 * Options of {@link openStopBus}.
 *
 * @since 0.1.0
 */
export interface OpenStopBusOptions {
  /**
   * Milliseconds after which a process that does not answer counts as dead, 15,000 by default; it is renewed every third
   * of it, and a process that cannot renew stops its own work by then.
   */
  readonly leaseMs?: number | undefined;
  /** Milliseconds that a stop which is asked for here waits for a session which nobody has opened; 3,600,000 by default. */
  readonly pendingMs?: number | undefined;
  /**
   * Milliseconds for which a stop is tried to be written, before it is `unconfirmed`, and for which a close or a drain waits until the
   * end of a session is written, whatever the lease; a `pause`, a `kill` or `cancelAll` waits twice as long. 5,000 by default.
   */
  readonly confirmMs?: number | undefined;
  /**
   * While the engine is away: `run-local`, the default, opens sessions all the same, to be found when it is back; `throw`
   * refuses them.
   */
  readonly onUnavailable?: 'run-local' | 'throw' | undefined;
  /** The time of this process; the computer's by default. Records and leases are kept by the engine's own time. */
  readonly clock?: Clock | undefined;
}

/**
 * A bus over an engine, for `new SessionRegistry({ bus })`.
 *
 * @since 0.1.0
 */
export interface RemoteStopBus extends StopBus {
  /**
   * Looks at a session and touches nothing, a lease included: this process costs the engine one read or two.
   *
   * @returns What is known; rejects if the engine does not answer.
   */
  look(sessionId: string): Promise<SessionStatus>;
  /**
   * Works for a session that another process hosts: a tool's worker, a queue's consumer.
   *
   * @param sessionId The session.
   * @param options `turnId`: stops of other turns are none of its business, nor is one of everything, once its host has said
   * that it was told before that turn was given: until then, and where no host says so, it is stopped.
   * @returns A token that a stop of the session cancels; release it when the work has ended. A session has 64 members at most: the token
   * of one more is cancelled with a `RangeError` as the cause.
   * @throws TypeError, RangeError – not an id, a number of a turn that is none, or this process has 64 members of the session.
   */
  join(sessionId: string, options?: { readonly turnId?: number | undefined }): RunMember;
  /**
   * How much this process has to do with the engine, for a gauge.
   *
   * @returns `waiting`: what waits for its turn, or to be tried again. `retried`: how often anything was tried again so far.
   */
  readonly load: () => { readonly waiting: number; readonly retried: number };
  /**
   * Hears of the engine's health, and of the stops that were told here.
   *
   * @param listener Called with each event; at once with `degraded`, if the engine is away just then.
   * @returns Ends it.
   * @throws TypeError – not a function.
   */
  onEvent(listener: (event: StopBusEvent) => void): Releasable;
  /**
   * Gives the lease up. The connection that was injected stays open. Drain the registry first: what is still hosted here,
   * or works for a session, is stopped with kind `lease-lost`, since no stop reaches it any more; the record does not say
   * that it has ended. Whoever waits for a stop over this bus is told what is known by then.
   *
   * @param options `timeoutMs`: how long to wait for what a stop has told to end, and to say so; 5,000 milliseconds by
   * default. After that the connections of the bus are cut, and the lease lapses by itself.
   * @throws TypeError, RangeError – as a rejection: a time that is none.
   */
  close(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
  /** As `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens the bus that takes stops to whichever process hosts a session: before, during or after the run, while the engine
 * or the network misbehaves. The wake-up is a hint; the record in the engine is the truth.
 *
 * @cleanup `close()`. A bus that hosts nothing sends nothing by itself.
 * @param backend The engine: `memoryBackend()`, or one of your own.
 * @param options Times in milliseconds; what to do while the engine is away.
 * @returns A bus for `new SessionRegistry({ bus })`.
 * @throws TypeError, RangeError – as a rejection: options that make no sense, or a lease that is shorter than the engine
 * can promise.
 * @throws Error – as a rejection: the engine does not answer, with `onUnavailable: 'throw'`. That it refuses writes shows with the first
 * session.
 * @example
 * ```ts
 * import { memoryBackend, openStopBus } from 'desist/remote'
 * import { SessionRegistry } from 'desist/sessions'
 *
 * const bus = await openStopBus(memoryBackend())
 * const sessions = new SessionRegistry({ bus })
 * const { status } = await sessions.cancel('chat-7', 'user')
 * status // => 'pending'
 * const report = await sessions.open('chat-8').controller.runTurn(() => 'fine')
 * report.status // => 'completed'
 * await sessions.drain({ timeoutMs: 0 })
 * await bus.close()
 * ```
 * @source Chubby's leases; the fencing tokens of Kleppmann's "How to do distributed locking"
 * @since 0.1.0
 */
export function openStopBus(backend: StopBackend, options: OpenStopBusOptions = {}): Promise<RemoteStopBus> {
  return openNode(backend, options, () => globalThis.crypto.randomUUID().slice(0, 18));
}

const names: OptionNames<OpenStopBusOptions> = {
  ...{ leaseMs: 1, pendingMs: 1, confirmMs: 1, onUnavailable: 1, clock: 1 },
};

/** A backend that does not keep to its deadline keeps nobody waiting: what it makes after a lease is closed at once. */
async function connect(
  backend: StopBackend,
  node: string,
  events: StopBackendEvents,
  { clock, leaseMs }: { readonly clock: Clock; readonly leaseMs: number },
): Promise<StopConnection> {
  const connecting = backend.connect(node, events, { deadlineMs: leaseMs / 3 });
  const connection = await waitAtMost(clock, leaseMs, connecting);
  if (connection !== undefined) return connection;
  void connecting.then((late) => late.close(false)).catch(() => undefined);
  throw new Error(`${backend.name} has not connected within ${String(leaseMs)} ms`);
}

/** The same with names of one's own, for a simulation that is to be repeated. */
export async function openNode(
  backend: StopBackend,
  options: OpenStopBusOptions,
  newId: () => string,
): Promise<StopBusNode> {
  if (typeof (backend as Partial<StopBackend> | undefined)?.connect !== 'function') {
    throw wrongType('backend', 'a StopBackend', backend);
  }
  requireOptions(options, names);
  const times = { pendingMs: requireMs('pendingMs', options.pendingMs ?? 3_600_000, 'finite') };
  const leaseMs = requireMs('leaseMs', options.leaseMs ?? Math.max(15_000, backend.caps.minLeaseMs), 'finite');
  const confirmMs = requireMs('confirmMs', options.confirmMs ?? 5_000, 'finite');
  const onUnavailable = requireOneOf('onUnavailable', options.onUnavailable ?? 'run-local', ['run-local', 'throw']);
  if (leaseMs < backend.caps.minLeaseMs) {
    throw new RangeError(
      `leaseMs must be at least ${String(backend.caps.minLeaseMs)} for ${backend.name}, whose own failover takes as ` +
        `long; got ${String(leaseMs)}`,
    );
  }
  if (leaseMs > LIVE_MS / 3)
    throw new RangeError(`leaseMs must be at most ${String(LIVE_MS / 3)}, got ${String(leaseMs)}`);
  const clock = options.clock ?? systemClock;
  const node = newId();
  const wakes = new Portions(clock);
  let bus: StopBusNode | undefined = undefined;
  /** What the client said of its connection: what it says of an operation may be only that there is none. */
  let why: unknown;
  const events: StopBackendEvents = {
    wake: (runId, value) => wakes.add(() => bus?.woken(runId, value)),
    resync: () => bus?.resynced(),
    down(error) {
      why = error;
      bus?.degraded(error);
    },
  };
  const endsAt = clock.now() + leaseMs / 3;
  const connection = await connect(backend, node, events, { clock, leaseMs });
  const { mostAtOnce } = backend.caps;
  if (mostAtOnce !== undefined) requireWhole('caps.mostAtOnce', mostAtOnce, 1);
  bus = new StopBusNode(connection, {
    ...{ name: backend.name, node, clock, leaseMs, confirmMs, times, onUnavailable, newId, mostAtOnce },
  });
  try {
    // What connecting has taken of the deadline is not waited for once more.
    const answered = await waitAtMost(
      clock,
      Math.max(0, endsAt - clock.now()),
      bus.probe().then(() => true),
    );
    if (answered === undefined) throw new Error(`${backend.name} did not answer within ${String(leaseMs / 3)} ms`);
  } catch (error) {
    if (onUnavailable === 'throw') {
      await bus.close({ timeoutMs: 0 });
      throw new Error(`${backend.name} cannot be reached`, { cause: why ?? error });
    }
    bus.degraded(why ?? error);
  }
  return bus;
}
