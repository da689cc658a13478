/**
 * One hosting of a run by this node: told its stops, and written down until the engine has it.
 *
 * Invariants: D7, a hosting that was replaced writes nothing and is told so, once · D12, what it knows is written until that is confirmed.
 *
 * @module
 */
import { createReason, type CancelReason } from '../../core/foundation/reason.ts';
import type { StopReport } from '../../core/interrupt/public-types/stop-report.ts';
import type { EndOfHosting, SessionHost, StopRequest } from '../../sessions/stop-bus.ts';
import type { MemberEntry, RunRecord, StopEntry } from '../record/run-record.ts';
import type { Step } from '../record/step-result.ts';
import { endRun } from '../record/end-run.ts';
import { isHandedOn, originOf } from '../record/hand-on.ts';
import { endIdOf } from '../record/membership.ts';
import type { StopAsk } from '../record/ask-stop.ts';
import { assertHosting, type Held } from '../record/transitions.ts';
import type { KnownRecord } from './engine/exchange.ts';
import { nobody, writeEnd, type EndedRun } from './endings.ts';
import type { HostedRunParts } from './hosted-run-parts.ts';
import { RunClaim } from './run-claim.ts';
import { isUnwritten, ToldStops } from './told-stops.ts';
import { Writing } from './writing.ts';

/** One hosting. */
export class HostedRun {
  #host: SessionHost;
  /** Its own name, the groups that it is in, and who works for it here. */
  readonly named: Pick<HostedRunParts, 'claim' | 'groups' | 'tellMembers'>;
  readonly #parts: HostedRunParts;
  readonly #told: ToldStops;
  readonly #claim: RunClaim;
  readonly #writing: Writing;
  /** It was given up, and cleans up: what it was told is for whoever takes its place where its work may be retried. */
  ending: 'retry' | 'last' | undefined;
  /** Who works for it, as the record said last. */
  members: readonly MemberEntry[] = [];
  /** Its number; `undefined` until it is claimed. */
  epoch: number | undefined;
  /** A record was shown to it before it had a number. */
  #isHinted = false;
  /** D3: until then, whatever comes is for what starts first, as what the record has from before. */
  #isOpen = false;
  #isOver = false;
  /** Whether its end is written, once that is tried, or whoever replaced it has nothing to hear of that. */
  #ended: Promise<boolean> | undefined;
  /** The record as it was last seen: what is to be written next needs no look at it before. */
  #seen: KnownRecord | undefined;

