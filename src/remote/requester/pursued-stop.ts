/**
 * A stop that this node asked for: looked after until it is known to have arrived, and for as long as somebody waits.
 *
 * Invariants: D5, it never says more than a record said · a stop that the engine has lost is asked for again, under its
 * own name · what it wrote itself is no answer.
 *
 * @module
 */
import type { Releasable } from '../../core/foundation/disposable.ts';
import type { CancelReason } from '../../core/foundation/reason.ts';
import type { StopReport } from '../../core/interrupt/public-types/stop-report.ts';
import type { StopOutcome, StopProgress, StopStatus } from '../../sessions/stop-bus.ts';
import { SETTLED_MS } from '../node/engine/exchange.ts';
import { everybodyIn, unionOf } from '../record/membership.ts';
import { readReport } from '../record/report-wire.ts';
import { concernedBy, MOST_NARROW, MOST_STOPS, type MemberEntry, type RunRecord } from '../record/run-record.ts';
import type { AskStep, PursuitParts } from './pursuit-parts.ts';
import { Silence } from './silence.ts';
import { heirOf, viewStop, type StopView } from '../record/stop-view.ts';
import { askStop } from '../record/ask-stop.ts';

/** Who has answered nothing for so many milliseconds may be dead: before that nobody asks for its lease. */
const PATIENCE_MS = 300;

const ranks: readonly StopStatus[] = ['unconfirmed', 'pending', 'requested', 'observed', 'settled'];

/** Most records have none. */
const noNames: ReadonlySet<string> = new Set();

function namesIn(record: RunRecord | undefined): ReadonlySet<string> {
  return record === undefined || record.stops.length === 0 ? noNames : new Set(record.stops.map(({ id }) => id));
}

/** Where nothing more is to come by waiting. */
function isLast(status: StopStatus): boolean {
  return status === 'settled' || status === 'superseded' || status === 'refused' || status === 'runner-dead';
}

/** One stop on its way. */
export class PursuedStop implements StopProgress {
  readonly #parts: PursuitParts;
  #silence: Silence | undefined;
  status: StopStatus = 'unconfirmed';
  reason: CancelReason | undefined;
  epoch: number | undefined;
  #report: StopReport | undefined;
  /** Those who wait for it. */
  #checks: readonly (() => void)[] = [];
  #watchers = 0;
  #isFollowed = false;
  #followUntil = 0;
  /** When somebody last waited for it anew, or heard that something may have happened to it. */
  #quietSince: number;
  /** The stop in the record: its own, or the one that it joined. */
  name: string;
  /** When a record last told of it. */
  #seenAt: number;
  readonly #askedAt: number;
  /** The engine has lost it, as far as is known. */
  #isLost = false;
  #isOver = false; // Its host has done its part, as the last record said.
  /** When it was written, by the engine's time: another instant means that the engine had lost it in between. */
  #writtenAt: number | undefined;
  /** It was told in this very process, and is not over here. */
  #isOpenHere = false;
  /** It was told here, and the record has no room for it. */
  #hasNoPlace = false;
  #isLetGo = false;
  /** Who was to answer, as the last record said. */
  #nodes: readonly string[] = [];
  /** The stops that the record had when it was first looked at: they may have been told before this one was asked for. */
  #older: ReadonlySet<string> | undefined;
  /** The members that it waits for, as the last record said. */
  #members: readonly MemberEntry[] = [];

  constructor(parts: PursuitParts) {
    this.#parts = parts;
    this.#askedAt = this.#seenAt = this.#quietSince = parts.clock.now();
    this.name = parts.ask.id;
  }

  /** Whether somebody waits for it in this process. */
  get isWatched(): boolean {
    return this.#watchers > 0;
  }

  /** Whether somebody has to look after it. */
  get isWanted(): boolean {
    return this.#isFollowed && this.#isToCome();
  }

  /** Whether somebody had to look after it, and nobody has any more. */
  get isDone(): boolean {
    return this.#isFollowed && !this.#isToCome();
  }

