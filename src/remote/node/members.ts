/**
 * The processes that work for a run without hosting it, as far as they are here: each has a token that a stop of the run
 * cancels.
 *
 * @module
 */
import { createReason, type CancelReason } from '../../core/foundation/reason.ts';
import { CancellationTokenSource } from '../../core/token/cancellation-token-source.ts';
import type { CancellationToken } from '../../core/token/cancellation-token.ts';
import type { MemberEntry, RunRecord, StopEntry } from '../record/run-record.ts';
import { isFinal } from '../record/run-record.ts';
import { joinRun, leaveRun } from '../record/transitions.ts';
import type { Exchange } from './exchange.ts';
import type { Persistence } from './persistence.ts';

/**
 * Part of a run that another process hosts.
 *
 * @since 0.1.0
 */
export interface RunMember {
  /** Cancelled by a stop of the run, and when this process may not be trusted any more (kind `lease-lost`). */
  readonly token: CancellationToken;
  /** The work for the run has ended here: a stop of the run waits for this. */
  release(): void;
  /** As `release()`. */
  [Symbol.dispose](): void;
}

/** One member. */
interface Member {
  readonly entry: MemberEntry;
  readonly runId: string;
  readonly turnId: number | undefined;
  readonly source: CancellationTokenSource;
  /** Stops that were over when it joined are none of its business; neither are those of other turns. */
  readonly see: (stops: readonly StopEntry[]) => void;
}

/** What the members work with. */
export interface MembersParts {
  readonly node: string;
  readonly newId: () => string;
  readonly exchange: Exchange;
  readonly persistence: Persistence;
  readonly leaseHeld: () => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** One has left. */
  readonly changed: () => void;
}

/** The members of this node. */
export class Members {
  readonly #parts: MembersParts;
  readonly #byRun = new Map<string, Set<Member>>();

  constructor(parts: MembersParts) {
    this.#parts = parts;
  }

  /** The runs that somebody here works for. */
  get runs(): readonly string[] {
    return [...this.#byRun.keys()];
  }

  entriesOf(runId: string): readonly MemberEntry[] {
    return [...(this.#byRun.get(runId) ?? [])].map(({ entry }) => entry);
  }

  /** D3: registered here before the record says so, so that no stop falls between. */
  join(runId: string, turnId: number | undefined): RunMember {
    const { node, newId } = this.#parts;
    const source = new CancellationTokenSource({ name: runId });
    const see = (stops: readonly StopEntry[]): void => {
      for (const stop of stops) {
        if (isFinal(stop) || (stop.turnId !== undefined && turnId !== undefined && stop.turnId !== turnId)) continue;
        if (stop.level === 'kill') source.kill(stop.reason);
        else source.cancel(stop.reason);
      }
    };
    const member: Member = { entry: { id: newId(), node }, runId, turnId, source, see };
    const here = this.#byRun.get(runId) ?? new Set();
    this.#byRun.set(runId, here.add(member));
    void this.#write(member);
    const release = (): void => {
      this.#leave(member);
    };
    return { token: source.token, release, [Symbol.dispose]: release };
  }

  /** The record of a run, as a wake-up or a heartbeat brought it. */
  see(runId: string, record: RunRecord): void {
    for (const { see } of this.#byRun.get(runId) ?? []) see(record.stops);
  }

  /** The engine may have lost what it knew of these members. */
  async assert(runId: string, found: RunRecord | undefined): Promise<void> {
    for (const member of this.#byRun.get(runId) ?? []) {
      if (found?.members.some(({ id }) => id === member.entry.id) === true) member.see(found.stops);
      else await this.#join(member);
    }
  }

  /** D8: nobody may trust this node, so its work is to end. */
  fence(): void {
    const reason: CancelReason = createReason({ kind: 'lease-lost', message: 'The lease of this process has lapsed' });
    for (const members of this.#byRun.values()) for (const { source } of members) source.cancel(reason);
  }

  /** Everybody leaves. */
  releaseAll(): void {
    for (const members of this.#byRun.values()) for (const member of [...members]) this.#leave(member);
  }

  #write(member: Member): Promise<boolean> {
    const { persistence, leaseHeld } = this.#parts;
    return persistence.until(
      async () => {
        await leaseHeld();
        await this.#join(member);
      },
      () => !this.#isHere(member),
    );
  }

  async #join(member: Member): Promise<void> {
    const { exchange, failed } = this.#parts;
    const stops = await exchange.commit(member.runId, (record) =>
      this.#isHere(member) ? joinRun(record, member.entry) : { record: undefined, result: [] },
    );
    if (stops === 'full') failed(new RangeError(`the run ${JSON.stringify(member.runId)} has too many members`));
    else member.see(stops);
  }

  #isHere(member: Member): boolean {
    return this.#byRun.get(member.runId)?.has(member) === true;
  }

  #leave(member: Member): void {
    const { runId, entry, source } = member;
    const here = this.#byRun.get(runId);
    if (here?.delete(member) !== true) return;
    if (here.size === 0) this.#byRun.delete(runId);
    source.release();
    const { exchange, persistence, changed } = this.#parts;
    void persistence
      .until(
        () => exchange.commit(runId, (record) => leaveRun(record, entry.id)),
        () => false,
      )
      .then(changed);
  }
}