  constructor(host: SessionHost, parts: HostedRunParts) {
    [this.#host, this.#parts, this.named] = [host, parts, parts];
    const { lull, persistence } = parts;
    this.#writing = new Writing({
      ...{ lull, persistence, mayWrite: () => this.epoch !== undefined && !this.#isOver },
      write: () => this.#flush(true),
    });
    this.#told = new ToldStops(
      () => this.#writing.start(),
      () => (this.#host.given?.() === 0 && !this.#isOpen ? 1 : this.#host.given?.()),
    );
    this.#claim = new RunClaim(parts, {
      told: () => this.#told.names,
      isOver: () => this.#isOver,
      hosts: (record, now) => {
        this.epoch = record.epoch;
        this.#take(record, now);
      },
      lost: () => this.#lose(),
    });
  }

  /** Claims the run; the same claim for whoever asks. What was written behind it, and shown before its answer came, is looked for. */
  async claim(): Promise<void> {
    await this.#claim.make();
    if (this.#isHinted) await this.#flush(true).catch(() => undefined);
    this.#isOpen = true;
  }

  /** Resolves when it has its number, or never will. */
  async numbered(): Promise<void> {
    if (this.epoch === undefined) await this.#claim.make();
    if (this.epoch === undefined) await this.#ended;
  }

  /**
   * The record, as a wake-up or a heartbeat brought it; may be old.
   *
   * @param isListed Whether the run stands in this node's inbox, and has to be taken out.
   * @param value The same as the engine has it.
   */
  see(record: RunRecord, isListed: boolean, value?: string): void {
    this.#isHinted ||= this.epoch === undefined;
    if (this.epoch === undefined || this.#isOver) return;
    const { claim } = this.#parts;
    if (record.epoch > this.epoch || (record.epoch === this.epoch && record.claim !== claim)) {
      this.#lose();
      return;
    }
    const isMine = record.epoch === this.epoch;
    if (isMine && value !== undefined) this.#seen = { value, record };
    if (isMine) this.#take(record);
    if (isListed || !isMine) this.#writing.start();
  }

  /**
   * The engine may have lost the run.
   *
   * @param isRenewal Whether everything is looked at: what groups list expires as well.
   * @returns Writes it again, where it has.
   */
  assert(found: RunRecord | undefined, isRenewal: boolean): Promise<void> | undefined {
    if (this.epoch === undefined || this.#isOver) return undefined;
    const { groups } = this.#parts;
    // Nothing has to be read, since nothing is there.
    if (found === undefined) this.#seen = { value: undefined, record: undefined };
    if (found === undefined || (isRenewal && groups.length > 0)) return this.#flush(false);
    // What is to be said by and by needs no engine's time: only what is not there is written.
    const state = { ...this.#stateIn(found, 0), epoch: this.epoch, unwritten: [] };
    if (assertHosting(found, state).record !== found) return this.#flush(false);
    this.see(found, false);
    return undefined;
  }

  /**
   * Tells a stop that was asked for in this very process, which needs no engine for it.
   *
   * @param report Of one that the host has told itself: it is of this hosting alone.
   */
  tellHere(ask: StopAsk, report?: Promise<StopReport>): Promise<StopReport> {
    const kept = { keptMs: this.#parts.exchange.times.pendingMs, at: -this.#parts.clock.now(), members: [] };
    const stop = { ...ask, ...kept, phase: 'requested' } as const;
    if (report === undefined) this.#tell(stop, undefined);
    else this.#told.tell(stop, () => report);
    this.#parts.tellMembers(stop);
    return this.#told.reportOf(ask.id) as Promise<StopReport>;
  }

  /** What the next hosting in this process is to know of this one, as it is now. */
  get before(): NonNullable<HostedRunParts['before']> {
    const hasWritten = (): Promise<unknown> => Promise.all([this.#writing.passed(), this.#ended]);
    return { told: this.#told.names, hasWritten };
  }

  /** The same stop for the engine, as it was told, behind the claim: of this hosting, or where it never had the run, of any if it may be. */
  toldHere(ask: StopAsk, isOfAny = false): StopAsk {
    const epoch = (): number | undefined => this.epoch ?? (isOfAny ? undefined : -1);
    return {
      ...{ ...ask, isTold: true, only: undefined, ...this.#told.asTold(ask.id) },
      get of() {
        return epoch();
      },
    };
  }

  /** D8: nobody may trust this node, so its work is to end. */
  fence(): void {
    const reason = createReason({ kind: 'lease-lost', message: 'This host does not hold its lease any more' });
    void this.#deliver({ sessionId: this.#parts.runId, reason }).catch(() => undefined);
  }

  /** Ends the hosting: nothing is delivered any more once `after` has settled. Resolves when that is written, or never will be. */
  async end({ after, willRetry, reason = createReason({ kind: 'shutdown' }) }: EndOfHosting): Promise<EndedRun> {
    this.ending = willRetry === true ? 'retry' : 'last';
    // Others may open it before the clean-up is over, where that lasts.
    const timer = this.ending === 'last' ? this.#parts.clock.setTimer(() => this.say(), 0, { ref: false }) : undefined;
    if (after !== undefined) await after.catch(() => undefined);
    timer?.release();
    // What was left to itself is not written as ended.
    if (this.#isOver) return { isWritten: (await this.#ended) === true, over: Promise.resolve() };
    const given = this.#host.given?.();
    const { runId, exchange, claim, tellMembers } = this.#parts;
    if (this.leave() && willRetry !== true) tellMembers({ id: endIdOf(this.#parts), reason, level: 'cancel' });
    const numbered = ({ record }: KnownRecord): void => {
      if (record?.claim === claim) this.epoch = record.epoch;
    };
    const step = (found: RunRecord | undefined, now: number) =>
      this.#endIn(found, now, willRetry ? 'retry' : reason, given);
    // What a claim that was on its way has written is ended like any other, and what else has come is told first.
    const write = () => exchange.commit(runId, step, { handled: true, believed: this.#seen, written: numbered });
    const written = this.#claim.hasPassed().then(() => writeEnd(this.#parts, write));
    this.#ended = written.then(({ isWritten }) => isWritten);
    return { isWritten: await this.#ended, over: (await written).over };
  }

  /** D5: its work may go on, so it is not written as ended. Waits for what a stop has told to end, and writes that. */
  async giveUp(): Promise<void> {
    if (!(await this.#told.allOver()) || this.epoch === undefined) return;
    await this.#parts.persistence.until(
      () => this.#flush(true),
      () => this.#isOver,
    );
  }

  /** Nothing is written or told any more; the record stays as it is, and nobody holds a lease for it. Whether it was the one here. */
  leave(): boolean {
    this.#isOver = true;
    this.#host = nobody;
    return this.#parts.left();
  }

  #endIn(
    found: RunRecord | undefined,
    now: number,
    why: CancelReason | 'retry',
    given: number | undefined,
  ): Step<Held | 'early'> {
    // The run leaves the inbox with this write: members share it, and so does who hosts the run here since.
    if (found !== undefined) this.#parts.show(found);
    const mine = this.epoch === undefined ? this.#claim.of(found, now) : found;
    const state = this.#stateIn(mine, now);
    if (state.epoch === undefined) return { record: undefined, result: 'taken' };
    const hosting = { ...state, epoch: state.epoch, given };
    return endRun(mine, hosting, why, this.#parts.loss.isRecent);
  }

  /** With the epoch that the record gives, where the answer to our claim was lost. */
  #stateIn(found: RunRecord | undefined, now: number) {
    const { claim, node, groups, loss, clock } = this.#parts;
    const epoch = this.epoch ?? (found?.claim === claim ? found.epoch : undefined);
    const aim = this.ending === 'last' ? { only: epoch, holds: undefined } : {};
    const stops = this.#told.stops.map((stop) => ({ ...stop, ...aim }));
    const unwritten = stops.filter(isUnwritten).map((stop) => ({ ...stop, agoMs: clock.now() + stop.at }));
    if ((found?.epoch ?? 0) < (epoch ?? 0)) loss.noticed();
    // D5: settled is said once whoever works for the run had the time to be named by the stop.
    const said = loss.isRecent ? stops.map((stop) => ({ ...stop, phase: 'observed' as const })) : stops;
    return { claim, node, epoch, groups, stops: said, told: this.#told.names, unwritten, now };
  }

  /** Writes again what there is to say: it was held back. */
  say(): void {
    if (this.#told.stops.length > 0) this.#writing.start();
  }

  #lose(): void {
    if (this.#isOver) return;
    const host = this.#host;
    this.leave();
    this.#ended = Promise.resolve(true);
    this.#parts.taken();
    host.superseded?.();
  }

  /** @param now The engine's time where these stops came before the claim. */
  #take(record: RunRecord, now?: number): void {
    if (this.#isOver) return;
    this.members = record.members;
    for (const stop of record.stops) {
      if (stop.phase !== 'requested' || (stop.only ?? record.epoch) !== this.epoch) continue;
      // What was handed on waits from here on: its attempt was open until then.
      const { keptMs = Infinity } = stop;
      const until = isHandedOn(stop.id, originOf(stop.id)) ? Infinity : stop.at + keptMs;
      this.#tell(stop, now === undefined ? undefined : Math.min(keptMs, Math.max(0, until - now)));
    }
  }

  #tell(stop: StopEntry, remainingMs: number | undefined): void {
    const { reason, turnId, level, only: epoch } = stop;
    const { runId, lull, told: tell } = this.#parts;
    const deliver = (): Promise<StopReport> => {
      lull.told();
      tell(isUnwritten(stop) ? undefined : stop.at);
      return this.#deliver({ sessionId: runId, reason, turnId, level, epoch }, remainingMs);
    };
    // D10: told, one of this hosting is a stop of the attempt as any other of everything is.
    const told = turnId === undefined ? { ...stop, only: undefined } : stop;
    this.#told.tell(told, deliver, () => this.#host.holds?.(turnId));
  }

  async #deliver(request: StopRequest, early?: number): Promise<StopReport> {
    const remainingMs = early ?? (this.#isOpen ? undefined : this.#parts.exchange.times.pendingMs);
    return this.#host.deliver(request, remainingMs === undefined ? undefined : { remainingMs });
  }

  /** @param isUrgent Whether somebody may wait for it. */
  async #flush(isUrgent: boolean): Promise<void> {
    const { runId, exchange, show } = this.#parts;
    const believed = this.#seen;
    this.#seen = undefined;
    const held = await exchange.commit<Held | 'restored'>(
      runId,
      (found, now) => {
        const epoch = this.epoch;
        if (this.#isOver || epoch === undefined) return { record: undefined, result: 'mine' };
        // Everything in the record is told before the run leaves the inbox.
        if (found !== undefined) show(found);
        if (found?.epoch === epoch) {
          this.#told.learn(found.stops);
          this.#take(found);
        }
        const step = assertHosting(found, { ...this.#stateIn(found, now), epoch });
        // What an older record held becomes ours with this write, and is told by the next.
        return step.result === 'mine' && (found?.epoch ?? epoch) !== epoch ? { ...step, result: 'restored' } : step;
      },
      { handled: true, isUrgent, believed, written: (known) => void (this.#seen = known) },
    );
    if (held === 'taken') this.#lose();
    else if (held === 'restored') this.#writing.start();
    this.#told.forget();
  }
}
