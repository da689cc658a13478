/**
 * How a stop finds the process that hosts a session: a port, and the bus of one process.
 *
 * Invariants: a request for a session that nobody hosts yet is kept for a minute and delivered to the first host, so
 * that a stop which overtakes its session is not lost; what is kept is bounded.
 *
 * @module
 */
import { requireMs } from '../core/foundation/check.ts';
import { systemClock, type Clock } from '../core/foundation/clock.ts';
import type { Releasable } from '../core/foundation/disposable.ts';
import type { CancelReason } from '../core/foundation/reason.ts';
import type { StopReport } from '../core/interrupt/words/stop-report.ts';

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

/** How many sessions requests are kept for. */
const KEPT_AT_MOST = 10_000;

/** What is remembered of a session that nobody hosts. */
interface Absent {
  /** Requests that wait for it: the first for each turn, and the first for everything. */
  readonly requests: Map<number | undefined, StopRequest>;
  /** It was hosted here: a stop that comes now is late, not early. */
  readonly wasHosted: boolean;
  readonly until: number;
}

class InProcessStopBus implements StopBus {
  readonly #clock: Clock;
  readonly #pendingMs: number;
  readonly #hosts = new Map<string, (request: StopRequest, isEarly: boolean) => Promise<StopReport>>();
  /** In the order in which they came. */
  readonly #absent = new Map<string, Absent>();

  constructor(clock: Clock, pendingMs: number) {
    this.#clock = clock;
    this.#pendingMs = pendingMs;
  }

  host(sessionId: string, deliver: (request: StopRequest, isEarly: boolean) => Promise<StopReport>): Releasable {
    if (this.#hosts.has(sessionId)) throw new TypeError(`the session ${JSON.stringify(sessionId)} is hosted already`);
    this.#hosts.set(sessionId, deliver);
    this.#forget();
    const absent = this.#absent.get(sessionId);
    this.#absent.delete(sessionId);
    if (absent !== undefined) for (const request of absent.requests.values()) void deliver(request, true);
    return {
      release: () => {
        if (this.#hosts.get(sessionId) !== deliver) return;
        this.#hosts.delete(sessionId);
        this.#remember(sessionId, true);
      },
    };
  }

  request(request: StopRequest): ReturnType<StopBus['request']> {
    const { sessionId, turnId } = request;
    const deliver = this.#hosts.get(sessionId);
    if (deliver !== undefined) return Promise.resolve({ status: 'observed', settled: deliver(request, false) });
    this.#forget();
    const absent = this.#absent.get(sessionId) ?? this.#remember(sessionId, false);
    if (absent.wasHosted) return Promise.resolve({ status: 'settled' });
    if (!absent.requests.has(turnId)) absent.requests.set(turnId, request);
    return Promise.resolve({ status: 'pending' });
  }

  #remember(sessionId: string, wasHosted: boolean): Absent {
    const absent = { requests: new Map(), wasHosted, until: this.#clock.now() + this.#pendingMs };
    this.#absent.delete(sessionId);
    this.#absent.set(sessionId, absent);
    const [oldest] = this.#absent.keys();
    if (this.#absent.size > KEPT_AT_MOST && oldest !== undefined) this.#absent.delete(oldest);
    return absent;
  }

  /** What is too old goes when somebody looks: no timer has to live for it. */
  #forget(): void {
    const now = this.#clock.now();
    for (const [id, { until }] of this.#absent) {
      if (until > now) return;
      this.#absent.delete(id);
    }
  }
}

/**
 * The bus of one process: several registries on it stop each other's sessions. A stop for a session that nobody has
 * opened waits for it, for 60 seconds, 10,000 of them at most; one for a session that was closed here has come late.
 *
 * @cleanup Nothing to release: it holds no timer.
 * @param options `clock` measures how long a stop is kept; `pendingMs` says it, in milliseconds, 60,000 by default.
 * @returns A bus for `new SessionRegistry({ bus })`.
 * @example
 * ```ts
 * import { SessionRegistry, inProcessStopBus } from 'desist/sessions'
 *
 * const bus = inProcessStopBus()
 * const [front, worker] = [new SessionRegistry({ bus }), new SessionRegistry({ bus })]
 * await front.cancel('chat-7', 'changed my mind').then(({ status }) => status) // => 'pending'
 * const report = await worker.open('chat-7').controller.runTurn(() => 'never runs')
 * report.status // => 'cancelled'
 * ```
 * @since 0.1.0
 */
export function inProcessStopBus(
  options: { readonly clock?: Clock | undefined; readonly pendingMs?: number | undefined } = {},
): StopBus {
  const pendingMs = requireMs('pendingMs', options.pendingMs ?? 60_000, 'finite');
  return new InProcessStopBus(options.clock ?? systemClock, pendingMs);
}
