/**
 * Stops for sessions that nobody hosts: a stop that overtakes its session waits here for it, and one that comes after the
 * session was closed is known to be late.
 *
 * Invariants: the first request for each turn and the first for everything are kept, for a time that counts from the last of them; what
 * is kept is bounded, in number and in time, and pushed out by its like alone.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import type { StopRequest } from '../stop-bus.ts';
import { Recent } from './recent.ts';
import { TURNS_AT_MOST } from './stops-to-come.ts';

/** A stop that waits. */
export interface WaitingStop {
  readonly request: StopRequest;
  /** Until when; by the clock of this process. */
  readonly until: number;
}

type Waiting = Map<number | undefined, WaitingStop>;

/** The stops that wait for their sessions. */
export class EarlyStops {
  readonly #clock: Clock;
  readonly #pendingMs: number;
  readonly #waiting: Recent<Waiting>;
  /** What was hosted here: a stop that comes now is late, not early. */
  readonly #closed: Recent<true>;
  /** The groups of what waits to be tried again. */
  readonly #groups: Recent<readonly string[]>;

  constructor(clock: Clock, pendingMs: number) {
    this.#clock = clock;
    this.#pendingMs = pendingMs;
    this.#waiting = new Recent(clock, pendingMs);
    this.#closed = new Recent(clock, pendingMs);
    this.#groups = new Recent(clock, pendingMs);
  }

  /** A session has a host from here on; returns the stops that waited for it. */
  take(sessionId: string): readonly WaitingStop[] {
    this.#closed.take(sessionId);
    this.#groups.take(sessionId);
    const waiting = this.#waiting.take(sessionId);
    return waiting === undefined ? [] : [...waiting.values()].filter(({ until }) => until > this.#clock.now());
  }

  /** A session has lost its host: what comes now is late. */
  closed(sessionId: string): void {
    this.#closed.set(sessionId, true);
  }

  /** A session has lost its host for now: what comes, and the stop that it had, are for the next attempt. */
  retried(sessionId: string, groups: readonly string[], request: StopRequest | undefined): void {
    if (groups.length > 0) this.#groups.set(sessionId, groups);
    if (request !== undefined) this.keep(request);
  }

  /** The sessions of a group that wait to be tried again. */
  inGroup(group: string): readonly string[] {
    return this.#groups.idsOf((groups) => groups.includes(group));
  }

  /** Keeps a request for a session without a host; returns the first with its aim, or that it has come too late or finds no room. */
  keep(request: StopRequest): StopRequest | 'late' | 'full' {
    const { sessionId, turnId } = request;
    if (this.#closed.get(sessionId) === true) return 'late';
    const now = this.#clock.now();
    const waiting: Waiting = this.#waiting.get(sessionId) ?? new Map<number | undefined, WaitingStop>();
    for (const [aim, { until }] of waiting) if (until <= now) waiting.delete(aim);
    const turns = waiting.size - Number(waiting.has(undefined));
    if (turnId !== undefined && !waiting.has(turnId) && turns >= TURNS_AT_MOST) return 'full';
    const kept = waiting.get(turnId)?.request ?? request;
    waiting.set(turnId, { request: kept, until: now + this.#pendingMs });
    this.#waiting.set(sessionId, waiting);
    return kept;
  }

  /** What is remembered of a session without a host: that it was closed here, or the first stop that waits for it. */
  look(sessionId: string): 'closed' | StopRequest | undefined {
    if (this.#closed.get(sessionId) === true) return 'closed';
    const now = this.#clock.now();
    return [...(this.#waiting.get(sessionId)?.values() ?? [])].find(({ until }) => until > now)?.request;
  }
}
