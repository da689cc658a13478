/**
 * An engine behind a network that fails: operations and their answers are late or lost, sockets are half open, wake-ups
 * are dropped, doubled, late and in the wrong order, and the engine may start again with nothing, or without what it did last.
 *
 * @module
 */
import type { StopBackend, StopConnection } from '../../../../src/remote/index.ts';
import type { StopBackendEvents, StopSwap } from '../../../../src/remote/backend.ts';
import { memoryBackend } from '../../../../src/remote/index.ts';
import type { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import type { PausedClock } from './paused-clock.ts';
import type { Random } from './random.ts';

/** How bad the network is, as probabilities and milliseconds. */
export interface Weather {
  readonly latencyMs: number;
  readonly lostRequest: number;
  readonly lostAnswer: number;
  readonly lostPush: number;
  readonly doubledPush: number;
  readonly latePushMs: number;
}

/** What a mistake in a backend would change. */
export interface BackendMistakes {
  readonly queueGroup?: boolean;
  readonly oneLine?: boolean;
  readonly keptLease?: boolean;
  readonly minLeaseMs?: number;
}

/** Something that the engine did, for a replica to do as well. */
interface Done {
  readonly node: string;
  readonly at: number;
  readonly work: (engine: StopConnection) => Promise<unknown>;
  /** The change of a record that it was. */
  change?: StopSwap;
}

/** Told of each change that the engine makes, in order. */
export type Witness = (node: string, change: StopSwap) => void;

export const LEASE_MS = 3_000;

/** The engine and the ways to it. */
export class FaultyBackend {
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #witness: Witness;
  readonly mistakes: BackendMistakes;
  weather: Weather;
  engine: StopBackend;
  /** How often it has lost something. */
  losses = 0;
  /** What it has done since it started. */
  #done: Done[] = [];
  isDown = false;
  /** Nodes without a lease when they had closed. */
  readonly releasedLeases = new Set<string>();
  readonly links = new Map<string, Link>();

  constructor(clock: VirtualClock, random: Random, weather: Weather, witness: Witness, mistakes: BackendMistakes) {
    this.#clock = clock;
    this.#random = random;
    this.weather = weather;
    this.#witness = witness;
    this.mistakes = mistakes;
    this.engine = memoryBackend({ clock });
  }

  /** The way of one process. */
  backendFor(clock: PausedClock): StopBackend {
    return {
      name: 'faulty',
      caps: { durability: 'memory', push: true, minLeaseMs: this.mistakes.minLeaseMs ?? 1_000 },
      connect: async (node, events) => {
        const link = new Link(this, node, clock, events, this.#clock, this.#random, this.#witness);
        this.links.set(node, link);
        await link.attach();
        return link.connection();
      },
    };
  }

  /** It starts again, without anything that it knew. */
  async restartEmpty(): Promise<void> {
    this.losses++;
    this.#done = [];
    this.engine = memoryBackend({ clock: this.#clock });
    for (const link of this.links.values()) await link.attach();
  }

  /**
   * A replica takes over that has not had the last of what was done.
   *
   * @returns The changes that it has.
   */
  async takeOver(lost: number): Promise<readonly StopSwap[]> {
    this.losses++;
    this.#done.splice(Math.max(0, this.#done.length - lost));
    let now: number | undefined = 0;
    const clock = { now: () => now ?? this.#clock.now(), setTimer: this.#clock.setTimer.bind(this.#clock) };
    const replica = memoryBackend({ clock });
    for (const { node, at, work } of this.#done) {
      now = at;
      await work(await replica.connect(node, { wake: nothing, resync: nothing, down: nothing }));
    }
    now = undefined;
    this.engine = replica;
    for (const link of this.links.values()) await link.attach();
    return this.#done.flatMap(({ change }) => change ?? []);
  }

  /** Does something, and keeps it for a replica. */
  async do<T>(
    node: string,
    engine: StopConnection,
    work: (engine: StopConnection) => Promise<T>,
  ): Promise<{ readonly answer: T; readonly done: Done }> {
    const done: Done = { node, at: this.#clock.now(), work };
    this.#done.push(done);
    return { answer: await work(engine), done };
  }

  async holdsLease(node: string): Promise<boolean> {
    const probe = await this.engine.connect('probe', { wake: nothing, resync: nothing, down: nothing });
    return (await probe.alive([node]))[0] === true;
  }

  async recordOf(runId: string): Promise<string | undefined> {
    const probe = await this.engine.connect('probe', { wake: nothing, resync: nothing, down: nothing });
    return (await probe.read(runId)).value;
  }
}

function nothing(): void {
  // A probe hears nothing.
}

/** The way of one process to the engine. */
class Link {
  readonly #backend: FaultyBackend;
  readonly node: string;
  readonly #process: PausedClock;
  readonly #events: StopBackendEvents;
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #witness: Witness;
  #engine!: StopConnection;
  #isListening = false;
  #isClosed = false;
  isCut = false;
  /** The socket in use is half open: it takes everything and answers nothing, until it is replaced. */
  isHalfOpen = false;
  /** How often it was replaced although nothing that went out on it had been left without an answer. */
  wrongResets = 0;
  operations = 0;
  /** What has gone out and was not answered. */
  readonly #open = new Set<{ readonly socket: number; readonly sentAt: number }>();
  /** Rises with each new socket: what is on an old one is lost. */
  #socket = 0;
  /** As far as the process knows. */
  #heard = 0;
  #line: Promise<unknown> = Promise.resolve();

  constructor(
    backend: FaultyBackend,
    node: string,
    process: PausedClock,
    events: StopBackendEvents,
    clock: VirtualClock,
    random: Random,
    witness: Witness,
  ) {
    this.#backend = backend;
    this.node = node;
    this.#process = process;
    this.#events = events;
    this.#clock = clock;
    this.#random = random;
    this.#witness = witness;
  }

  async attach(): Promise<void> {
    this.#engine = await this.#backend.engine.connect(this.node, {
      wake: (runId, value) => {
        this.#push(runId, value);
      },
      resync: nothing,
      down: nothing,
    });
    if (this.#isListening && !this.#isClosed) await this.#engine.listen();
  }

  /** The network notices by itself, and the process is told. */
  reconnect(): void {
    this.isHalfOpen = false;
    this.#socket++;
    this.#process.whenRunning(() => {
      this.#heard++;
      this.#events.resync();
    });
  }

  connection(): StopConnection {
    const { mistakes } = this.#backend;
    return {
      read: (runId) => this.#call((engine) => engine.read(runId)),
      swap: (change) => this.#call((engine) => this.#swap(engine, change)),
      pull: (leaseMs, mark) => this.#call((engine) => this.#do(engine, (each) => each.pull(leaseMs, mark))),
      renew: (runIds, ttlMs) => this.#call((engine) => this.#do(engine, (each) => each.renew(runIds, ttlMs))),
      alive: (nodes) => this.#call((engine) => engine.alive(nodes)),
      listen: () => {
        this.#isListening = true;
        return this.#call((engine) => engine.listen());
      },
      reset: () => {
        const isGuilty = [...this.#open].some(({ socket, sentAt }) => socket === this.#heard && this.#clock.now() - sentAt >= LEASE_MS / 3); // prettier-ignore
        if (!isGuilty) this.wrongResets++;
        this.#heard++;
        this.isHalfOpen = false;
        this.#socket++;
        this.#clock.setTimer(() => this.#process.whenRunning(() => { this.#events.resync(); }), 5, { ref: true }); // prettier-ignore
      },
      close: async (release) => {
        this.#isClosed = true;
        const isReleased = release && mistakes.keptLease !== true;
        await this.#do(this.#engine, (engine) => engine.close(isReleased));
        if (!(await this.#backend.holdsLease(this.node))) this.#backend.releasedLeases.add(this.node);
      },
    };
  }

  async #swap(engine: StopConnection, change: StopSwap): ReturnType<StopConnection['swap']> {
    const targets = change.inboxes;
    const inboxes = this.#backend.mistakes.queueGroup === true && targets.length > 1 ? [this.#random.pick(targets)] : targets; // prettier-ignore
    const { answer, done } = await this.#backend.do(this.node, engine, (each) => each.swap({ ...change, inboxes }));
    if (answer.swapped) this.#witness(this.node, (done.change = change));
    return answer;
  }

  async #do<T>(engine: StopConnection, work: (engine: StopConnection) => Promise<T>): Promise<T> {
    return (await this.#backend.do(this.node, engine, work)).answer;
  }

  #call<T>(work: (engine: StopConnection) => Promise<T>): Promise<T> {
    if (this.#backend.mistakes.oneLine !== true) return this.#send(work, 1);
    const sent = this.#line.then(() => this.#send(work, 40));
    this.#line = sent.catch(() => undefined);
    return sent;
  }

  #send<T>(work: (engine: StopConnection) => Promise<T>, slow: number): Promise<T> {
    this.operations++;
    const { latencyMs, lostRequest, lostAnswer } = this.#backend.weather;
    const socket = this.#socket;
    const sent = { socket: this.#heard, sentAt: this.#clock.now() };
    this.#open.add(sent);
    return new Promise<T>((resolve, reject) => {
      const refuse = (): void => {
        this.#process.whenRunning(() => {
          reject(new Error('ECONNREFUSED'));
        });
      };
      const isReachable = (): boolean => socket === this.#socket && !this.isHalfOpen;
      if (this.#backend.isDown) {
        this.#clock.setTimer(refuse, 1 + this.#random.upTo(10), { ref: true });
        return;
      }
      if (this.isCut || !isReachable() || this.#random.chance(lostRequest)) return;
      const arrive = (): void => {
        if (this.#backend.isDown || this.isCut || !isReachable()) return;
        const isAnswerLost = this.#random.chance(lostAnswer);
        void work(this.#engine).then((answer) => {
          if (isAnswerLost) return;
          const back = (): void => {
            if (this.isCut || !isReachable()) return;
            this.#process.whenRunning(() => {
              this.#open.delete(sent);
              resolve(answer);
            });
          };
          this.#clock.setTimer(back, this.#random.upTo(latencyMs) * slow, { ref: true });
        }, reject);
      };
      this.#clock.setTimer(arrive, this.#random.upTo(latencyMs) * slow, { ref: true });
    });
  }

  #push(runId: string, value: string | undefined): void {
    const { lostPush, doubledPush, latePushMs } = this.#backend.weather;
    if (this.isCut || this.isHalfOpen || this.#random.chance(lostPush)) return;
    const copies = this.#random.chance(doubledPush) ? 2 : 1;
    for (let n = 0; n < copies; n++) {
      const given = this.#random.chance(0.3) ? undefined : value;
      const arrive = (): void => {
        this.#process.whenRunning(() => {
          if (!this.#isClosed) this.#events.wake(runId, given);
        });
      };
      this.#clock.setTimer(arrive, this.#random.upTo(latePushMs), { ref: true });
    }
  }
}
