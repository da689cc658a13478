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
import { buryMembers, everybodyIn, joinRun, leaveRun, MOST_MEMBERS } from '../record/membership.ts';
import type { DataLoss } from './engine/data-loss.ts';
import type { Exchange } from './engine/exchange.ts';
import type { Persistence } from './engine/persistence.ts';

/**
 * Part of a run that another process hosts.
 *
 * @since 0.1.0
 */
export interface RunMember {
  /** Cancelled by a stop of the run, where it has no room, and when this process may not be trusted any more (kind `lease-lost`). */
  readonly token: CancellationToken;
  /** The work for the run has ended here: a stop of the run waits for this. */
  release(): void;
  /** As `release()`. */
  [Symbol.dispose](): void;
}

/** A stop that needs no engine to be told. */
export type ToldStop = Pick<StopEntry, 'id' | 'reason' | 'level' | 'turnId' | 'given'>;

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
  /** Whether the engine has it, as far as is known. */
  isKnown: boolean;
  /** Resolves when it has left. */
  readonly left: Promise<void>;
  readonly leave: () => void;
}

/** A run that some work for, as far as is known. */
export interface SharedRun {
  readonly runId: string;
  readonly members: readonly MemberEntry[];
  /** Is shown what there is. */
  readonly see?: (record: RunRecord) => void;
}

/** What the members work with. */
export interface MembersParts {
  readonly node: string;
  readonly newId: () => string;
  readonly exchange: Exchange;
  readonly persistence: Persistence;
  readonly loss: DataLoss;
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

  of(runId: string): readonly MemberEntry[] {
    return [...(this.#byRun.get(runId) ?? [])].map(({ entry }) => entry);
  }

  /** D3: registered here before the record says so, so that no stop falls between. */
  join(runId: string, options: { readonly turnId?: number | undefined }): RunMember {
    requireId(runId);
    requireOptions(options, { turnId: 1 });
    const { turnId } = options;
    if (turnId !== undefined) requireWhole('turnId', turnId, 1);
    const here = this.#byRun.get(runId) ?? new Set();
    if (here.size >= MOST_MEMBERS) throw fullError(runId);
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
    let leave!: () => void;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const state = { joinedAt: Infinity, ended: undefined, isKnown: false };
    const member: Member = { entry, runId, source, see, told, left, leave, ...state };
    this.#byRun.set(runId, here.add(member));
    void this.#write(member);
    const release = (): void => this.#leave(member);
    return { token: source.token, release, [Symbol.dispose]: release };
  }

  /** Tells them of a stop. */
  tell(runId: string, stop: ToldStop): void {
    const entry: StopEntry = { ...stop, phase: 'requested', at: 0, from: '', members: [] };
    for (const { see } of this.#byRun.get(runId) ?? []) see([entry]);
  }

  /** The record of a run, as a wake-up or a heartbeat brought it; may be old. */
  see(runId: string, record: RunRecord): void {
    const here = this.#byRun.get(runId) ?? [];
    for (const member of here) {
      member.see(record.stops);
      // D12: taken for dead, or lost.
      if (!member.isKnown || isListed(record, member)) continue;
      member.isKnown = false;
      void this.#write(member);
    }
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
      if (isListed(found, member)) member.see(found?.stops ?? []);
      else await this.#join(member);
    }
  }

  /** D6: who works for these runs, and holds no lease, works for them no longer. */
  async bury(runs: readonly SharedRun[]): Promise<void> {
    const { exchange, loss, node } = this.#parts;
    const nodes = new Set(runs.flatMap(({ members }) => members.map((member) => member.node)));
    nodes.delete(node);
    if (nodes.size === 0 || loss.isRecent) return;
    const dead = await exchange.lapsed([...nodes]);
    const meant = runs.filter(({ members }) => members.some((member) => dead.has(member.node)));
    await Promise.all(
      meant.map(({ runId, see }) =>
        exchange.commit(runId, (record) => {
          if (record !== undefined) see?.(record);
          return buryMembers(record, dead);
        }),
      ),
    );
  }

  /** D8: nobody may trust this node, so its work is to end. */
  fence(): void {
    const reason: CancelReason = createReason({
      kind: 'lease-lost',
      message: 'This process does not hold its lease any more',
    });
    for (const members of this.#byRun.values()) for (const { source } of members) source.cancel(reason);
  }

  /** D5: waits for those whom a stop has told, until they have left, and everybody who has is known to have. */
  async giveUp(): Promise<void> {
    const told = [...this.#byRun.values()].flatMap((here) => [...here].filter(({ told: { size } }) => size > 0));
    await Promise.all(told.map(({ left }) => left));
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

  async #join(member: Member): Promise<void> {
    const { runId, source } = member;
    const full = await this.#tryJoin(member);
    // Those who have left or died are no reason to refuse anybody.
    if (full !== undefined) await Promise.all([...this.#leaving.values(), this.bury([{ runId, members: full }])]);
    if (full === undefined || (await this.#tryJoin(member)) === undefined) return;
    source.cancel(fullError(runId));
    this.#leave(member);
  }

  /** @returns Those who have all the places, where there is none. */
  async #tryJoin(member: Member): Promise<readonly MemberEntry[] | undefined> {
    const { stops, full } = await this.#parts.exchange.commit(member.runId, (record, now) => {
      if (!this.#isHere(member)) return { record: undefined, result: {} };
      member.joinedAt = Math.min(member.joinedAt, now);
      member.ended ??= record?.state === 'settled' ? record.epoch : 0;
      return joinRun(record, member.entry, { at: member.joinedAt, ended: member.ended, told: member.told }, now);
    });
    member.isKnown = stops !== undefined;
    if (stops !== undefined) member.see(stops);
    return full;
  }

  #isHere(member: Member): boolean {
    return this.#byRun.get(member.runId)?.has(member) === true;
  }

  #leave(member: Member): void {
    const { runId, entry, source, leave } = member;
    const here = this.#byRun.get(runId);
    if (here?.delete(member) !== true) return;
    if (here.size === 0) this.#byRun.delete(runId);
    source.release();
    this.#writeLeave(runId, entry.id);
    leave();
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

function isListed(record: RunRecord | undefined, { entry }: Member): boolean {
  return record?.members.some(({ id }) => id === entry.id) === true;
}

/** There is no room for one more until another has left. */
function fullError(runId: string): RangeError {
  return new RangeError(`the session ${quoted(runId)} has ${String(MOST_MEMBERS)} members, which is the most`);
}
