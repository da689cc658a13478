/**
 * The processes that work for a run without hosting it, as far as they are here: each has a token that a stop of the run
 * cancels.
 *
 * @module
 */
import { quoted, requireOptions, requireWhole } from '../../core/foundation/check.ts';
import { createReason, type CancelReason } from '../../core/foundation/reason.ts';
import { CancellationTokenSource } from '../../core/token/cancellation-token-source.ts';
import type { CancellationToken } from '../../core/token/cancellation-token.ts';
import { requireId } from '../../sessions/session-id.ts';
import type { MemberEntry, RunRecord, StopEntry } from '../record/run-record.ts';
import { concerns, isFinal } from '../record/run-record.ts';
import { everybodyIn, joinRun, leaveRun, MOST_MEMBERS, type MemberHere } from '../record/membership.ts';
import type { Exchange } from './engine/exchange.ts';
import type { Persistence } from './engine/persistence.ts';

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
  readonly source: CancellationTokenSource;
  /** Stops that were over when it joined are none of its business; neither are those of other turns. */
  readonly see: (stops: readonly StopEntry[]) => void;
  /** The stops that it was told. */
  readonly told: ReadonlySet<string>;
  /** Epoch milliseconds of the engine's clock. */
  joinedAt: number;
  /** The hosting that had ended when it joined, as it was found first; 0 if none had. */
  ended: number | undefined;
}

const nobody: readonly MemberHere[] = [];

/** There is no room for one more member until one has left. */
class MembersFullError extends RangeError {
  constructor(runId: string) {
    super(`the run ${quoted(runId)} has ${String(MOST_MEMBERS)} members, which is the most`);
    this.name = 'RangeError';
  }
}

/** What the members work with. */
export interface MembersParts {
  readonly node: string;
  readonly newId: () => string;
  readonly exchange: Exchange;
  readonly persistence: Persistence;
  readonly leaseHeld: () => Promise<void>;
  /** One has left. */
  readonly changed: () => void;
}

/** The members of this node. */
export class Members {
  readonly #parts: MembersParts;
  readonly #byRun = new Map<string, Set<Member>>();
  /** Those whose leaving is being written. */
  readonly #leaving = new Map<string, Promise<void>>();

  constructor(parts: MembersParts) {
    this.#parts = parts;
  }

  /** The runs that somebody here works for. */
  get runs(): readonly string[] {
    return [...this.#byRun.keys()];
  }

  /** How many runs that are. */
  get size(): number {
    return this.#byRun.size;
  }

  of(runId: string): readonly MemberHere[] {
    const here = this.#byRun.get(runId);
    return here === undefined ? nobody : [...here].map(({ entry, told }) => ({ ...entry, told }));
  }

  /** D3: registered here before the record says so, so that no stop falls between. */
  join(runId: string, options: { readonly turnId?: number | undefined }): RunMember {
    requireId(runId);
    requireOptions(options, { turnId: 1 });
    const { turnId } = options;
    if (turnId !== undefined) requireWhole('turnId', turnId, 1);
    const { node, newId } = this.#parts;
    const source = new CancellationTokenSource({ name: runId });
    const entry: MemberEntry = { id: newId(), node, turnId };
    const told = new Set<string>();
    const see = (stops: readonly StopEntry[]): void => {
      for (const stop of stops) {
        const isWaiting = stop.members.some(({ id }) => id === entry.id);
        if (!isWaiting && (isFinal(stop) || !concerns(stop, entry))) continue;
        told.add(stop.id);
        if (stop.level === 'kill') source.kill(stop.reason);
        else source.cancel(stop.reason);
      }
    };
    const member: Member = { entry, runId, source, see, told, joinedAt: Infinity, ended: undefined };
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
    const here = this.#byRun.get(runId) ?? [];
    for (const { see } of here) see(record.stops);
    // A host that wrote its record anew may name who has left meanwhile.
    const ids = new Set([...here].map(({ entry }) => entry.id));
    const gone = everybodyIn(record).find(({ id, node }) => node === this.#parts.node && !ids.has(id));
    if (gone !== undefined) this.#writeLeave(runId, gone.id);
  }

  /** The engine may have lost what it knew of these members. Writes them again, where it has. */
  assert(runId: string, found: RunRecord | undefined): Promise<void> | undefined {
    const here = this.#byRun.get(runId);
    return here && this.#assert(here, found);
  }

  async #assert(here: ReadonlySet<Member>, found: RunRecord | undefined): Promise<void> {
    for (const member of here) {
      if (found?.members.some(({ id }) => id === member.entry.id) === true) member.see(found.stops);
      else await this.#joinAgain(member);
    }
  }

  /** D8: nobody may trust this node, so its work is to end. */
  fence(): void {
    const reason: CancelReason = createReason({
      kind: 'lease-lost',
      message: 'This process does not hold its lease any more',
    });
    for (const members of this.#byRun.values()) for (const { source } of members) source.cancel(reason);
  }

  /** Resolves when everybody who has left until now is known to have left. */
  async haveLeft(): Promise<void> {
    await Promise.all(this.#leaving.values());
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

  /** The engine is well where there is only no room: nobody else is written again for that. */
  async #joinAgain(member: Member): Promise<void> {
    try {
      await this.#join(member);
    } catch (error) {
      if (!(error instanceof MembersFullError)) throw error;
      void this.#write(member);
    }
  }

  async #join(member: Member): Promise<void> {
    const { exchange } = this.#parts;
    const stops = await exchange.commit(member.runId, (record, now) => {
      if (!this.#isHere(member)) return { record: undefined, result: [] };
      member.joinedAt = Math.min(member.joinedAt, now);
      member.ended ??= record?.state === 'settled' ? record.epoch : 0;
      return joinRun(record, member.entry, { at: member.joinedAt, ended: member.ended, told: member.told }, now);
    });
    if (stops === 'full') throw new MembersFullError(member.runId);
    member.see(stops);
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
    this.#writeLeave(runId, entry.id);
  }

  #writeLeave(runId: string, memberId: string): void {
    const { exchange, persistence, changed } = this.#parts;
    if (this.#leaving.has(memberId)) return;
    const left = persistence
      .until(
        () => exchange.commit(runId, (record) => leaveRun(record, memberId)),
        () => false,
      )
      .then(() => {
        this.#leaving.delete(memberId);
        changed();
      });
    this.#leaving.set(memberId, left);
  }
}
