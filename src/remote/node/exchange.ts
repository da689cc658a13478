/**
 * A node's dealings with the engine: every operation has a deadline, a step is tried again until it is written, and
 * the heartbeat waits in line behind nothing.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import type { StopConnection, StopPull, StopReading } from '../backend.ts';
import { decodeRecord, encodeRecord, type RunRecord } from '../record/run-record.ts';
import type { Step } from '../record/step-result.ts';
import { SendWindow } from './send-window.ts';

/** How often a step starts over because somebody else wrote in between, before that counts as a failure. */
const MOST_ROUNDS = 200;

/** How long records live, in milliseconds. */
export interface RecordTimes {
  /** A stop without a host. */
  readonly pendingMs: number;
  /** A run that somebody hosts. */
  readonly liveMs: number;
  /** A run that has ended. */
  readonly settledMs: number;
}

/** What the exchange is made of. */
export interface ExchangeParts {
  readonly name: string;
  readonly clock: Clock;
  /** Milliseconds for one operation. */
  readonly deadlineMs: number;
  readonly times: RecordTimes;
}

/** A record as it was read, and the engine's time. */
export interface RecordReading {
  readonly record: RunRecord | undefined;
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
  readonly #parts: ExchangeParts;
  readonly #connection: StopConnection;
  readonly #window = new SendWindow();

  constructor(connection: StopConnection, parts: ExchangeParts) {
    this.#connection = connection;
    this.#parts = parts;
    this.times = parts.times;
  }

  /** There is a new socket: what is still on an old one says nothing of it. */
  reconnected(): void {
    this.#socket++;
  }

  /** Starts to be woken. */
  listen(): Promise<void> {
    return this.#inTime(() => this.#connection.listen());
  }

  async read(runId: string): Promise<RecordReading> {
    return this.#decode(await this.#windowed(() => this.#connection.read(runId)));
  }

  /**
   * Takes a step on the record of a run: reads, decides, swaps, and decides anew where somebody else was faster.
   *
   * @param step Called for every record that is found; must not remember anything of a record that was not written.
   * @param handled Whether the run leaves this node's inbox with it, also where the record stays as it is.
   */
  async commit<R>(
    runId: string,
    step: (record: RunRecord | undefined, now: number) => Step<R>,
    handled = false,
  ): Promise<R> {
    let reading = await this.#windowed(() => this.#connection.read(runId));
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { record, now } = this.#decode(reading);
      const { record: next, inboxes = [], hints = [], result } = step(record, now);
      const to = next === undefined ? reading.value : encodeRecord(next);
      const isSame = to === reading.value;
      if (to === undefined || (isSame && !handled)) return result;
      const ttlMs = this.#ttlOf(next ?? record);
      const change = { runId, from: reading.value, to, ttlMs, inboxes, hints, handled };
      const answer = await this.#windowed(() => this.#connection.swap(change));
      if (answer.swapped) return result;
      reading = answer;
    }
    throw new Error(`${this.#parts.name}: the record of a run changed ${String(MOST_ROUNDS)} times under one step`);
  }

  pull(leaseMs: number, proposal: string, deadlineMs: number): Promise<StopPull> {
    return this.#inTime(() => this.#connection.pull(leaseMs, proposal), deadlineMs);
  }

  async renew(runIds: readonly string[]): Promise<readonly (RunRecord | undefined)[]> {
    const values = await this.#windowed(() => this.#connection.renew(runIds, this.times.liveMs));
    return values.map((value) => (value === undefined ? undefined : decodeRecord(value)));
  }

  /** Whether one of these nodes at least holds a lease. */
  async anyAlive(nodes: readonly string[]): Promise<boolean> {
    if (nodes.length === 0) return true;
    return (await this.#windowed(() => this.#connection.alive(nodes))).some(Boolean);
  }

  #ttlOf(record: RunRecord | undefined): number {
    const { pendingMs, liveMs, settledMs } = this.times;
    if (record?.state === 'running') return liveMs;
    return record?.state === 'settled' ? settledMs : pendingMs;
  }

  #decode({ value, now }: StopReading): RecordReading {
    return { record: value === undefined ? undefined : decodeRecord(value), now };
  }

  #windowed<T>(send: () => Promise<T>): Promise<T> {
    return this.#window.run(() => this.#inTime(send));
  }

  #inTime<T>(send: () => Promise<T>, deadlineMs = this.#parts.deadlineMs): Promise<T> {
    const { clock, name } = this.#parts;
    const [socket, answers] = [this.#socket, this.#answers];
    return new Promise((resolve, reject) => {
      const late = (): void => {
        if (socket === this.#socket && answers === this.#answers) {
          this.#socket++;
          this.#connection.reset();
        }
        const error = new Error(`${name} did not answer within ${String(deadlineMs)} ms`);
        reject(error);
        this.#window.refuseWaiting(error);
      };
      const timer = clock.setTimer(late, deadlineMs, { ref: true });
      send()
        .finally(() => {
          timer.release();
        })
        .then((value) => {
          this.#answers++;
          resolve(value);
        }, reject);
    });
  }
}
