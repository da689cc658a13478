/**
 * A few processes with sessions in groups, an engine and a bad day, all from one seed: what a stop of a group must do,
 * whatever the network does. Knows nothing of how the protocol goes about it, but for what the engine's own log says.
 *
 * @module
 */
import { createReason } from '../../../../src/core/foundation/reason.ts';
import type { StopReport } from '../../../../src/index.ts';
import { openNode } from '../../../../src/remote/open-stop-bus.ts';
import type { StopSwap } from '../../../../src/remote/backend.ts';
import type { RemoteStopBus } from '../../../../src/remote/index.ts';
import { decodeRecord, type RunRecord } from '../../../../src/remote/record/run-record.ts';
import type { StopProgress } from '../../../../src/sessions/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { FaultyBackend } from './faulty-backend.ts';
import { LEASE_MS } from './faulty-link.ts';
import { PausedClock } from './paused-clock.ts';
import type { GroupStop, Hosted, KnownStop, Process } from './group-parties.ts';
import type { Day } from './protocol-world.ts';
import { Random } from './random.ts';
import { fair, foul } from './weather.ts';

const ACTIONS = 18;
const RUNS = ['r0', 'r1', 'r2', 'r3'];
const GROUPS = ['g', 'h'];
/** How much a replica has not had when it takes over. */
const MOST_LOST = 8;
const report: StopReport = {
  ...{ reason: undefined, turnId: undefined, requestedAt: 0, acknowledgedMs: 0, settledMs: 0 },
  ...{ operations: [], abandoned: [], callbackErrors: [], undelivered: [] },
};

class GroupWorld {
  readonly violations: string[] = [];
  readonly log: string[] = [];
  readonly #clock = new VirtualClock({ startAt: 1_000_000_000_000 });
  readonly #random: Random;
  readonly #engine: FaultyBackend;
  readonly #isReplicated: boolean;
  readonly #processes: Process[] = [];
  readonly #hosted: Hosted[] = [];
  readonly #stops: GroupStop[] = [];
  /** The engine's records, as its own log has them, and the claims whose run has ended. */
  readonly #records = new Map<string, RunRecord>();
  readonly #ended = new Set<string>();
  /** The claims that an engine has lost, and that are not written again yet. */
  readonly #lost = new Set<string>();
  #ids = 0;
  #order = 0;

