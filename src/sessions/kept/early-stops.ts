/**
 * Stops for sessions that nobody hosts: a stop that overtakes its session waits here for it, and one that comes after the
 * session was closed is known to be late.
 *
 * Invariants: the first request for each turn and the first for everything are kept; what is kept is bounded, in number
 * and in time, and needs no timer.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import type { StopRequest } from '../stop-bus.ts';
import { TURNS_AT_MOST } from './stops-to-come.ts';

/** How many sessions requests are kept for. */
const KEPT_AT_MOST = 10_000;

/** What is remembered of a session that nobody hosts. */
interface Absent {
  readonly requests: Map<number | undefined, StopRequest>;
  /** It was hosted here: a stop that comes now is late, not early. */
  readonly wasHosted: boolean;
  /** Those that it had, where it waits to be tried again. */
  readonly groups: readonly string[];
  readonly until: number;
}

/** The stops that wait for their sessions. */
export class EarlyStops {
  readonly #clock: Clock;
  readonly #pendingMs: number;
  /** In the order in which they came. */
  readonly #absent = new Map<string, Absent>();

  constructor(clock: Clock, pendingMs: number) {
    this.#clock = clock;
    this.#pendingMs = pendingMs;
  }

  /** A session has a host from here on; returns the requests that waited for it. */
  take(sessionId: string): readonly StopRequest[] {
    this.#forget();
    const absent = this.#absent.get(sessionId);
    this.#absent.delete(sessionId);
    return absent === undefined ? [] : [...absent.requests.values()];
  }

  /** A session has lost its host: what comes now is late. */
  closed(sessionId: string): void {
    this.#remember(sessionId, true);
  }

  /** A session has lost its host for now: what comes, and the stop that it had, are for the next attempt. */
  retried(sessionId: string, groups: readonly string[], request: StopRequest | undefined): void {
    if (groups.length > 0) this.#remember(sessionId, false, groups);
    if (request !== undefined) this.keep(request);
  }

  /** The sessions of a group that wait to be tried again. */
  inGroup(group: string): readonly string[] {
    this.#forget();
    return [...this.#absent].filter(([, { groups }]) => groups.includes(group)).map(([sessionId]) => sessionId);
  }

  /** Keeps a request for a session without a host; returns the first with its aim, or that it has come too late or finds no room. */
  keep(request: StopRequest): StopRequest | 'late' | 'full' {
    const { sessionId, turnId } = request;
    this.#forget();
    const absent = this.#absent.get(sessionId) ?? this.#remember(sessionId, false);
    if (absent.wasHosted) return 'late';
    const { requests } = absent;
    const turns = requests.size - Number(requests.has(undefined));
    if (turnId !== undefined && !requests.has(turnId) && turns >= TURNS_AT_MOST) return 'full';
    const kept = requests.get(turnId) ?? request;
    requests.set(turnId, kept);
    return kept;
  }

  /** What is remembered of a session without a host: that it was closed here, or the first stop that waits for it. */
  look(sessionId: string): 'closed' | StopRequest | undefined {
    this.#forget();
    const absent = this.#absent.get(sessionId);
    if (absent?.wasHosted === true) return 'closed';
    return absent?.requests.values().next().value;
  }

  #remember(sessionId: string, wasHosted: boolean, groups: readonly string[] = []): Absent {
    const absent = { requests: new Map(), wasHosted, groups, until: this.#clock.now() + this.#pendingMs };
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
