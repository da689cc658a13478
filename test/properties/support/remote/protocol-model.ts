/**
 * What must be true of stops, whatever the network does; knows nothing of how the protocol goes about it.
 *
 * @module
 */
import { decodeRecord, type RunRecord, type StopEntry } from '../../../../src/remote/record/run-record.ts';
import { PursuedStop } from '../../../../src/remote/requester/pursued-stop.ts';
import type { StopProgress } from '../../../../src/sessions/index.ts';
import type { StopSwap } from '../../../../src/remote/backend.ts';
import type { StopRequest } from '../../../../src/sessions/stop-bus.ts';
import { LEASE_MS } from './faulty-link.ts';
import type { ModelHosting, ModelMember, ModelStop } from './model-parties.ts';

/** For how long a run that is hosted is known. */
const HOSTED_MS = 86_400_000;

interface Waited {
  readonly id: string;
  readonly node: string;
}

/** Members, and the hosts that the engine had told of the stop that waits for them. */
interface Heard {
  readonly members: readonly Waited[];
  readonly by: readonly ModelHosting[];
}

export class ProtocolModel {
  readonly hostings: ModelHosting[] = [];
  readonly stops: ModelStop[] = [];
  readonly members: ModelMember[] = [];
  readonly violations: string[] = [];
  /** Nodes that are gone for good. */
  readonly dead = new Set<string>();
  /** The engine's records, as its own log has them. */
  readonly records = new Map<string, RunRecord>();
  /** Epochs that ended in order, without another try. */
  #isLossy = false;
  #lostAt = -Infinity;
  readonly #ended = new Set<string>();
  /** Runs that had ended, whatever an engine has lost since. */
  readonly #everEnded = new Set<string>();
  /** Stops that were over when the engine lost it: who works for their run since is none of theirs. */
  readonly #over = new Set<string>();
  /** The numbers of the hostings by their claims, whatever the engine has lost since. */
  readonly #granted = new Map<string, number>();
  /** Requests that the engine had once, whatever it has lost since. */
  readonly #written = new Set<string>();
  /** Those that were asked for again before their asker had seen that anybody was told: the engine had lost that, and nobody else knows. */
  readonly #unseen = new Set<string>();
  /** Stops that had nobody to wait for any more, as far as the engine knew: a member that it had lost comes back later. */
  readonly #left = new Set<string>();
  /** Stops that were said to be settled. */
  readonly #checked = new Set<string>();
  /**
   * A kill that became a part of earlier stops, by its request: what it may be told as. Who was told so stays told, whatever the
   * engine has lost since.
   */
  readonly #toldAs = new Map<string, ReadonlySet<string>>();
  /** The stops that the engine knew of once, by their names in its records: what each was asked as. */
  readonly #entries = new Map<string, string>();
  /** Members that the engine knew of once, whatever it has lost since. */
  readonly #joined = new Set<string>();
  /** Members that were there when their run ended, an end that the engine has not lost since. */
  readonly #outlived = new Set<string>();
  /** Members that were alive when a stop was written. */
  readonly #waits = new Map<string, readonly Waited[]>();
  /** Those of a stop that only the engine, and whoever was told by it, knew of when the engine lost it. */
  readonly #heard = new Map<string, readonly Heard[]>();

  /** The engine has lost everything: what was claimed there is claimed anew. */
  lost(now: number): void {
    this.#keepOver();
    this.records.clear();
    // Their askers do not know that these had been written: they ask anew, and know of no loss.
    for (const { name, runId, progress } of this.stops) {
      if (progress !== undefined) continue;
      const by = this.#hostsOf(runId, [name]).filter(({ epoch }) => epoch !== undefined);
      this.#heard.set(name, [...(this.#heard.get(name) ?? []), { members: this.#waits.get(name) ?? [], by }]);
      this.#waits.delete(name);
    }
    this.#isLossy = true;
    this.#lostAt = now;
  }

