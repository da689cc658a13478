/**
 * The bus of one process: a request goes straight to the host, or waits for it.
 *
 * @module
 */
import { requireMs, requireOptions } from '../core/foundation/check.ts';
import { waitAtMost } from '../core/combinators/wait-at-most.ts';
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
  /** The first stop of everything that came after the last that it was given, and how much that was. */
  held?: { readonly request: StopRequest; readonly given: number | undefined };
  /** Lets go of the session, from its release on. */
  end?: () => void;
}

/** Those who wait for a stop that waits for its session. */
interface Waiting {
  /** Its report, once it was delivered; `undefined` where it is not for the session that came. */
  readonly told: Promise<{ readonly report: Promise<StopReport> | undefined }>;
  readonly tell: (told: { readonly report: Promise<StopReport> | undefined }) => void;
}

class InProcessStopBus implements StopBus {
  readonly #clock: Clock;
  readonly #pendingMs: number;
  readonly #early: EarlyStops;
  readonly #hosts = new Map<string, Hosted>();
  readonly #waiting = new WeakMap<StopRequest, Waiting>();

  constructor(clock: Clock, pendingMs: number) {
    this.#clock = clock;
    this.#pendingMs = pendingMs;
    this.#early = new EarlyStops(clock, pendingMs);
  }

  host(sessionId: string, host: SessionHost, { again = false, groups = [] }: HostingOptions = {}): Hosting {
    // Whoever comes while an earlier one still cleans up has its stops from then on.
    this.#hosts.get(sessionId)?.end?.();
    if (this.#hosts.has(sessionId)) throw new TypeError(`the session ${JSON.stringify(sessionId)} is hosted already`);
    const hosted: Hosted = { host, groups };
    this.#hosts.set(sessionId, hosted);
    for (const { request, until } of this.#early.take(sessionId)) {
      const remainingMs = until - this.#clock.now();
      const report = again ? undefined : deliver(hosted, request, { remainingMs });
      this.#waiting.get(request)?.tell({ report });
      // It may be kept once more, for the next attempt.
      this.#waiting.delete(request);
    }
    return {
      hold: (reason) => {
        hold(hosted, { sessionId, reason });
      },
      release: ({ after, willRetry } = {}) => {
        const end = (): void => {
          if (this.#hosts.get(sessionId) !== hosted) return;
          this.#hosts.delete(sessionId);
          // What may be tried again is not over: a stop that reached this attempt, or comes from here on, is for the next.
          if (willRetry === true) this.#early.retried(sessionId, groups, heldBy(hosted));
          else this.#early.closed(sessionId);
        };
        hosted.end = end;
        if (after === undefined) end();
        else void after.then(end, end);
      },
    };
  }

  request(request: StopRequest): Promise<StopProgress> {
    const hosted = this.#hosts.get(request.sessionId);
    if (hosted === undefined) {
      const kept = this.#early.keep(request);
      if (kept === 'full') return Promise.resolve({ status: 'refused' });
      return Promise.resolve(kept === 'late' ? { status: 'settled' } : this.#pending(kept));
    }
    return Promise.resolve(toldProgress(this.#clock, deliver(hosted, request, undefined)));
  }

  /** A stop that waits for its session, for as long as it is kept. */
  #pending(kept: StopRequest): StopProgress {
    // Also where it is delivered before anybody waits.
    const waiting = this.#waitingFor(kept);
    const until: StopProgress['until'] = async (phase, timeoutMs) => {
      const endsAt = this.#clock.now() + timeoutMs;
      const told = await waitAtMost(this.#clock, Math.min(timeoutMs, this.#pendingMs), waiting.told);
      if (told === undefined) return { status: 'pending' };
      if (told.report === undefined) return { status: 'superseded' };
      return toldProgress(this.#clock, told.report).until(phase, endsAt - this.#clock.now());
    };
    return { status: 'pending', reason: kept.reason, until };
  }

  #waitingFor(kept: StopRequest): Waiting {
    const known = this.#waiting.get(kept);
    if (known !== undefined) return known;
    let tell: Waiting['tell'] = () => undefined;
    const told: Waiting['told'] = new Promise((resolve) => {
      tell = resolve;
    });
    const waiting = { told, tell };
    this.#waiting.set(kept, waiting);
    return waiting;
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

/** A stop of everything is for the next attempt, too, unless one that is already came first. */
function hold(hosted: Hosted, request: StopRequest): void {
  if (heldBy(hosted) === undefined) hosted.held = { request, given: hosted.host.given?.() };
}

function heldBy({ held, host }: Hosted): StopRequest | undefined {
  return held?.given === host.given?.() ? held?.request : undefined;
}

/** Tells the host, and remembers how far that came. */
function deliver(hosted: Hosted, request: StopRequest, early: EarlyStop | undefined): Promise<StopReport> {
  const { reason } = request;
  const stop = { status: 'observed', reason } as const;
  hosted.stop = stop;
  if (request.turnId === undefined) hold(hosted, request);
  const report = hosted.host.deliver(request, early);
  const by = hosted.host.holds?.(request.turnId);
  if (by !== undefined && hosted.held?.request === request)
    hosted.held = { ...hosted.held, request: { ...request, reason: by } };
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
