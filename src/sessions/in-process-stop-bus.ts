/**
 * The bus of one process: a request goes straight to the host, or waits for it.
 *
 * @module
 */
import { requireMs } from '../core/foundation/check.ts';
import { systemClock, type Clock } from '../core/foundation/clock.ts';
import { EarlyStops } from './early-stops.ts';
import type { Hosting, SessionHost, StopBus, StopProgress, StopRequest } from './stop-bus.ts';
import { within } from './within.ts';

class InProcessStopBus implements StopBus {
  readonly #clock: Clock;
  readonly #pendingMs: number;
  readonly #early: EarlyStops;
  readonly #hosts = new Map<string, SessionHost>();

  constructor(clock: Clock, pendingMs: number) {
    this.#clock = clock;
    this.#pendingMs = pendingMs;
    this.#early = new EarlyStops(clock, pendingMs);
  }

  host(sessionId: string, host: SessionHost): Hosting {
    if (this.#hosts.has(sessionId)) throw new TypeError(`the session ${JSON.stringify(sessionId)} is hosted already`);
    this.#hosts.set(sessionId, host);
    for (const request of this.#early.take(sessionId)) {
      void host.deliver(request, { remainingMs: request.reason.at + this.#pendingMs - this.#clock.now() });
    }
    return {
      release: () => {
        if (this.#hosts.get(sessionId) !== host) return;
        this.#hosts.delete(sessionId);
        this.#early.closed(sessionId);
      },
    };
  }

  request(request: StopRequest): Promise<StopProgress> {
    const host = this.#hosts.get(request.sessionId);
    if (host === undefined) {
      return Promise.resolve({ status: this.#early.keep(request) === 'kept' ? 'pending' : 'settled' });
    }
    const report = host.deliver(request, undefined);
    report.catch(() => undefined);
    return Promise.resolve({
      status: 'observed',
      until: async (phase, timeoutMs) => {
        const known = phase === 'settled' ? await within(this.#clock, timeoutMs, report) : undefined;
        return known === undefined ? { status: 'observed' } : { status: 'settled', report: known };
      },
    });
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