  /** A replica has taken over: what it does not have is as if it had never been. */
  fellBack(changes: readonly StopSwap[]): void {
    this.#keepOver();
    this.records.clear();
    this.#ended.clear();
    this.#waits.clear();
    this.#heard.clear();
    for (const hosting of this.hostings) hosting.epoch = undefined;
    for (const { runId, to } of changes) this.#learn(runId, decodeRecord(to));
    for (const stop of this.stops) stop.wasHosted &&= stop.hostedBefore.some(({ epoch }) => epoch !== undefined);
  }

  #keepOver(): void {
    this.#outlived.clear();
    for (const { stops } of this.records.values())
      for (const stop of stops)
        if (stop.phase === 'settled' && stop.members.length === 0) this.#over.add(stop.reason.message);
  }

  fail(what: string): void {
    if (this.violations.length < 5) this.violations.push(what);
  }

  require(isTrue: boolean, what: string): void {
    if (!isTrue) this.fail(what);
  }

  /** A process has sent a change. */
  sent(node: string, { from, to }: StopSwap): void {
    const old = new Set(from === undefined ? [] : decodeRecord(from).stops.map(({ id }) => id));
    for (const { id, reason } of decodeRecord(to).stops) {
      const asked = this.stops.find(({ name }) => name === reason.message);
      const isAgain = asked?.from === node && !old.has(id) && this.#written.has(id);
      const isSeen = asked?.progress?.status === 'observed' || asked?.progress?.status === 'settled';
      if (isAgain && !isSeen) this.#unseen.add(asked.name);
    }
  }

  /** The engine has changed a record. */
  swapped(node: string, { runId, from, to, ttlMs }: StopSwap): void {
    const before = from === undefined ? undefined : decodeRecord(from);
    const after = decodeRecord(to);
    this.require(ttlMs > 0 && Number.isFinite(ttlMs), 'D11: a record that never expires');
    const isShort = after.members.length > 0 && ttlMs < HOSTED_MS;
    this.require(!isShort, `D11: ${runId} is kept for ${String(ttlMs)} ms, and somebody works for it`);
    if (after.state === 'settled') {
      const isRetried = this.hostings.find(({ claim }) => claim === after.claim)?.willRetry === true;
      this.require(!isRetried, 'D10: an attempt that is to be tried again has ended its run');
    }
    // A hosting that was replaced ends nothing, also where the engine has lost that it was: whoever replaced it comes back.
    const isLast = !this.hostings.some(
      (each) => each.runId === runId && each.state === 'live' && (this.#granted.get(each.claim) ?? 0) > after.epoch,
    );
    if (after.state === 'settled' && before?.state !== 'settled' && isLast)
      for (const member of this.members)
        if (member.runId === runId && member.isHere && this.#joined.has(member.id())) this.#outlived.add(member.id());
    if (before !== undefined) this.#grew(node, runId, before, after);
    const isClaim = after.state === 'running' && after.epoch !== before?.epoch;
    if (isClaim) {
      const hosting = this.hostings.find(({ claim }) => claim === after.claim);
      this.require(hosting !== undefined, 'D7: a claim that nobody made');
      if (hosting !== undefined) {
        const isFirst = this.#isLossy || hosting.epoch === undefined || hosting.epoch === after.epoch;
        this.require(isFirst, 'D7: one hosting was claimed twice');
      }
      // Whom a loss has taken, and who is not back by then, works for that one.
      for (const { runId: id, id: member } of this.members)
        if (id === runId && !after.members.some(({ id: listed }) => listed === member()))
          this.#outlived.delete(member());
    }
    this.#learn(runId, after);
  }

  #learn(runId: string, after: RunRecord): void {
    this.records.set(runId, after);
    for (const { id } of after.members) this.#joined.add(id);
    if (after.state === 'settled') {
      this.#everEnded.add(runId);
      this.#ended.add(`${runId}@${String(after.epoch)}`);
    }
    const hosting = this.hostings.find(({ claim }) => claim === after.claim);
    if (hosting !== undefined) hosting.epoch = after.epoch;
    this.#granted.set(after.claim, after.epoch);
    for (const stop of after.stops) {
      const name = stop.reason.message;
      this.#written.add(stop.id);
      this.#entries.set(stop.id, name);
      // Who comes back to an engine that has lost everything may come when the stop is over; a copy for the next attempt is
      // nothing that the asker waits for.
      if (isOpen(stop) && !stop.id.includes('+'))
        this.#waits.set(name, [...(this.#waits.get(name) ?? []), ...stop.members]);
      const isAlone = stop.phase === 'settled' && stop.members.length === 0 && this.#membersOf(name).length === 0;
      if (isAlone) this.#left.add(name);
      if (stop.upgradedBy !== undefined) {
        this.#toldAs.set(stop.upgradedBy, new Set([...this.#wholes(stop.upgradedBy), name]));
        this.#written.add(stop.upgradedBy);
        this.#entries.set(stop.upgradedBy, name);
      }
      // The engine has lost the stop that it was a part of, and was asked for the kill alone.
      if (this.#toldAs.has(stop.id)) this.#toldAs.set(name, this.#wholes(stop.id));
    }
  }

  #grew(node: string, runId: string, before: RunRecord, after: RunRecord): void {
    this.require(after.epoch >= before.epoch, `D7: the epoch of ${runId} went back`);
    const order = ['requested', 'observed', 'settled', 'superseded'];
    const old = new Map(before.stops.map((stop) => [stop.id, stop]));
    for (const stop of after.stops) {
      const was = old.get(stop.id);
      if (was === undefined) continue;
      this.require(order.indexOf(stop.phase) >= order.indexOf(was.phase), 'D12: a phase went back');
      this.require(stop.reason.message === was.reason.message, 'D4: a reason was replaced');
      this.require(!(was.level === 'kill' && stop.level === 'cancel'), 'D4: a level went back');
      if (stop.phase === was.phase || stop.phase === 'superseded') continue;
      const owner = this.hostings.find(({ claim }) => claim === after.claim)?.node;
      this.require(node === owner, `D7: ${node} wrote a phase of the run of ${String(owner)}`);
    }
  }

  /** A host was told. */
  delivered(hosting: ModelHosting, { reason, level, epoch, turnId }: StopRequest, now: number): void {
    if (reason.kind === 'lease-lost') return;
    const { runId } = hosting;
    const name = reason.message;
    const key = `${name}/${level ?? 'cancel'}`;
    this.require(!hosting.told.includes(key), `double: ${name} was told twice to one hosting of ${runId}`);
    this.require(hosting.state === 'live', `${name} was told to a hosting that was ${hosting.state}`);
    hosting.told.push(key);
    hosting.toldAt.set(name, now);
    const stop = this.stops.find((each) => each.name === name);
    if (stop === undefined) return;
    const earlier = this.hostings.filter((each) => each !== hosting && this.#wasTold(each, name));
    // One that was replaced may hear of its own claim late, and of the stop with it.
    const isOver = earlier.some(
      (each) => (each.epoch ?? 0) < (hosting.epoch ?? Infinity) && this.#ended.has(`${runId}@${String(each.epoch)}`),
    );
    this.require(
      !isOver || this.#unseen.has(name),
      `${name} was settled with one hosting of ${runId}, and told to a later one`,
    );
    if (epoch !== undefined && hosting.epoch !== undefined) {
      this.require(hosting.epoch === epoch, `D7: ${name} was for another hosting of ${runId}`);
    }
    // Where the engine knew of no hosting, a turn of the first one was meant.
    if (turnId !== undefined && stop.wasHosted && !this.#isLossy) {
      this.require(
        stop.hostedBefore.includes(hosting),
        `a stale stop of turn ${String(turnId)}, ${name}, was told to a newer hosting`,
      );
    }
  }

  /** Asked at every step: nothing is said that is not so. */
  checkSayings(now: number): void {
    for (const { name, runId, progress, askedAt, request } of this.stops) {
      if (progress === undefined || this.#checked.has(name)) continue;
      const names = this.#namesOf(name, progress);
      const [counts = name] = names;
      const hosts = this.#hostsOf(runId, names);
      const isSaid = progress.status === 'observed' || progress.status === 'settled';
      // What began between the telling and the asking goes on; a turn that was told has ended.
      const isOfTurn = request.turnId !== undefined && this.#turnOf(counts) === request.turnId;
      const isMissed =
        isSaid && !isOfTurn && hosts.length > 0 && hosts.every((each) => this.#missed(each, names, askedAt));
      this.require(!isMissed, `lost: ${name} is ${progress.status} by what was told before it was asked for`);
      if (progress.status === 'observed') {
        this.require(hosts.length > 0, `D5: ${name} is said to be observed, and nobody was told`);
      } else if (progress.status === 'settled') {
        const isLate = this.#everEnded.has(runId);
        const isDone = hosts.some((each) => each.state !== 'live' || names.some((as) => this.#hasReported(each, as)));
        this.require(
          isLate || isDone || this.#over.has(counts),
          `D5: ${name} is said to be settled, and its work goes on`,
        );
        this.#checked.add(name);
        // Members that the engine lost have had half a lease to come back.
        const isLost = this.#isLossy && now - this.#lostAt > LEASE_MS / 2;
        this.require(
          isLate || isLost || this.#over.has(counts) || this.#left.has(counts) || this.#membersOf(counts).length === 0,
          `D5: ${name} is said to be settled, and a member works on`,
        );
      }
    }
  }

  /** When everything has healed, and time has passed. */
  checkRest(isLossy: boolean): void {
    for (const stop of this.stops) this.#checkArrived(stop, isLossy);
    for (const hosting of this.hostings) {
      if (hosting.state !== 'live') continue;
      const record = this.records.get(hosting.runId);
      const isKnown = record?.state === 'running' && record.node === hosting.node && record.epoch === hosting.epoch;
      this.require(isKnown, `lost: the engine does not know that ${hosting.node} hosts ${hosting.runId}`);
    }
    for (const [runId, { claim, members }] of this.records) {
      // A loss may take the end of a session, which is not written again.
      const isHosted = this.hostings.some((each) => each.claim === claim && each.state === 'live');
      const left = isHosted ? members : [];
      const held = left.filter((member) => this.dead.has(member.node)).map(({ id }) => id);
      this.require(held.length === 0, `D6: ${held.join()} of ${runId} is dead, and has its place`);
    }
    for (const member of this.members) {
      if (!member.isHere || this.dead.has(member.node)) continue;
      const open = this.records.get(member.runId)?.stops.filter(isOpen) ?? [];
      const record = this.records.get(member.runId);
      const isListed = record?.members.some(({ id }) => id === member.id()) === true;
      const isToBeTold = this.#outlived.has(member.id());
      this.require(
        !isToBeTold || member.isCancelled(),
        `lost: ${member.id()} was not told that ${member.runId} has ended`,
      );
      this.require(isListed, `lost: the engine does not know a member of ${member.runId}`);
      const isNamed = record?.stops.some(({ members }) => members.some(({ id }) => id === member.id())) === true;
      this.require(
        (open.length === 0 && !isNamed) || member.isCancelled(),
        `lost: ${member.id()}, a member of ${member.runId}, was not told`,
      );
    }
  }

  #checkArrived({ name, runId, request, progress, from, lossesBefore }: ModelStop, isLossy: boolean): void {
    if (progress === undefined || this.dead.has(from) || progress.status === 'superseded') return;
    const names = this.#namesOf(name, progress);
    const [counts = name] = names;
    const record = this.records.get(runId);
    const hosts = this.#hostsOf(runId, names);
    // Also those who wrote themselves down when its host had done its part already.
    const entry = record?.stops.find((each) => each.reason.message === counts);
    const kept = entry?.members ?? [];
    if (hosts.length > 0) {
      const named = progress.reason?.message ?? name;
      this.require(
        isLossy || this.#hostsOf(runId, [named]).length > 0,
        `D4: ${name} names ${named}, which told nobody`,
      );
      const isGone = hosts.every((each) => each.state === 'dead');
      const isOpen = progress.status === 'requested' || progress.status === 'observed';
      const isTaken = record?.state === 'running' && !this.dead.has(record.node);
      const stopped = this.members.filter((each) => each.runId === runId && each.isHere && each.isCancelled());
      const isWaiting = [...this.#membersOf(counts), ...kept, ...stopped].some(({ node }) => !this.dead.has(node));
      this.require(
        !isGone || !isOpen || isTaken || isWaiting,
        `D6: ${name} is ${progress.status}, and its host is dead`,
      );
      return;
    }
    const isOver = progress.status === 'runner-dead' && (isLossy || entry?.phase === 'settled');
    if (progress.status === 'settled' || isOver) return;
    // Its hosting ended before it was told; a later one is no business of it.
    if (kept.some(({ node }) => !this.dead.has(node))) return;
    const live = this.hostings.find(
      (each) => each.runId === runId && each.state === 'live' && (request.epoch ?? each.epoch) === each.epoch,
    );
    this.require(live === undefined, `lost: ${name} of ${runId} is ${progress.status} and was told to nobody`);
    const isKept = record?.stops.some((each) => each.reason.message === counts) === true;
    this.require(
      isKept || isLossy || lossesBefore > 0,
      `lost: ${name} waits for a host, and the engine has no note of it`,
    );
  }

  /** The stop that it goes on as, which another one of the same work may have been; and all that it was told as. */
  #namesOf(name: string, progress: StopProgress): readonly string[] {
    const id = progress instanceof PursuedStop ? progress.name : name;
    return [this.#entries.get(id) ?? name, name, ...this.#wholes(id)];
  }

  #turnOf(name: string): number | undefined {
    return this.stops.find((stop) => stop.name === name)?.request.turnId;
  }

  /** The members that a stop waits for. A host that was replaced, or is dead, tells nobody whom it has heard of. */
  #membersOf(name: string): readonly ModelMember[] {
    const heard = (this.#heard.get(name) ?? []).filter(({ by }) =>
      by.some(({ state }) => state === 'live' || state === 'released'),
    );
    const ids = [...(this.#waits.get(name) ?? []), ...heard.flatMap(({ members }) => members)].map(({ id }) => id);
    return this.members.filter((each) => each.isHere && ids.includes(each.id()));
  }

  /** Who was told of a stop: by its own name, or as the one that it became a part of. */
  #hostsOf(runId: string, names: readonly string[]): readonly ModelHosting[] {
    return this.hostings.filter((each) => each.runId === runId && names.some((name) => this.#wasTold(each, name)));
  }

  #wasTold({ told }: ModelHosting, name: string): boolean {
    const isKilled = [...this.#wholes(name)].some((whole) => told.includes(`${whole}/kill`));
    return isKilled || told.includes(`${name}/cancel`) || told.includes(`${name}/kill`);
  }

  /** Whether a hosting that goes on was told only before. One that was replaced is told so. */
  #missed(hosting: ModelHosting, names: readonly string[], askedAt: number): boolean {
    const { runId, epoch = Infinity, toldAt } = hosting;
    const isReplaced = this.hostings.some((each) => each.runId === runId && (each.epoch ?? 0) > epoch);
    const all = names.flatMap((name) => [name, ...this.#wholes(name)]);
    return hosting.state === 'live' && !isReplaced && all.every((name) => (toldAt.get(name) ?? 0) < askedAt);
  }

  #hasReported({ reported }: ModelHosting, name: string): boolean {
    return reported.has(name) || [...this.#wholes(name)].some((whole) => reported.has(whole));
  }

  #wholes(name: string): ReadonlySet<string> {
    return this.#toldAs.get(name) ?? nothing;
  }
}

/** Most are no part of another one. */
const nothing: ReadonlySet<string> = new Set();

function isOpen({ phase }: StopEntry): boolean {
  return phase === 'requested' || phase === 'observed';
}
