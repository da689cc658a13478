/**
 * The claim by which one hosting takes its run: tried as often as it takes.
 *
 * Invariants: D3, what comes before the claim is found by it · D7, a claim that is sent twice is the same claim, and it is given up
 * where a try of it, whose answer was lost, has a successor already.
 *
 * @module
 */
import type { RunRecord } from '../record/run-record.ts';
import type { Step } from '../record/step-result.ts';
import { claimRun } from '../record/transitions.ts';
import type { KnownRecord } from './engine/exchange.ts';
import type { HostedRunParts } from './hosted-run-parts.ts';

/** Most runs are new: where this one is not, the swap says what there is. */
const none: KnownRecord = { value: undefined, record: undefined };

/** Whose claim it is. */
export interface Claimant {
  /** The stops that it was told already, in this very process. */
  readonly told: () => ReadonlySet<string>;
  readonly isOver: () => boolean;
  /** The run is its own; by the engine's time. */
  readonly hosts: (record: RunRecord, now: number) => void;
  /** Another hosting has the run. */
  readonly lost: () => void;
}

/** One claim. */
export class RunClaim {
  readonly #parts: HostedRunParts;
  readonly #claimant: Claimant;
  readonly #from: number;
  /** The epoch of a try that may have been written: its answer was lost. */
  #triedEpoch: number | undefined;
  /** The try that is on its way. */
  #trying: Promise<RunRecord | undefined> | undefined;
  #made: Promise<unknown> | undefined;

  constructor(parts: HostedRunParts, claimant: Claimant) {
    this.#parts = parts;
    this.#claimant = claimant;
    this.#from = parts.clock.now();
  }

  /** Makes it, once for whoever asks; resolves when it was made, or is not to be made any more. */
  async make(): Promise<void> {
    await (this.#made ??= this.#parts.persistence.until(() => this.#try(), this.#claimant.isOver));
  }

  /** Resolves when no try is on its way: what one of them has written is there by then. */
  async hasPassed(): Promise<void> {
    await this.#trying?.catch(() => undefined);
  }

  /** The record with the claim, for an end that comes first: D3, what was told here is of its number. As it is where another one runs. */
  of(found: RunRecord | undefined, now: number): RunRecord | undefined {
    const isIdle = found === undefined && this.#claimant.told().size === 0;
    if (isIdle || found?.state === 'running' || found?.claim === this.#parts.claim) return found;
    return this.#step(found, now, this.#parts.clock.now()).result;
  }

  #step(found: RunRecord | undefined, now: number, sentAt: number): Step<RunRecord> {
    const { node, claim, again, groups, before } = this.#parts;
    // D10: what the engine had when it was asked is from before, by as much as had passed here when that was sent.
    const wantedForMs = again ? sentAt - this.#from : undefined;
    // What it may only now have written was asked for before.
    const past = again ? before?.told : undefined;
    const mine = { claim, node, told: this.#claimant.told(), past, groups, tried: this.#triedEpoch, wantedForMs };
    return claimRun(found, mine, now);
  }

  async #try(): Promise<void> {
    const { runId, exchange, leaseHeld, clock, before } = this.#parts;
    const { isOver, hosts, lost } = this.#claimant;
    // A claim without a lease would be taken for that of a dead node.
    await leaseHeld();
    // D10: what the last attempt was told until now is for this one: it is there first.
    if (before !== undefined) await before.hasWritten();
    if (isOver()) return;
    let now = 0;
    let sentAt = clock.now();
    let tried: number | undefined;
    const take = (found: RunRecord | undefined, engineNow: number): Step<RunRecord | undefined> => {
      now = engineNow;
      const asked = sentAt;
      sentAt = clock.now();
      // Given up while the claim was on its way: it must not take the run from whoever came after.
      if (isOver() || this.#wasReplaced(found)) return { record: undefined, result: undefined };
      const step = this.#step(found, engineNow, asked);
      tried = step.result.epoch;
      return step;
    };
    this.#trying = exchange.commit(runId, take, { isWanted: () => !isOver(), believed: none });
    const record = await this.#trying.catch((error: unknown) => {
      this.#triedEpoch = tried ?? this.#triedEpoch;
      throw error;
    });
    if (record === undefined) lost();
    else hosts(record, now);
  }

  #wasReplaced(found: RunRecord | undefined): boolean {
    const tried = this.#triedEpoch;
    return tried !== undefined && found !== undefined && found.epoch > tried && found.claim !== this.#parts.claim;
  }
}
