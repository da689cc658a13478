/**
 * A node's dealings with the engine: every operation has a deadline, a step is tried again until it is written, and
 * the heartbeat waits in line behind nothing.
 *
 * @module
 */
import type { Clock } from '../../../core/foundation/clock.ts';
import type { StopConnection, StopListing, StopPull, StopReading, StopSwap } from '../../backend.ts';
import { decodeRecord, encodeRecord, type RunRecord } from '../../record/run-record.ts';
import type { Step } from '../../record/step-result.ts';
import { Deadlines } from './deadlines.ts';
import { SendWindow, type SendOptions, type Timed } from './send-window.ts';

/** How often a step starts over because somebody else wrote in between, before that counts as a failure. */
const MOST_ROUNDS = 200;

/**
 * How long a run is known after who hosts it, or works for it, was last heard of, in milliseconds: the same for every process, as each
 * of them writes the record that all rely on.
 */
export const LIVE_MS = 86_400_000;
/** How long the end of a run is known, in milliseconds. */
export const SETTLED_MS = 600_000;

/** How long other records live, in milliseconds. */
export interface RecordTimes {
  /** A stop without a host. */
  readonly pendingMs: number;
}

/** What the exchange is made of. */
export interface ExchangeParts {
  readonly name: string;
  readonly clock: Clock;
  /** Milliseconds for one operation. */
  readonly deadlineMs: number;
  readonly times: RecordTimes;
  /** How many operations the engine takes at once, where it says so. */
  readonly mostAtOnce?: number | undefined;
  /** The engine has made a change, so it does all that it is there for. */
  readonly changed?: (() => void) | undefined;
}

/** An answer is brief in this part of its deadline: more is sent at once only as long as answers are. */
const BRIEF_PART = 10;

/** How a step is sent. */
export interface CommitOptions extends SendOptions {
  /** Whether the run leaves this node's inbox with it, also where the record stays as it is. */
  readonly handled?: boolean | undefined;
  /** What the record is, as far as is known: taken for what was read, and the swap says whether it was so. */
  readonly believed?: KnownRecord | undefined;
  /** Hears what the record is after it. */
  readonly written?: ((known: KnownRecord) => void) | undefined;
}

/** A record, and the letters that the engine has of it. */
export interface KnownRecord {
  readonly value: string | undefined;
  readonly record: RunRecord | undefined;
}

/** A record as it was read, and the engine's time. */
export interface RecordReading extends KnownRecord {
  readonly now: number;
}

/**
 * The operations of one node. Where one is not answered in time, and nothing else was meanwhile, the socket may be half
 * open: it is replaced, unless that was done since the operation went out.
 */
export class Exchange {
  readonly times: RecordTimes;
  /** Counts sockets. */
  #socket = 0;
  /** Counts answers. */
  #answers = 0;
  /** The runs whose record was changed, or found as it was to be, since the last heartbeat went out. */
  #written = new Set<string>();
  /** Those that were changed before one that was answered: a mark is behind them. */
  #marked = new Set<string>();
  /** The engine's time, and our own when it was told. */
  #heard: { readonly now: number; readonly at: number } | undefined;
  #listening: Promise<void> | undefined;
  readonly #parts: ExchangeParts;
  readonly #connection: StopConnection;
  readonly #deadlines: Deadlines;
  readonly #window: SendWindow;

  constructor(connection: StopConnection, parts: ExchangeParts) {
    this.#connection = connection;
    this.#parts = parts;
    this.times = parts.times;
    const { clock, deadlineMs, mostAtOnce: most } = parts;
    this.#deadlines = new Deadlines(clock, deadlineMs);
    this.#window = new SendWindow({ now: () => clock.now(), briefMs: deadlineMs / BRIEF_PART, most });
  }

  /** There is a new socket: what is still on an old one says nothing of it. */
  reconnected(): void {
    this.#socket++;
  }

  /** Starts to be woken; many who ask at once ask together. */
  listen(): Promise<void> {
    return (this.#listening ??= this.#inTime(() => this.#connection.listen()).finally(
      () => (this.#listening = undefined),
    ));
  }

  /** How many operations wait for their turn. */
  get waiting(): number {
    return this.#window.waiting;
  }

  async read(runId: string, options?: SendOptions): Promise<RecordReading> {
    return decode(await this.#windowed(() => this.#connection.read(runId), options));
  }

  /**
   * Takes a step on the record of a run: reads, decides, swaps, and decides anew where somebody else was faster. All of it has
   * one place in the window, so that what was begun is also done.
   *
   * @param step Called for every record that is found; must not remember anything of a record that was not written.
   */
  commit<R>(
    runId: string,
    step: (record: RunRecord | undefined, now: number) => Step<R>,
    options: CommitOptions = {},
  ): Promise<R> {
    return this.#window.run((timed) => this.#commit(runId, step, options, timed), options);
  }

  async #commit<R>(
    runId: string,
    step: (record: RunRecord | undefined, now: number) => Step<R>,
    { handled = false, believed, written }: CommitOptions,
    timed: Timed,
  ): Promise<R> {
    let reading =
      this.#believe(believed) ?? decode(await this.#inTime(() => timed(() => this.#connection.read(runId))));
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { value: from, record, now } = reading;
      const { record: next = record, inboxes = [], hints = [], result } = step(record, now);
      const to = next === record ? from : next && encodeRecord(next);
      this.#written.add(runId);
      if (to === undefined || (to === from && !handled)) return result;
      const change = {
        ...{ runId, from, to, ttlMs: this.#ttlOf(next), inboxes, handled },
        // Whoever does not listen looks by itself.
        hints: hints.filter((node) => node !== ''),
        ...listing(to === from ? undefined : record, next),
      };
      const answer = await this.#inTime(() => timed(() => this.#connection.swap(change)));
      if (answer.swapped) {
        this.#written.add(runId);
        written?.({ value: to, record: next });
        this.#parts.changed?.();
        return result;
      }
      reading = decode(answer);
    }
    throw new Error(`${this.#parts.name}: the record of a run changed ${String(MOST_ROUNDS)} times under one step`);
  }

