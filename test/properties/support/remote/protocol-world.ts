/**
 * A few processes, an engine and a bad day, all from one seed.
 *
 * @module
 */
import { createReason } from '../../../../src/core/foundation/reason.ts';
import type { StopReport } from '../../../../src/index.ts';
import { openNode } from '../../../../src/remote/open-stop-bus.ts';
import type { RemoteStopBus, RunMember } from '../../../../src/remote/index.ts';
import { decodeRecord } from '../../../../src/remote/record/run-record.ts';
import type { Hosting } from '../../../../src/sessions/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { FaultyBackend, type BackendMistakes } from './faulty-backend.ts';
import { LEASE_MS } from './faulty-link.ts';
import { PausedClock } from './paused-clock.ts';
import type { ModelHosting, ModelMember, ModelStop } from './model-parties.ts';
import { ProtocolModel } from './protocol-model.ts';
import { Random } from './random.ts';
import { fair, foul } from './weather.ts';

/** The lengths of a step, and of a day. */
const STEP_MS = 120;
const ACTIONS = 14;
/** How much a replica has not had when it takes over. */
const MOST_LOST = 8;

interface Process {
  readonly name: string;
  readonly clock: PausedClock;
  readonly bus: RemoteStopBus;
  readonly node: string;
  readonly hosted: Map<string, { readonly tie: Hosting; readonly model: ModelHosting }>;
  readonly members: { readonly tie: RunMember; readonly model: ModelMember }[];
  isDead: boolean;
  isDegraded: boolean;
}

/** What a run of a seed came to. */
export interface Day {
  readonly violations: readonly string[];
  readonly log: readonly string[];
}

/** Options of {@link liveThrough}. */
export interface DayOptions {
  readonly mistakes?: BackendMistakes;
  /** Whether only wake-ups fail. */
  readonly isFair?: boolean | undefined;
  /** Whether the engine is one with a replica that is a little late, and takes over again and again. */
  readonly isReplicated?: boolean | undefined;
  /** Whether somebody asks again right behind each stop. */
  readonly isHasty?: boolean | undefined;
  /** Whether most of what happens is that processes work for runs of others, leave them, and die. */
  readonly isShared?: boolean | undefined;
}

const report: StopReport = {
  ...{ reason: undefined, turnId: undefined, requestedAt: 0, acknowledgedMs: 0, settledMs: 0 },
  ...{ operations: [], abandoned: [], callbackErrors: [], undelivered: [] },
};

class World {
  readonly clock = new VirtualClock({ startAt: 1_000_000_000_000 });
  readonly random: Random;
  readonly model = new ProtocolModel();
  readonly engine: FaultyBackend;
  readonly processes: Process[] = [];
  readonly log: string[] = [];
  readonly #isFair: boolean;
  readonly #isReplicated: boolean;
  readonly #isHasty: boolean;
  readonly #isShared: boolean;
  #ids = 0;
  #stops = 0;
  #isClosing = false;
  #leaseless = new Map<string, number>();

  constructor(seed: number, options: DayOptions) {
    const { mistakes = {}, isReplicated = false, isHasty = false, isShared = false } = options;
    const { isFair = !isReplicated && !isShared && seed % 4 === 0 } = options;
    this.random = new Random(seed);
    this.#isFair = isFair;
    this.#isReplicated = isReplicated;
    this.#isHasty = isHasty;
    this.#isShared = isShared;
    this.engine = new FaultyBackend(
      this.clock,
      this.random,
      isFair ? fair : foul,
      (node, change) => { this.model.swapped(node, change); }, // prettier-ignore
      mistakes,
    );
    this.engine.sent = (node, change) => { this.model.sent(node, change); }; // prettier-ignore
  }