  constructor(seed: number, isReplicated: boolean) {
    this.#random = new Random(seed);
    this.#isReplicated = isReplicated;
    const weather = seed % 4 === 0 ? fair : foul;
    this.#engine = new FaultyBackend(this.#clock, this.#random, weather, (_, change) => { this.#learn(change); }, {}); // prettier-ignore
    this.#engine.listed = (node, group) => {
      const running = this.#running();
      const claims = this.#hosted
        .filter(({ claim, groups }) => running.has(claim) && groups.includes(group))
        .map(({ claim }) => claim);
      const stop = this.#stops.findLast((each) => each.node === node && each.group === group && each.answeredAt === Infinity); // prettier-ignore
      if (stop === undefined) return;
      stop.meant = new Set(claims.filter((claim) => stop.meant?.has(claim) !== false));
      // Who lives may come back within half a lease.
      const isRecent = this.#clock.now() - this.#engine.bornAt < LEASE_MS / 2;
      const gone = this.#hosted.filter(({ claim, groups, isLive }) => isLive && groups.includes(group) && this.#lost.has(claim)); // prettier-ignore
      stop.missing = isRecent ? gone.map(({ runId }) => runId) : [];
    };
  }

  #learn({ runId, to }: StopSwap): void {
    const record = decodeRecord(to);
    const old = this.#records.get(runId);
    this.#records.set(runId, record);
    this.#lost.delete(record.claim);
    for (const each of this.#hosted)
      if (each.runId === runId && this.#lost.has(each.claim) && record.state === 'running') each.wasReplaced = true;
    const hosted = this.#hosted.find(({ claim }) => claim === record.claim);
    // A hosting that was replaced ends nothing, also where the engine has lost that it was: whoever replaced it comes back.
    if (record.state === 'settled' && hosted?.wasReplaced !== true) this.#ended.add(record.claim);
    if (hosted !== undefined) hosted.claimedAt ??= ++this.#order;
    const before = old?.claim === record.claim ? undefined : this.#hosted.find(({ claim }) => claim === old?.claim);
    if (before !== undefined) before.wasReplaced = true;
  }

  /** What the engine does not have any more is as if it had never been: that a run has ended, as well. */
  #fellBack(changes: readonly StopSwap[]): void {
    const before = this.#running();
    this.#records.clear();
    this.#ended.clear();
    for (const change of changes) this.#learn(change);
    const kept = this.#running();
    for (const claim of before) if (!kept.has(claim)) this.#lost.add(claim);
  }

  /** The claims of those who host, as the engine's own log has them. */
  #running(): ReadonlySet<string> {
    return new Set([...this.#records.values()].flatMap(({ state, claim }) => (state === 'running' ? [claim] : [])));
  }

  async live(): Promise<void> {
    for (const name of ['a', 'b', 'c']) {
      const clock = new PausedClock(this.#clock, this.#random.pick([0, 3_600_000, -3_600_000]));
      const opening = openNode(this.#engine.backendFor(clock), { clock, leaseMs: LEASE_MS, confirmMs: 2_000 }, () => `${name}${String(++this.#ids)}`); // prettier-ignore
      let bus: RemoteStopBus | undefined;
      void opening.then((made) => { bus = made; }); // prettier-ignore
      while (bus === undefined) await this.#clock.advance(10);
      const node = [...this.#engine.links.keys()].at(-1) ?? '';
      this.#processes.push({ name, node, clock, bus, open: new Map(), isDead: false });
    }
    for (let n = 0; n < ACTIONS; n++) {
      this.#act();
      await this.#clock.advance(this.#random.upTo(500));
    }
    await this.#rest();
  }

  #act(): void {
    const process = this.#random.pick(this.#processes);
    const roll = this.#random.upTo(100);
    if (process.isDead || process.clock.isPaused) return;
    if (roll < 40) this.#host(process, this.#random.pick(RUNS));
    else if (roll < 65) this.#stop(process, this.#random.pick(GROUPS));
    else if (roll < 78) this.#release(process);
    else this.#misfortune(process, roll);
  }

  #host(process: Process, runId: string): void {
    if (process.open.has(runId)) return;
    const groups = GROUPS.filter(() => this.#random.chance(0.6));
    const claim = `${process.name}${String(this.#ids + 1)}`;
    const hosted: Hosted = {
      runId,
      claim,
      groups,
      beganAt: ++this.#order,
      told: [],
      ...{ claimedAt: undefined, fencedAt: 0, wasReplaced: false },
      isLive: true,
    };
    this.#say(`${process.name} hosts ${runId} in ${groups.join()}, as ${claim}`);
    this.#hosted.push(hosted);
    const tie = process.bus.host(
      runId,
      {
        deliver: ({ reason: { kind, message } }) => {
          if (kind === 'user') this.#told(hosted, message);
          else hosted.fencedAt = ++this.#order;
          return new Promise((resolve) => {
            process.clock.setTimer(() => { resolve(report); }, this.#random.upTo(400), { ref: true }); // prettier-ignore
          });
        },
        superseded: () => {
          hosted.isLive = false;
          process.open.delete(runId);
        },
      },
      { groups },
    );
    process.open.set(runId, { tie, hosted });
  }

  #told(hosted: Hosted, name: string): void {
    const { runId, claim, told } = hosted;
    this.#say(`${claim} of ${runId} is told ${name}`);
    if (told.includes(name)) this.#fail(`double: ${name} was told twice to ${claim} of ${runId}`);
    told.push(name);
    const stop = this.#stops.find((each) => each.name === name);
    if (stop === undefined) return;
    // It was in the group before the answer, or takes up what such a one had not ended.
    const orderOf = ({ claimedAt, beganAt }: Hosted): number => claimedAt ?? beganAt;
    const sameRun = this.#hosted.filter((each) => each.runId === runId);
    const endedAt = sameRun.filter((each) => each !== hosted && this.#ended.has(each.claim)).map(orderOf);
    const isHeirOf = (each: Hosted): boolean => each === hosted || !endedAt.some((at) => at >= orderOf(each));
    const isMeant = sameRun.some(
      (each) =>
        ((each.groups.includes(stop.group) && each.beganAt <= stop.answeredAt) ||
          (each !== hosted && each.told.includes(name))) &&
        isHeirOf(each),
    );
    if (!isMeant) this.#fail(`wrong run: ${name} of ${stop.group} was told to ${claim} of ${runId}`);
  }

  #stop({ name: by, node, bus }: Process, group: string): void {
    if (this.#stops.some((each) => each.node === node && each.group === group && each.answeredAt === Infinity)) return;
    const name = `s${String(this.#stops.length)}`;
    const stop: GroupStop = { name, group, node, meant: undefined, missing: [], answeredAt: Infinity, isComplete: false, stops: [] }; // prettier-ignore
    this.#stops.push(stop);
    this.#say(`${by} asks for ${name} of ${group}`);
    void bus.requestGroup?.(group, { reason: createReason({ kind: 'user', message: name, at: 1 }) }).then(
      ({ isComplete, stops }) => {
        stop.answeredAt = ++this.#order;
        stop.isComplete = isComplete;
        this.#say(`${name} is for ${stops.map(({ sessionId }) => sessionId).join()}${isComplete ? '' : ' at least'}`);
        for (const { sessionId, progress } of stops) {
          const known: KnownStop = { sessionId, progress: undefined };
          stop.stops.push(known);
          progress.then(
            (made) => {
              known.progress = made;
              void made.until?.('settled', 60_000);
            },
            () => { known.progress = 'unconfirmed'; }, // prettier-ignore
          );
        }
      },
      () => undefined,
    );
  }

  #release({ name, open }: Process): void {
    const [first] = open;
    if (first === undefined) return;
    const [runId, { tie, hosted }] = first;
    const willRetry = this.#random.chance(0.4);
    this.#say(`${name} gives ${runId} up${willRetry ? ', to be retried' : ''}`);
    hosted.isLive = false;
    open.delete(runId);
    tie.release({ willRetry });
  }

  #misfortune(process: Process, roll: number): void {
    const { clock, node, name, open } = process;
    const link = this.#engine.links.get(node);
    const ms = this.#random.upTo(LEASE_MS * 2);
    const after = (undo: () => void): void => { this.#clock.setTimer(undo, ms, { ref: true }); }; // prettier-ignore
    if (link === undefined) return;
    if (this.#isReplicated && roll < 94) {
      const lost = this.#random.upTo(MOST_LOST);
      this.#say(`a replica takes over without the last ${String(lost)}`);
      void this.#engine.takeOver(lost).then((changes) => { this.#fellBack(changes); }); // prettier-ignore
    } else if (roll < 82) {
      this.#say(`${name} is paused for ${String(ms)}`);
      clock.pause();
      after(() => { clock.resume(); }); // prettier-ignore
    } else if (roll < 86) {
      this.#say(`${name} is cut off for ${String(ms)}`);
      link.isCut = true;
      after(() => { link.isCut = process.isDead; }); // prettier-ignore
    } else if (roll < 90) {
      this.#say(`the socket of ${name} is half open`);
      link.isHalfOpen = true;
    } else if (roll < 94) {
      this.#say(`the engine is down for ${String(ms)}`);
      this.#engine.isDown = true;
      after(() => { this.#engine.isDown = false; }); // prettier-ignore
    } else if (roll < 97) {
      this.#say('the engine starts again with nothing');
      this.#fellBack([]);
      void this.#engine.restartEmpty();
    } else if (!this.#processes.some(({ isDead }) => isDead)) {
      this.#say(`${name} dies`);
      process.isDead = true;
      clock.kill();
      link.isCut = true;
      for (const { hosted } of open.values()) hosted.isLive = false;
    }
  }

  /** Everything heals, and what was asked arrives. */
  async #rest(): Promise<void> {
    this.#engine.weather = { ...fair, lostPush: 0, doubledPush: 0 };
    this.#engine.isDown = false;
    for (const { clock, isDead, node } of this.#processes) {
      const link = this.#engine.links.get(node);
      if (isDead || link === undefined) continue;
      link.isCut = false;
      clock.resume();
    }
    this.#say('everything is well again');
    await this.#clock.advance(LEASE_MS * 4);
    const dead = this.#processes.find(({ isDead }) => isDead)?.node;
    for (const { name, group, node, meant, missing, isComplete, answeredAt, stops } of this.#stops) {
      if (node === dead) continue;
      if (answeredAt === Infinity) this.#fail(`${name} was never answered`);
      if (!isComplete) continue;
      const unnamed = missing.filter((runId) => !stops.some(({ sessionId }) => sessionId === runId));
      if (unnamed.length > 0)
        this.#fail(`incomplete: ${name} of ${group} is not for ${unnamed.join()}, just lost by the engine`);
      for (const { claim, runId, isLive, told, fencedAt, wasReplaced } of this.#hosted) {
        if (meant?.has(claim) !== true) continue;
        const known = stops.filter(({ sessionId }) => sessionId === runId);
        if (known.length === 0)
          this.#fail(`lost: ${claim} of ${runId} was in ${group}, and ${name} has no receipt for it`);
        // Its successor was meant, also where the engine has lost that one before the hosting heard of it.
        if (wasReplaced) continue;
        // What had begun by then has ended.
        if (
          !isLive ||
          fencedAt > answeredAt ||
          told.includes(name) ||
          known.some(({ progress }) => typeof progress !== 'object')
        )
          continue;
        // Stopped by an earlier stop of the same work, whose reason counts.
        const counts = known.map(({ progress }) => (progress as StopProgress).reason?.message ?? '');
        if (!counts.some((reason) => told.includes(reason)))
          this.#fail(`lost: ${claim} of ${runId} was in ${group}, and was not told ${name}`);
      }
    }
    for (const { bus, isDead } of this.#processes) if (!isDead) void bus.close();
    await this.#clock.advance(LEASE_MS * 3);
  }

  #fail(what: string): void {
    if (this.violations.length < 5) this.violations.push(what);
  }

  #say(what: string): void {
    this.log.push(`${String(this.#clock.now() - 1_000_000_000_000)} ${what}`);
  }
}

/**
 * Lives through the day of a seed, and tells what went wrong.
 *
 * @param isReplicated Whether the engine is one with a replica that is a little late, and takes over again and again.
 */
export async function liveInGroups(seed: number, isReplicated = false): Promise<Day> {
  const world = new GroupWorld(seed, isReplicated);
  await world.live();
  return { violations: world.violations, log: world.log };
}