  /** As if it had been read now, by the engine's time as far as we know it: that is never ahead of the engine. */
  #believe(believed: KnownRecord | undefined): RecordReading | undefined {
    if (believed === undefined || this.#heard === undefined) return undefined;
    return { ...believed, now: this.#heard.now + (this.#parts.clock.now() - this.#heard.at) };
  }

  /** Milliseconds since an instant of the engine's clock, as far as we know its time. */
  since(at: number): number {
    return this.#heard === undefined ? 0 : Math.max(0, this.#heard.now + this.#parts.clock.now() - this.#heard.at - at);
  }

  list(group: string, options?: SendOptions): Promise<StopListing> {
    return this.#windowed(() => this.#connection.list(group), options);
  }

  async pull(leaseMs: number, mark: string): Promise<StopPull> {
    const before = this.#written;
    this.#written = new Set();
    try {
      const pull = await this.#inTime(() => this.#connection.pull(leaseMs, mark));
      this.#heard = { now: pull.now, at: this.#parts.clock.now() };
      for (const runId of before) this.#marked.add(runId);
      return pull;
    } catch (error) {
      for (const runId of before) this.#written.add(runId);
      throw error;
    }
  }

  /**
   * The runs that were changed before the last heartbeat, each told once: what is there now is older than the next mark.
   */
  takeMarked(): ReadonlySet<string> {
    const marked = this.#marked;
    this.#marked = new Set();
    return marked;
  }

  async renew(runIds: readonly string[]): Promise<readonly (RunRecord | undefined)[]> {
    const values = await this.#windowed(() => this.#connection.renew(runIds, LIVE_MS));
    return values.map((value) => (value === undefined ? undefined : decodeRecord(value)));
  }

  /** Whether one of these nodes at least holds a lease. */
  async anyAlive(nodes: readonly string[], options?: SendOptions): Promise<boolean> {
    return nodes.length === 0 || (await this.lapsed(nodes, options)).size < new Set(nodes).size;
  }

  /** Those of these nodes that hold no lease. */
  async lapsed(nodes: readonly string[], options?: SendOptions): Promise<ReadonlySet<string>> {
    const alive = await this.#windowed(() => this.#connection.alive(nodes), options);
    return new Set(nodes.filter((_, index) => alive[index] !== true));
  }

  #ttlOf(record: RunRecord | undefined): number {
    if (record?.state === 'running' || (record?.members.length ?? 0) > 0) return LIVE_MS;
    if (record?.state === 'settled') return SETTLED_MS;
    return Math.max(this.times.pendingMs, ...(record?.stops ?? []).map(({ keptMs = 0 }) => keptMs));
  }

  #windowed<T>(send: () => Promise<T>, options?: SendOptions): Promise<T> {
    return this.#window.run((timed) => this.#inTime(() => timed(send)), options);
  }

  #inTime<T>(send: () => Promise<T>): Promise<T> {
    const [socket, answers] = [this.#socket, this.#answers];
    return new Promise((resolve, reject) => {
      // Whatever a backend rejects with.
      const refuse: (error: unknown) => void = reject;
      const deadline = this.#deadlines.begin(() => {
        const { name, deadlineMs } = this.#parts;
        const error = new Error(`${name} did not answer within ${String(deadlineMs)} ms`);
        reject(error);
        // An engine that answers something is slow, and what waits for it goes on waiting.
        if (socket === this.#socket && answers === this.#answers) this.#replaceSocket(error);
      });
      send().then(
        (value) => {
          this.#deadlines.end(deadline);
          this.#answers++;
          resolve(value);
        },
        (error: unknown) => {
          this.#deadlines.end(deadline);
          refuse(error);
        },
      );
    });
  }

  #replaceSocket(error: Error): void {
    this.#socket++;
    this.#window.refuseWaiting(error);
    this.#connection.reset();
    this.#window.giveUp();
  }
}

/** What a change does to the lists of groups; where the record stays as it is, it is listed again: lists expire. */
function listing(before: RunRecord | undefined, after: RunRecord | undefined): Pick<StopSwap, 'joins' | 'leaves'> {
  const [old, now] = [before?.groups ?? [], after?.groups ?? []];
  if (old === now) return {};
  return { joins: now.filter((group) => !old.includes(group)), leaves: old.filter((group) => !now.includes(group)) };
}

function decode({ value, now }: StopReading): RecordReading {
  return { value, record: value === undefined ? undefined : decodeRecord(value), now };
}
