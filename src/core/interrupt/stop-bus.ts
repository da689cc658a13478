/**
 * How a stop finds the process that hosts a session: a port, and the bus of one process.
 * In the interrupt room below the registry; a bus between processes speaks the same port.
 *
 * Invariants: a request for a session that nobody hosts yet is kept for a minute and delivered to the first host, so
 * that a stop which overtakes its session is not lost; what is kept is bounded.
 *
 * @module
 */
import { systemClock, type Clock } from '../foundation/clock.ts';
import type { Releasable } from '../foundation/disposable.ts';
import type { CancelReason } from '../foundation/reason.ts';
import type { StopReport } from './report.ts';

/**
 * A stop on its way to a session.
 *
 * @since 0.1.0
 */
export interface StopRequest {
  readonly sessionId: string;
  readonly reason: CancelReason;
  /** One turn; without it everything that the session has accepted when the request arrives. */
  readonly turnId?: number | undefined;
}

/**
 * What is known of a stop: `pending` nobody hosts the session yet · `requested` it was handed over · `observed` its work
 * was told · `settled` everything has ended or was left behind · `runner-dead` whoever hosted it is gone · `superseded`
 * another hosting of the session has taken its place · `unconfirmed` nobody can say.
 *
 * @since 0.1.0
 */
export type StopStatus =
  'pending' | 'requested' | 'observed' | 'settled' | 'runner-dead' | 'superseded' | 'unconfirmed';

/**
 * Takes a request to whoever hosts the session.
 *
 * @since 0.1.0
 */
export interface StopBus {
  /**
   * From now on this process hosts the session. Requests that came before are delivered at once, with `isEarly`.
   *
   * @returns Ends it.
   */
  host(sessionId: string, deliver: (request: StopRequest, isEarly: boolean) => Promise<StopReport>): Releasable;
  /**
   * Hands a request on, without waiting for the work.
   *
   * @returns How far it came at once, and the report once there is one; rejects if nobody can say.
   */
  request(request: StopRequest): Promise<{ readonly status: StopStatus; readonly settled?: Promise<StopReport> }>;
}

/** How long a request waits for its session, and how many wait. */
const KEPT_MS = 60_000;
const KEPT_AT_MOST = 10_000;

class InProcessStopBus implements StopBus {
  readonly #clock: Clock;
  readonly #hosts = new Map<string, (request: StopRequest, isEarly: boolean) => Promise<StopReport>>();
  /** In the order in which they came; the first reason for a session wins. */
  readonly #kept = new Map<string, { readonly request: StopRequest; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  host(sessionId: string, deliver: (request: StopRequest, isEarly: boolean) => Promise<StopReport>): Releasable {
    if (this.#hosts.has(sessionId)) throw new TypeError(`the session ${JSON.stringify(sessionId)} is hosted already`);
    this.#hosts.set(sessionId, deliver);
    this.#forget();
    const kept = this.#kept.get(sessionId);
    this.#kept.delete(sessionId);
    if (kept !== undefined) void deliver(kept.request, true);
    return {
      release: () => {
        if (this.#hosts.get(sessionId) === deliver) this.#hosts.delete(sessionId);
      },
    };
  }

  request(request: StopRequest): ReturnType<StopBus['request']> {
    const deliver = this.#hosts.get(request.sessionId);
    if (deliver !== undefined) return Promise.resolve({ status: 'observed', settled: deliver(request, false) });
    this.#forget();
    if (!this.#kept.has(request.sessionId)) {
      this.#kept.set(request.sessionId, { request, until: this.#clock.now() + KEPT_MS });
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > KEPT_AT_MOST && oldest !== undefined) this.#kept.delete(oldest);
    }
    return Promise.resolve({ status: 'pending' });
  }

  /** What is too old goes when somebody looks: no timer has to live for it. */
  #forget(): void {
    const now = this.#clock.now();
    for (const [id, { until }] of this.#kept) {
      if (until > now) return;
      this.#kept.delete(id);
    }
  }
}

/**
 * The bus of one process: several registries on it stop each other's sessions. A stop for a session that nobody has
 * opened waits for it, for 60 seconds, 10,000 of them at most.
 *
 * @cleanup Nothing to release: it holds no timer.
 * @param options `clock` measures how long a stop is kept.
 * @returns A bus for `new SessionRegistry({ bus })`.
 * @example
 * ```ts
 * import { SessionRegistry, inProcessStopBus } from 'desist'
 *
 * const bus = inProcessStopBus()
 * const [front, worker] = [new SessionRegistry({ bus }), new SessionRegistry({ bus })]
 * await front.cancel('chat-7', 'changed my mind').then(({ status }) => status) // => 'pending'
 * const { token } = worker.open('chat-7').startExecution()
 * token.reason?.message // => 'changed my mind'
 * ```
 * @since 0.1.0
 */
export function inProcessStopBus(options: { readonly clock?: Clock | undefined } = {}): StopBus {
  return new InProcessStopBus(options.clock ?? systemClock);
}
