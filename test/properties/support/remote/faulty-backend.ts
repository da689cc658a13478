/**
 * An engine behind a network that fails: operations and their answers are late or lost, sockets are half open, wake-ups
 * are dropped, doubled, late and in the wrong order, and the engine may start again with nothing, or without what it did last.
 *
 * @module
 */
import type { StopBackend, StopConnection } from '../../../../src/remote/index.ts';
import type { StopSwap } from '../../../../src/remote/backend.ts';
import { memoryBackend } from '../../../../src/remote/index.ts';
import type { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { Link, nothing, type Witness } from './faulty-link.ts';
import type { PausedClock } from './paused-clock.ts';
import type { Random } from './random.ts';
import type { Weather } from './weather.ts';

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

/** The engine and the ways to it. */
export class FaultyBackend {
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #witness: Witness;
  readonly mistakes: BackendMistakes;
  weather: Weather;
  engine: StopBackend;
  /** Told of each change that a process sends, whether it arrives or not. */
  sent: (node: string, change: StopSwap) => void = nothing;
  /** Told of each list of a group that the engine makes. */
  listed: (node: string, group: string) => void = nothing;
  /** When it began to know what it knows. */
  bornAt = -Infinity;
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
    this.bornAt = this.#clock.now();
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
