/**
 * The stops that this node asked for and still looks after.
 *
 * @module
 */
import { quoted } from '../../core/foundation/check.ts';
import type { Clock } from '../../core/foundation/clock.ts';
import type { StopReport } from '../../core/interrupt/public-types/stop-report.ts';
import type { StopProgress } from '../../sessions/stop-bus.ts';
import { waitAtMost } from '../../core/combinators/wait-at-most.ts';
import type { DataLoss } from '../node/engine/data-loss.ts';
import type { Exchange } from '../node/engine/exchange.ts';
import type { Persistence } from '../node/engine/persistence.ts';
import type { MemberEntry, RunRecord } from '../record/run-record.ts';
import type { StopAsk } from '../record/ask-stop.ts';
import { AskedRun } from './asked-run.ts';
import { PursuedStop } from './pursued-stop.ts';

/** How long a stop that nobody waits for is looked after, in leases. */
const FOLLOWED_LEASES = 4;
/** The longest wait between two looks, in milliseconds. */
const LONGEST_LOOK_MS = 1_000;

/** What is known of the node. */
export interface PursuitsParts {
  readonly name: string;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly confirmMs: number;
  /** Who works for a run in this process. */
  readonly membersOf: (runId: string) => readonly MemberEntry[];
}

/** The stops of one node, by run. */
export class Pursuits {
  readonly #parts: PursuitsParts;
  readonly #exchange: Exchange;
  readonly #loss: DataLoss;
  readonly #persistence: Persistence;
  readonly #byRun = new Map<string, AskedRun>();

  constructor(parts: PursuitsParts, exchange: Exchange, persistence: Persistence, loss: DataLoss) {
    this.#parts = parts;
    this.#exchange = exchange;
    this.#loss = loss;
    this.#persistence = persistence;
  }

  /**
   * Asks for a stop.
   *
   * @param told The report, if it was told in this very process.
   * @param behind Waits until it may be written.
   * @returns How far it came; rejects if nobody can say.
   */
  async send(
    runId: string,
    ask: StopAsk,
    told?: Promise<StopReport>,
    behind: () => Promise<void> = () => Promise.resolve(),
  ): Promise<StopProgress> {
    const { clock, leaseMs, confirmMs, name, membersOf } = this.#parts;
    const stop: PursuedStop = new PursuedStop({
      ...{ runId, ask, clock, leaseMs, exchange: this.#exchange, loss: this.#loss },
      membersHere: () => membersOf(runId),
      followMs: leaseMs * FOLLOWED_LEASES,
      write: async (step, isWanted) => {
        await behind();
        return this.#keep(runId, stop).write(step, isWanted);
      },
      follow: (came) => this.#keep(runId, stop).follow(came),
      done: () => this.#letGo(runId, stop),
    });
    const endsAt = clock.now() + confirmMs;
    const isTooLate = (): boolean => clock.now() >= endsAt;
    // What is on its way by then may arrive, and nobody can say so.
    const sending = this.#persistence.until(() => stop.send(() => !isTooLate()), isTooLate);
    const isSent = (await waitAtMost(clock, confirmMs, sending)) === true;
    if (told !== undefined) return stop.toldHere(told);
    if (isSent) return stop;
    stop.letGo();
    throw new Error(`${name} did not confirm the stop of ${quoted(runId)}`);
  }

  /** Something may have happened to the stops of a run, whose record was this then. */
  poke(runId: string, record: RunRecord | undefined): void {
    this.#byRun.get(runId)?.poke(record);
  }

  /** Something may have happened to any. */
  pokeAll(): void {
    for (const run of this.#byRun.values()) run.poke(undefined);
  }

  /** Nobody looks after any of them here any more. */
  close(): void {
    for (const run of [...this.#byRun.values()]) run.letGo();
  }

  #keep(runId: string, stop: PursuedStop): AskedRun {
    let run = this.#byRun.get(runId);
    if (run === undefined) {
      const { clock, leaseMs } = this.#parts;
      const longestMs = Math.min(LONGEST_LOOK_MS, leaseMs / 3);
      run = new AskedRun({ runId, clock, exchange: this.#exchange, longestMs });
      this.#byRun.set(runId, run);
    }
    run.add(stop);
    return run;
  }

  #letGo(runId: string, stop: PursuedStop): void {
    const run = this.#byRun.get(runId);
    if (run?.delete(stop) !== true) return;
    if (run.size === 0) this.#byRun.delete(runId);
  }
}
