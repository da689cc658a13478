/**
 * The way of one process to an engine, over a network that loses, delays and doubles what goes over it.
 *
 * @module
 */
import type { StopBackendEvents, StopConnection, StopSwap } from '../../../../src/remote/backend.ts';
import type { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import type { FaultyBackend } from './faulty-backend.ts';
import type { PausedClock } from './paused-clock.ts';
import type { Random } from './random.ts';

export const LEASE_MS = 3_000;

/** Told of each change that the engine makes, in order. */
export type Witness = (node: string, change: StopSwap) => void;

export function nothing(): void {
  // A probe hears nothing.
}

/** The way of one process to the engine. */
export class Link {
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
      swap: (change) => {
        this.#backend.sent(this.node, change);
        return this.#call((engine) => this.#swap(engine, change));
      },
      pull: (leaseMs, mark) => this.#call((engine) => this.#do(engine, (each) => each.pull(leaseMs, mark))),
      renew: (runIds, ttlMs) => this.#call((engine) => this.#do(engine, (each) => each.renew(runIds, ttlMs))),
      list: (group) =>
        this.#call((engine) => {
          this.#backend.listed(this.node, group);
          const ageMs = this.#clock.now() - this.#backend.bornAt;
          return engine.list(group).then((listed) => ({ ...listed, ageMs }));
        }),
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
