/**
 * What one hosting was told, by name: a stop that comes twice is told once, and what became of it is written until the
 * engine has it.
 *
 * Invariant: a stop is delivered at most once in the life of a hosting, however often it is pushed, pulled or re-sent.
 *
 * @module
 */
import type { StopReport } from '../../core/interrupt/public-types/stop-report.ts';
import { isFinal, type StopEntry } from '../record/run-record.ts';
import { writeReport } from '../record/report-wire.ts';

/** How many stops that are over are remembered, so that a late copy of one is recognised. */
const REMEMBERED = 256;

/** The instant of a stop that the engine does not have yet. */
export const UNWRITTEN = 0;

interface Told {
  stop: StopEntry;
  readonly report: Promise<StopReport>;
}

/** The stops that one hosting was told. */
export class ToldStops {
  readonly #told = new Map<string, Told>();
  readonly #changed: () => void;

  /** @param changed Called when there is something new to write. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** What the engine is to know: not what was asked for here and is on its way to the engine by itself. */
  get stops(): readonly StopEntry[] {
    return [...this.#told.values()].map(({ stop }) => stop).filter(({ at }) => at !== UNWRITTEN);
  }

  /** The report of a stop that was told, if it was. */
  reportOf(id: string): Promise<StopReport> | undefined {
    return this.#told.get(id)?.report;
  }

  /** Tells a stop, unless this was done before: as it is, or as the kill that it has become. */
  tell(stop: StopEntry, deliver: () => Promise<StopReport>): void {
    const known = this.#told.get(nameOf(stop));
    if (known !== undefined) {
      if (known.stop.at !== UNWRITTEN || stop.at === UNWRITTEN) return;
      const { phase, report } = known.stop;
      known.stop = { ...stop, phase, report };
      this.#changed();
      return;
    }
    // Known before the work hears of it: what it does then may bring the same stop again.
    let began!: (report: Promise<StopReport>) => void;
    const report = new Promise<StopReport>((resolve) => {
      began = resolve;
    });
    const told: Told = { stop: { ...stop, phase: 'observed' }, report };
    this.#told.set(nameOf(stop), told);
    began(deliver());
    report.then(
      (made) => this.#settle(told, made),
      // A host that cannot say what became of the work has not said that it is over.
      () => undefined,
    );
    this.#changed();
  }

  #settle(told: Told, report: StopReport): void {
    told.stop = { ...told.stop, phase: 'settled', report: writeReport(report) };
    this.#changed();
  }

  /** The engine has what `written` says: what is over need not be written again. */
  forget(): void {
    let extra = this.#told.size - REMEMBERED;
    for (const [name, { stop }] of this.#told) {
      if (extra <= 0) return;
      if (isFinal(stop) && this.#told.delete(name)) extra--;
    }
  }
}

/** A cancel that has become a kill is told as one more. */
function nameOf({ id, upgradedBy }: StopEntry): string {
  return upgradedBy ?? id;
}
