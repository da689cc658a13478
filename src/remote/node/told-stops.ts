/**
 * What one hosting was told, by name: a stop that comes twice is told once, and what became of it is written until the
 * engine has it.
 *
 * Invariant: a stop is delivered at most once in the life of a hosting, however often it is pushed, pulled or re-sent.
 *
 * @module
 */
import type { CancelReason } from '../../core/foundation/reason.ts';
import type { StopReport } from '../../core/interrupt/public-types/stop-report.ts';
import { isFinal, type StopEntry } from '../record/run-record.ts';
import { originOf } from '../record/hand-on.ts';
import { writeReport } from '../record/report-wire.ts';

/** How many stops that are over are remembered, so that a late copy of one is recognised. */
const REMEMBERED = 256;

/** Whether the engine does not have it yet: its instant is one of this process's clock then, and negative. */
export function isUnwritten({ at }: Pick<StopEntry, 'at'>): boolean {
  return at <= 0;
}

/** Of most hostings there is nothing to write, and there may be many. */
const nothing: readonly StopEntry[] = [];
const noNames: ReadonlySet<string> = new Set();

interface Told {
  stop: StopEntry;
  report: Promise<StopReport>;
}

/** The stops that one hosting was told. */
export class ToldStops {
  readonly #told = new Map<string, Told>();
  /** The requests that made a kill of a stop, with its report. */
  readonly #upgrades = new Map<string, Promise<StopReport>>();
  readonly #changed: () => void;

  readonly #given: () => number | undefined;

  /**
   * @param changed Called when there is something new to write.
   * @param given How much the session was given to do so far.
   */
  constructor(changed: () => void, given: () => number | undefined = () => undefined) {
    this.#changed = changed;
    this.#given = given;
  }

  /** What the engine is to know. */
  get stops(): readonly StopEntry[] {
    if (this.#told.size === 0) return nothing;
    return [...this.#told.values()].map(({ stop }) => stop);
  }

  /** The names of all that were told, as they were asked for. */
  get names(): ReadonlySet<string> {
    if (this.#told.size === 0) return noNames;
    return new Set([...this.#told.keys()].map(originOf));
  }

  /** A stop as it was told: for which reason, after how many turns, and whether it holds for the next attempt, though it names one. */
  asTold(id: string): Pick<StopEntry, 'reason' | 'given' | 'holds'> | undefined {
    const stop = this.#told.get(id)?.stop;
    return stop && { reason: stop.reason, given: stop.given, holds: stop.holds };
  }

  /** The report of a stop that was told, if it was. */
  reportOf(id: string): Promise<StopReport> | undefined {
    return this.#told.get(id)?.report;
  }

  /** Waits until everything that was told is over; returns whether anything was told. */
  async allOver(): Promise<boolean> {
    await Promise.allSettled([...this.#told.values()].map(({ report }) => report));
    return this.#told.size > 0;
  }

  /**
   * Tells a stop, unless this was done before: as it is, or as the kill that it has become.
   *
   * @param holds The person's stop that counts for the next attempt, if there is one: asked when this was delivered.
   */
  tell(stop: StopEntry, deliver: () => Promise<StopReport>, holds?: () => CancelReason | undefined): void {
    const known = this.#told.get(stop.id);
    if (known !== undefined && (known.stop.level === 'kill' || stop.level === 'cancel')) {
      this.#hasArrived(known, stop);
      return;
    }
    // Told as a part of an earlier stop, which the engine has lost since, or as the stop that was handed on to this hosting.
    const earlier = this.#upgrades.get(stop.id) ?? this.#sameAs(stop)?.report;
    // Known before the work hears of it: what it does then may bring the same stop again.
    let began!: (report: Promise<StopReport>) => void;
    const report = new Promise<StopReport>((resolve) => {
      began = resolve;
    });
    const told: Told = { stop: { ...stop, phase: 'observed', given: stop.given ?? this.#given() }, report };
    this.#told.set(stop.id, told);
    if (stop.upgradedBy !== undefined) this.#upgrades.set(stop.upgradedBy, report);
    began(earlier ?? deliver());
    const reason = holds?.();
    if (reason !== undefined) told.stop = { ...told.stop, reason, holds: stop.turnId !== undefined };
    report.then(
      (made) => {
        this.#settle(told, made);
      },
      // A host that cannot say what became of the work has not said that it is over.
      () => undefined,
    );
    this.#changed();
  }

  /** The same stop under the name that it has at another hosting, told as hard as this one or harder. */
  #sameAs({ id, level }: StopEntry): Told | undefined {
    const origin = originOf(id);
    return [...this.#told.values()].find(
      ({ stop }) => stop.id !== id && originOf(stop.id) === origin && (stop.level === 'kill' || level === 'cancel'),
    );
  }

  /** The record as the engine has it: members come and leave after a stop was told. */
  learn(stops: readonly StopEntry[]): void {
    for (const { id, members, at } of stops) {
      const told = this.#told.get(id);
      if (told !== undefined) told.stop = { ...told.stop, members, at };
    }
  }

  /** What was asked for in this process is in the engine now. */
  #hasArrived(known: Told, stop: StopEntry): void {
    if (!isUnwritten(known.stop) || isUnwritten(stop)) return;
    const { phase, report, reason, given, holds, only, turnId } = known.stop;
    known.stop = { ...stop, phase, report, reason, given, holds, only: turnId === undefined ? only : stop.only };
    this.#changed();
  }

  #settle(told: Told, report: StopReport): void {
    told.stop = { ...told.stop, phase: 'settled', report: writeReport(report) };
    this.#changed();
  }

  /** Everything is written: of what is over, the oldest need not be written again. */
  forget(): void {
    let extra = this.#told.size - REMEMBERED;
    for (const { stop } of this.#told.values()) {
      if (extra <= 0) return;
      if (!isFinal(stop)) continue;
      this.#told.delete(stop.id);
      if (stop.upgradedBy !== undefined) this.#upgrades.delete(stop.upgradedBy);
      extra--;
    }
  }
}