  async open(): Promise<void> {
    for (const name of ['a', 'b', 'c']) {
      const skew = this.random.pick([0, 0, 3_600_000, -3_600_000]);
      const clock = new PausedClock(this.clock, skew);
      const ids = (): string => `${name}${String(++this.#ids)}`;
      const opening = openNode(this.engine.backendFor(clock), { clock, leaseMs: LEASE_MS, confirmMs: 2_000 }, ids);
      let bus: RemoteStopBus | undefined;
      void opening.then((made) => { bus = made; }); // prettier-ignore
      while (bus === undefined) await this.clock.advance(10);
      const node = [...this.engine.links.keys()].at(-1) ?? '';
      const process: Process = { name, clock, bus, node, hosted: new Map(), members: [], isDead: false, isDegraded: false }; // prettier-ignore
      bus.onEvent(({ type }) => {
        if (type === 'told') return;
        if (type === 'degraded') process.isDegraded = true;
        const isDue = type === 'recovered' || (type === 'lease-lost' && this.#isClosing);
        if (this.#isFair) this.model.require(isDue, `${name}: ${type}, and nothing was wrong with it`);
        if (type !== 'lease-lost') return;
        for (const { model } of process.hosted.values()) model.fencedAt = this.clock.now();
      });
      this.processes.push(process);
    }
  }

  async live(): Promise<void> {
    for (let n = 0; n < ACTIONS; n++) {
      this.act();
      await this.pass(this.random.upTo(700));
    }
  }

  /** Time goes by, and nothing wrong is said meanwhile. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left >= 0; left -= STEP_MS) {
      await this.clock.advance(Math.min(left, STEP_MS));
      this.model.checkSayings(this.clock.now());
      await this.#checkFences();
    }
  }

  /** D8: who has no lease any more has stopped its work, by its own clock. */
  async #checkFences(): Promise<void> {
    if (this.engine.losses > 0) return;
    const now = this.clock.now();
    for (const { node, hosted, clock, isDead } of this.processes) {
      if (isDead || clock.isPaused || (await this.engine.holdsLease(node))) {
        this.#leaseless.delete(node);
        continue;
      }
      const since = this.#leaseless.get(node) ?? now;
      this.#leaseless.set(node, since);
      for (const { model } of hosted.values()) {
        const wasClaimed = model.epoch !== undefined && model.state === 'live';
        this.model.require(
          !wasClaimed || model.fencedAt >= since - LEASE_MS - STEP_MS,
          `D8: ${node} has no lease and works on`,
        );
      }
    }
  }

  act(): void {
    const process = this.random.pick(this.processes);
    const run = this.random.pick(['r0', 'r1']);
    const roll = this.#isShared && this.random.chance(0.4) ? this.random.pick([56, 56, 66, 99]) : this.random.upTo(this.#isFair ? 70 : 100); // prettier-ignore
    if (process.isDead || process.clock.isPaused) return;
    if (roll < 20) this.#host(process, run);
    else if (roll < 45) this.#cancelHastily(process, run);
    else if (roll < 55) this.#release(process);
    else if (roll < 65) this.#join(process, run);
    else if (roll < 70) this.#leave(process);
    else this.#misfortune(process, roll);
  }

  #host(process: Process, runId: string): void {
    if (process.hosted.has(runId)) return;
    this.#say(`${process.name} hosts ${runId}`);
    const { clock, node } = process;
    const model: ModelHosting = {
      ...{
        runId,
        node,
        claim: `${process.name}${String(this.#ids + 1)}`,
        told: [],
        toldAt: new Map<string, number>(),
        reported: new Set<string>(),
        epoch: undefined,
      },
      ...{ state: 'live', willRetry: false, fencedAt: -Infinity },
    };
    this.model.hostings.push(model);
    const workMs = this.random.upTo(600);
    const tie = process.bus.host(runId, {
      deliver: (request) => {
        this.#say(`${process.name} is told ${request.reason.message} for ${runId}`);
        this.model.delivered(model, request, this.clock.now());
        return new Promise((resolve) => {
          const settle = (): void => {
            model.reported.add(request.reason.message);
            resolve(report);
          };
          clock.setTimer(settle, workMs, { ref: true });
        });
      },
      superseded: () => {
        this.#say(`${process.name} is superseded for ${runId}`);
        model.state = 'superseded';
        process.hosted.delete(runId);
      },
    });
    process.hosted.set(runId, { tie, model });
  }