  /**
   * D1: one write. Rejects if it could not be confirmed.
   *
   * @param isWanted Asked when it is about to be sent.
   */
  async send(isWanted: () => boolean = () => this.#isToCome()): Promise<void> {
    const { ask, clock, exchange, followMs, membersHere, write } = this.#parts;
    let written: RunRecord | undefined;
    const isAgain = this.#older !== undefined;
    const take: AskStep = (record, now, found) => {
      // Turns are counted anew by each hosting, and what has ended is over: what was asked of one is not asked of another.
      const only = ask.only ?? (ask.turnId === undefined && !this.#isOver ? undefined : this.epoch);
      const agoMs = clock.now() - this.#askedAt;
      const members = unionOf(this.#members, membersHere());
      const older = (this.#older ??= namesIn(found));
      const { pendingMs: keptMs } = exchange.times;
      const step = askStop(record, { ...ask, agoMs, keptMs, only, members, isAgain, older }, now);
      written = step.record ?? record;
      if (step.result.answer === 'refused') this.#members = concernedBy(ask, written?.members ?? []);
      return step;
    };
    const asked = await write(take, isWanted);
    if (asked.answer === 'kept') this.#know(viewStop(written, asked.stop.id));
    else this.#reach(asked.answer === 'late' ? 'settled' : asked.answer);
    if (this.#followUntil === 0) this.#followUntil = clock.now() + followMs;
    this.#follow();
  }

  /** It was told in this very process. Returns how far it came. */
  toldHere(report: Promise<StopReport>): StopProgress {
    if (this.status === 'refused') [this.status, this.#hasNoPlace] = ['observed', true];
    this.#isOpenHere = true;
    this.#reach('observed');
    this.#follow();
    void report.then(
      (made) => {
        this.#isOpenHere = false;
        this.#report ??= made;
        if (this.isWatched) this.#parts.follow('hint');
      },
      () => undefined,
    );
    return this;
  }

  /**
   * Something may have happened to it.
   *
   * @param record As it was then, which may be a while ago: taken for what only grows, and for nothing else.
   * @returns Whether the record says what.
   */
  learn(record: RunRecord | undefined): boolean {
    this.#quietSince = this.#parts.clock.now();
    const view = viewStop(record, this.name);
    const isNews = view.status === 'observed' || view.status === 'settled' || view.status === 'superseded';
    if (isNews) this.#know(view);
    return isNews;
  }

  /** Nobody can look after it any more: whoever waits is told what is known. */
  letGo(): void {
    this.#isLetGo = true;
    for (const check of this.#checks) check();
    this.leave();
  }

  /** Nobody has to look after it any more. */
  leave(): void {
    this.#parts.done();
  }

  readonly until = (phase: 'observed' | 'settled', timeoutMs: number): Promise<StopOutcome> =>
    new Promise((resolve) => {
      const { clock } = this.#parts;
      let timer: Releasable | undefined = undefined;
      const answer = (): void => {
        timer?.release();
        this.#checks = this.#checks.filter((each) => each !== check);
        this.#watchers--;
        resolve({ status: this.status, ...(this.status === 'settled' && { report: this.#report }) });
      };
      const check = (): void => {
        if (this.#isLetGo || isLast(this.status) || ranks.indexOf(this.status) >= ranks.indexOf(phase)) answer();
      };
      this.#watchers++;
      this.#checks = [...this.#checks, check];
      if (timeoutMs !== Infinity) timer = clock.setTimer(answer, timeoutMs, { ref: true });
      this.#follow(this.#watchers === 1);
      check();
    });

  #follow(isNew = false): void {
    this.#isFollowed = true;
    if (isNew) this.#quietSince = this.#parts.clock.now();
    this.#parts.follow(isNew ? 'watched' : undefined);
  }

  /** Whether there is more to come that somebody wants to know. */
  #isToCome(): boolean {
    if (this.#isLetGo || (this.status !== 'runner-dead' && isLast(this.status))) return false;
    if (this.isWatched) return true;
    // What has no host yet, and what was told, has arrived.
    return this.status === 'requested' && this.#parts.clock.now() < this.#followUntil;
  }

  /** Looks at the record as it is, asks again if that has lost the stop, and finds out in time whether anybody is left to answer. */
  async look(record: RunRecord | undefined): Promise<void> {
    const { runId, exchange, clock } = this.#parts;
    const isLate = clock.now() - this.#quietSince >= PATIENCE_MS;
    const view = viewStop(record, this.name);
    if (view.status === 'lost') return this.#missing(record, isLate);
    if (view.status === 'pending' && this.status === 'observed') return this.#conclude(isLate);
    // Where nobody waits, that it was told is enough.
    const isEnough = isLast(view.status) || (!this.isWatched && view.status !== 'requested');
    const isSilent = isLate && !isEnough && (await this.#isSilent(view.nodes));
    // Whoever ends in good order writes first and gives the lease back then: so look once more.
    const again = isSilent ? viewStop((await exchange.read(runId)).record, this.name) : view;
    const isGone = isSilent && again.status === view.status && again.nodes.join() === view.nodes.join();
    this.#know(isGone ? { ...again, status: 'runner-dead' } : again);
  }

  #isSilent(nodes: readonly string[]): Promise<boolean> {
    this.#silence ??= new Silence(this.#parts);
    return this.#silence.isOf(nodes);
  }

  /** Whoever was told is the one to answer, whatever the engine has lost since. */
  async #conclude(isLate: boolean): Promise<void> {
    if (this.#isOver && this.#nodes.length === 0) {
      if (!this.#parts.loss.isRecent) this.#reach('settled');
    } else if (isLate && (await this.#isSilent(this.#nodes))) this.#reach('runner-dead');
  }

  /**
   * The record does not know of the stop. Asked for again only where an engine must have lost it: what was told is not
   * told twice, and what had time to end and be forgotten may have.
   */
  async #missing(record: RunRecord | undefined, isLate: boolean): Promise<void> {
    const { clock, exchange, loss } = this.#parts;
    const keptMs = this.status === 'pending' ? exchange.times.pendingMs : SETTLED_MS;
    const most = this.#hasNoPlace ? MOST_NARROW : MOST_STOPS;
    const isCut = record !== undefined && record.stops.length >= most;
    const isForgotten = isCut || clock.now() - this.#seenAt >= keptMs;
    if (!isForgotten && !this.#isLost) loss.noticed();
    this.#isLost = true;
    const heir = isCut ? heirOf({ ...this.#parts.ask, epoch: this.epoch, at: this.#writtenAt }, record) : undefined;
    if (heir !== undefined) {
      [this.name, this.#writtenAt] = [heir.id, heir.at];
      this.#know(viewStop(record, heir.id));
      return;
    }
    // The record has no room for it any more: who works there still is known of what was told here, and of nothing else.
    if (isCut && this.#parts.ask.isTold === true) this.#leaveRecord(record);
    else if (isCut) this.letGo();
    if (this.status === 'observed') await this.#conclude(isLate);
    else if (!isForgotten) await this.send();
  }

  /** No entry names those who were told: it is over when the host has done its part, and they have left the record. */
  #leaveRecord(record: RunRecord): void {
    [this.name, this.#writtenAt, this.#hasNoPlace] = [this.#parts.ask.id, undefined, true];
    const here = new Set(everybodyIn(record).map(({ id }) => id));
    this.#members = this.#members.filter(({ id }) => here.has(id));
    this.#isOver = !this.#isOpenHere;
    this.#nodes = this.#isOver ? this.#members.map(({ node }) => node) : [];
  }

  #know({ status: seen, stop, epoch, reason, nodes }: StopView): void {
    const { clock, loss, ask } = this.#parts;
    // As the kill of another one it is none without that: a record that lost the kill does not have it.
    const name = stop?.upgradedBy === ask.id ? ask.id : (stop?.id ?? this.name);
    // Told as a part of another one while it was asked for again: it is that one.
    if (this.status === 'observed' && name !== this.name) return;
    if (stop !== undefined) {
      // One that was told before it was written is written by whoever comes first, and again where it had no room.
      const isAnew = this.#writtenAt !== undefined && this.#writtenAt !== stop.at && stop.mayBeTold !== true;
      if (isAnew && this.name === name) loss.noticed();
      this.#isLost = false;
      this.#isOver = stop.phase === 'settled';
      this.#writtenAt = stop.at;
      // Also where the answer to the asking was lost.
      this.reason = reason;
      this.epoch = epoch ?? this.epoch;
      this.name = name;
    }
    const known = stop?.report === undefined ? 'requested' : 'observed';
    const status = seen === 'settled' && (loss.isRecent || this.#isOpenHere) ? known : seen;
    if (stop?.phase === 'settled') this.#report = readReport(stop.report) ?? this.#report;
    if (status === 'lost') return;
    // An engine that has lost who was told has lost who is to answer as well.
    if (status !== 'pending') this.#nodes = nodes;
    this.#members = stop?.members ?? [];
    if (status !== 'pending' || this.status !== 'pending') this.#seenAt = clock.now();
    this.#reach(status);
  }

  #reach(status: StopStatus): void {
    // A host that gives its run up before it was told leaves a stop that waits for the next.
    const isWaiting = this.status === 'requested' && status === 'pending';
    const isBack = ranks.indexOf(status) >= 0 && ranks.indexOf(status) < ranks.indexOf(this.status);
    if ((isWaiting || !isBack) && this.status !== 'settled' && this.status !== 'superseded') this.status = status;
    for (const check of this.#checks) check();
  }
}
