/**
 * The bus of one process: a request goes straight to the host, or waits for it.
 *
 * @module
 */
import { requireMs, requireOptions } from '../core/foundation/check.ts';
import { systemClock, type Clock } from '../core/foundation/clock.ts';
import type { StopReport } from '../core/interrupt/public-types/stop-report.ts';
import { EarlyStops } from './kept/early-stops.ts';
import type { SessionStatus } from './session-status.ts';
import type {
  EarlyStop,
  GroupProgress,
  Hosting,
  HostingOptions,
  SessionHost,
  StopBus,
  StopProgress,
  StopRequest,
} from './stop-bus.ts';
import { toldProgress } from './told-progress.ts';

/** Who hosts a session, and the last stop that reached it. */
interface Hosted {
  readonly host: SessionHost;
  readonly groups: readonly string[];
  stop?: SessionStatus['stop'];
  /** The first stop of everything that was delivered there. */
  request?: StopRequest;
}

class InProcessStopBus implements StopBus {
  readonly #clock: Clock;
  readonly #pendingMs: number;
  readonly #early: EarlyStops;
  readonly #hosts = new Map<string, Hosted>();

  constructor(clock: Clock, pendingMs: number) {
    this.#clock = clock;
    this.#pendingMs = pendingMs;
    this.#early = new EarlyStops(clock, pendingMs);
  }

  host(sessionId: string, host: SessionHost, { again = false, groups = [] }: HostingOptions = {}): Hosting {
    if (this.#hosts.has(sessionId)) throw new TypeError(`the session ${JSON.stringify(sessionId)} is hosted already`);
    const hosted: Hosted = { host, groups };
    this.#hosts.set(sessionId, hosted);
    for (const request of this.#early.take(sessionId)) {
      if (again) continue;
      void deliver(hosted, request, { remainingMs: request.reason.at + this.#pendingMs - this.#clock.now() });
    }
    return {
      release: ({ willRetry } = {}) => {
        if (this.#hosts.get(sessionId) !== hosted) return;
        this.#hosts.delete(sessionId);
        // What may be tried again is not over: a stop that reached this attempt, or comes from here on, is for the next.
        if (willRetry === true) this.#early.retried(sessionId, groups, hosted.request);
        else this.#early.closed(sessionId);
      },
    };
  }

  request(request: StopRequest): Promise<StopProgress> {
    const hosted = this.#hosts.get(request.sessionId);
    if (hosted === undefined) {
      return Promise.resolve({ status: this.#early.keep(request) === 'kept' ? 'pending' : 'settled' });
    }
    return Promise.resolve(toldProgress(this.#clock, deliver(hosted, request, undefined)));
  }

  requestGroup(group: string, request: Pick<StopRequest, 'reason' | 'level'>): Promise<GroupProgress> {
    const hosted = [...this.#hosts].filter(([, { groups }]) => groups.includes(group)).map(([sessionId]) => sessionId);
    const meant = [...hosted, ...this.#early.inGroup(group)];
    const stops = meant.map((sessionId) => ({ sessionId, progress: this.request({ sessionId, ...request }) }));
    return Promise.resolve({ isComplete: true, stops });
  }

  look(sessionId: string): Promise<SessionStatus> {
    return Promise.resolve({ sessionId, ...this.#look(sessionId) });
  }

  #look(sessionId: string): Omit<SessionStatus, 'sessionId'> {
    const hosted = this.#hosts.get(sessionId);
    if (hosted !== undefined) return { state: 'open', ...(hosted.stop !== undefined && { stop: hosted.stop }) };
    const early = this.#early.look(sessionId);
    if (early === undefined || early === 'closed') return { state: early ?? 'absent' };
    return { state: 'absent', stop: { status: 'pending', reason: early.reason } };
  }
}

/** Tells the host, and remembers how far that came. */
function deliver(hosted: Hosted, request: StopRequest, early: EarlyStop | undefined): Promise<StopReport> {
  const { reason } = request;
  const stop = { status: 'observed', reason } as const;
  hosted.stop = stop;
  if (request.turnId === undefined) hosted.request ??= request;
  const report = hosted.host.deliver(request, early);
  const settled = (): void => {
    if (hosted.stop === stop) hosted.stop = { status: 'settled', reason };
  };
  void report.then(settled, () => undefined);
  return report;
}

/**
 * The bus of one process, which a registry has unless it is given another. A stop for a session that nobody has
 * opened waits for it, for 60 seconds, 10,000 of them at most; one for a session that was closed here has come late.
 *
 * @throws TypeError, RangeError – an option that makes no sense.
 */
export function inProcessStopBus(
  options: { readonly clock?: Clock | undefined; readonly pendingMs?: number | undefined } = {},
): StopBus {
  requireOptions(options, { clock: 1, pendingMs: 1 });
  const pendingMs = requireMs('pendingMs', options.pendingMs ?? 60_000, 'finite');
  return new InProcessStopBus(options.clock ?? systemClock, pendingMs);
}