  /** Whoever asks right behind it means what has begun by then. */
  #cancelHastily(process: Process, runId: string): void {
    this.#cancel(process, runId);
    for (let more = this.#isHasty ? this.random.upTo(4) : 0; more > 0; more--) {
      const next = this.random.pick(this.processes);
      const ask = (): void => { if (!next.isDead && !next.clock.isPaused) this.#cancel(next, runId); }; // prettier-ignore
      this.clock.setTimer(ask, this.random.upTo(60), { ref: true });
    }
  }

  #cancel(process: Process, runId: string): void {
    const name = `s${String(++this.#stops)}`;
    const known = this.model.stops.findLast((each) => each.runId === runId)?.progress?.epoch;
    const turnId = this.random.chance(0.15) ? 1 + this.random.upTo(2) : undefined;
    const epoch = this.random.chance(0.15) ? known : undefined;
    const level = turnId === undefined && this.random.chance(0.15) ? 'kill' : undefined;
    const request = { sessionId: runId, reason: createReason({ kind: 'user', message: name, at: process.clock.now() }), turnId, level, epoch } as const; // prettier-ignore
    const hostedBefore = this.model.hostings.filter((each) => each.runId === runId);
    const stop: ModelStop = {
      ...{ name, runId, from: process.node, request, askedAt: this.clock.now(), lossesBefore: this.engine.losses },
      ...{ hostedBefore, wasHosted: hostedBefore.some((each) => each.epoch !== undefined), progress: undefined, isRefused: false }, // prettier-ignore
    };
    this.model.stops.push(stop);
    this.#say(`${process.name} asks for ${name} of ${runId}${level === undefined ? '' : ', a kill'}${turnId === undefined ? '' : `, turn ${String(turnId)}`}${epoch === undefined ? '' : `, epoch ${String(epoch)}`}`); // prettier-ignore
    void process.bus.request(request).then(
      (progress) => {
        stop.progress = progress;
        this.#say(`${name} is ${progress.status}`);
        void progress.until?.('settled', 60_000).then(({ status }) => {
          this.#say(`${name} came to ${status}`);
        });
      },
      () => {
        stop.isRefused = true;
      },
    );
  }

  #release(process: Process): void {
    const [first] = process.hosted;
    if (first === undefined) return;
    const [runId, { tie, model }] = first;
    model.willRetry = this.random.chance(0.5);
    this.#say(`${process.name} gives ${runId} up${model.willRetry ? ', to be retried' : ''}`);
    model.state = 'released';
    process.hosted.delete(runId);
    tie.release({ willRetry: model.willRetry });
  }

  #join(process: Process, runId: string): void {
    this.#say(`${process.name} joins ${runId}`);
    const id = `${process.name}${String(this.#ids + 1)}`;
    const tie = process.bus.join(runId);
    const model: ModelMember = {
      id: () => id,
      runId,
      node: process.node,
      isCancelled: () => tie.token.isCancelled,
      isHere: true,
    };
    this.model.members.push(model);
    process.members.push({ tie, model });
  }

  #leave(process: Process): void {
    const member = process.members.pop();
    if (member === undefined) return;
    this.#say(`${process.name} leaves ${member.model.runId}`);
    member.model.isHere = false;
    member.tie.release();
  }

  #misfortune(process: Process, roll: number): void {
    const { clock, node, name } = process;
    const link = this.engine.links.get(node);
    const ms = this.random.upTo(LEASE_MS * 2);
    const after = (undo: () => void): void => { this.clock.setTimer(undo, ms, { ref: true }); }; // prettier-ignore
    if (link === undefined) return;
    if (this.#isReplicated && roll < 90) {
      const lost = this.random.upTo(MOST_LOST);
      this.#say(`a replica takes over without the last ${String(lost)}`);
      void this.engine.takeOver(lost).then((changes) => { this.model.fellBack(changes); }); // prettier-ignore
      if (this.random.chance(0.5)) for (const each of this.engine.links.values()) each.reconnect();
    } else if (roll < 75) {
      this.#say(`${name} is paused for ${String(ms)}`);
      clock.pause();
      after(() => { clock.resume(); }); // prettier-ignore
    } else if (roll < 80) {
      this.#say(`${name} is cut off for ${String(ms)}`);
      link.isCut = true;
      after(() => { link.isCut = false; }); // prettier-ignore
    } else if (roll < 86) {
      this.#say(`the socket of ${name} is half open`);
      link.isHalfOpen = true;
      if (this.random.chance(0.5)) after(() => { link.reconnect(); }); // prettier-ignore
    } else if (roll < 90) {
      this.#say(`the engine is down for ${String(ms)}`);
      this.engine.isDown = true;
      after(() => { this.engine.isDown = false; }); // prettier-ignore
    } else if (roll < 95) {
      this.#say('the engine starts again with nothing');
      void this.engine.restartEmpty();
      this.model.lost(this.clock.now());
      if (this.random.chance(0.5)) for (const each of this.engine.links.values()) each.reconnect();
    } else if (this.model.dead.size < (this.#isShared ? 2 : 1)) {
      this.#say(`${name} dies`);
      process.isDead = true;
      clock.kill();
      link.isCut = true;
      this.model.dead.add(node);
      for (const { model } of process.hosted.values()) model.state = 'dead';
      for (const { model } of process.members) model.isHere = false;
    }
  }

  /** Everything heals, and what was asked arrives. */
  async rest(): Promise<void> {
    this.engine.weather = { ...fair, lostPush: 0, doubledPush: 0 };
    this.engine.isDown = false;
    for (const { clock, isDead, node } of this.processes) {
      const link = this.engine.links.get(node);
      if (isDead || link === undefined) continue;
      link.isCut = false;
      clock.resume();
    }
    this.#say('everything is well again');
    await this.pass(LEASE_MS * 4);
    this.model.checkRest(this.engine.losses > 0);
    const live = this.processes.filter(({ isDead }) => !isDead);
    for (const { node, name } of live) {
      const link = this.engine.links.get(node);
      const probe = await this.engine.engine.connect(node, { wake: ignore, resync: ignore, down: ignore });
      if (await this.engine.holdsLease(node)) {
        const { pending } = await probe.pull(LEASE_MS, 'probe');
        this.model.require(pending.length === 0, `${name} has ${String(pending.length)} entries in its inbox that nobody takes out`); // prettier-ignore
      }
      this.model.require((link?.wrongResets ?? 0) === 0, `${name} tore a fresh connection down`);
    }
    this.#isClosing = true;
    const open = live.flatMap(({ hosted }) => [...hosted].filter(([, { model }]) => model.state === 'live'));
    for (const { bus, hosted, members } of live) {
      for (const { model } of hosted.values()) model.state = 'released';
      for (const { model } of members) model.isHere = false;
      hosted.clear();
      void bus.close();
    }
    await this.pass(LEASE_MS * 3);
    for (const { node, name } of live) {
      const isHeld = this.engine.releasedLeases.has(node);
      this.model.require(isHeld, `${name} closed, and its lease stays`);
    }
    const witness = await this.engine.engine.connect('witness', { wake: ignore, resync: ignore, down: ignore });
    for (const [runId] of open) {
      const { value } = await witness.read(runId);
      const isRunning = value !== undefined && decodeRecord(value).state === 'running';
      this.model.require(isRunning, `D5: nothing has ended ${runId}, and the record says that it has ended`);
    }
  }

  #say(what: string): void {
    this.log.push(`${String(this.clock.now() - 1_000_000_000_000)} ${what}`);
  }
}

function ignore(): void {
  // The probe hears nothing.
}

/** Lives through the day of a seed, and tells what went wrong. */
export async function liveThrough(seed: number, options: DayOptions = {}): Promise<Day> {
  const world = new World(seed, options);
  await world.open();
  await world.live();
  await world.rest();
  return { violations: world.model.violations, log: world.log };
}
