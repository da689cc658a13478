/**
 * Looks after what a node has written, by its heartbeats: what is new since the one before, and everything where an engine may have
 * lost it, or would forget it.
 *
 * Invariant: D12, nothing counts as written before a heartbeat has left its mark behind it, and it was there afterwards.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import { assertAll } from './assert-all.ts';
import { LIVE_MS, type Exchange } from './engine/exchange.ts';
import type { HostedRun } from './hosted-run.ts';
import type { Members } from './members.ts';
import type { RunRecord } from '../record/run-record.ts';

/** Records are renewed when this part of their life is over. */
const RENEW_MS = LIVE_MS / 3;

/** What is looked after. */
export interface UpkeepParts {
  readonly clock: Clock;
  readonly exchange: Exchange;
  readonly hosted: ReadonlyMap<string, HostedRun>;
  readonly members: Members;
}

/** The records of one node. */
export class Upkeep {
  readonly #parts: UpkeepParts;
  #renewAt: number;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    this.#renewAt = parts.clock.now() + RENEW_MS;
  }

  /**
   * After a heartbeat; rejects if something could not be looked at, or not be written again.
   *
   * @param isAll Whether the engine may have lost any of it.
   */
  async assert(isAll: boolean): Promise<void> {
    const { clock, exchange, hosted, members } = this.#parts;
    const marked = exchange.takeMarked();
    const isWhole = isAll || clock.now() >= this.#renewAt;
    try {
      await assertAll(exchange, hosted, members, isWhole ? undefined : marked);
    } catch (error) {
      this.#renewAt = 0;
      throw error;
    }
    if (isWhole) this.#renewAt = clock.now() + RENEW_MS;
    // D6: where the engine has what it had, those who renew have their leases.
    if (isAll) return;
    const shared = [...hosted].filter(([, run]) => run.members.length > 0);
    const see = (run: HostedRun) => (record: RunRecord) => run.see(record, false);
    await members.bury(shared.map(([runId, run]) => ({ runId, members: run.members, see: see(run) })));
  }
}
