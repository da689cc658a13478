/**
 * What happened in one run of a check, in order, as its page shows it.
 *
 * @module
 */
import { now } from '../../model-server/request-record.ts';

/**
 * One moment of a run.
 *
 * @since 0.1.0
 */
export interface TimelineEntry {
  /** Milliseconds since the program was started. */
  readonly atMs: number;
  /** Whose doing it is. */
  readonly who: 'person' | 'model' | 'program' | 'system';
  readonly what: string;
}

/** See the module. */
export class Timeline {
  readonly #startedAt: number = now();
  readonly #entries: TimelineEntry[] = [];

  /** In order of time, also if some were noted late. */
  get entries(): readonly TimelineEntry[] {
    return [...this.#entries].sort((one, other) => one.atMs - other.atMs);
  }

  /** @param at Epoch ms; by default now. */
  note(who: TimelineEntry['who'], what: string, at: number = now()): void {
    this.#entries.push({ atMs: this.since(at), who, what });
  }

  /** Milliseconds from the start to an instant. */
  since(at: number): number {
    return Math.round(at - this.#startedAt);
  }
}
