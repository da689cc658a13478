/**
 * The rows of a recording while they are written.
 *
 * Invariants: an operation that runs is never forgotten for one that has ended; the memory is bounded by
 * `maxOperations`, whatever runs; nothing that user code made is held, except the reasons of stops that are kept.
 *
 * @module
 */
import { reasonToJSON } from '../core/inside.ts';
import type { CancelReason, OperationOutcome } from '../index.ts';
import {
  isSurvivor,
  type Trace,
  type TraceOperation,
  type TraceSink,
  type TraceStop,
  type TraceToken,
} from './trace.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface OpenStop {
  readonly kind: TraceStop['kind'];
  readonly agent: string;
  readonly reason: CancelReason;
  readonly requestedAt: number;
  readonly asked: string[];
}

/** More stops than anybody reads. */
const MAX_STOPS = 100;

/** A token makes a reason of its own of what it is given: it adds where it was cancelled. */
function isSame(a: CancelReason, b: CancelReason): boolean {
  return a === b || (a.kind === b.kind && a.message === b.message && a.at === b.at && a.by === b.by);
}

/** Keeps the rows. */
export class TraceBook {
  readonly #tokens = new Map<string, TraceToken>();
  readonly #operations = new Map<string, Writable<TraceOperation>>();
  readonly #stops: OpenStop[] = [];
  readonly #maxOperations: number;
  readonly #sinks: readonly TraceSink[];
  readonly #onError: (error: unknown) => void;
  readonly #startedAt: number;
  #dropped = 0;

  constructor(
    startedAt: number,
    options: {
      readonly maxOperations: number;
      readonly sinks: readonly TraceSink[];
      readonly onError: (error: unknown) => void;
    },
  ) {
    this.#startedAt = startedAt;
    this.#maxOperations = options.maxOperations;
    this.#sinks = options.sinks;
    this.#onError = options.onError;
  }

  addToken(token: TraceToken): void {
    if (!this.#tokens.has(token.id)) this.#tokens.set(token.id, token);
  }

  get(id: string): TraceOperation | undefined {
    return this.#operations.get(id);
  }

  /** The latest of those that fit. */
  findLast(fits: (operation: TraceOperation) => boolean): TraceOperation | undefined {
    return [...this.#operations.values()].filter(fits).at(-1);
  }

  start(operation: Omit<TraceOperation, 'outcome'>): void {
    this.#makeRoom(operation.startedAt);
    const row = { ...operation, outcome: 'running' } as const;
    this.#operations.set(row.id, row);
    this.#tell((sink) => sink.started?.({ ...row }));
  }

  /** A stop was asked for. */
  request(kind: TraceStop['kind'], agent: string, reason: CancelReason, requestedAt: number): void {
    if (this.#stops.length === MAX_STOPS) {
      this.#stops.shift();
      this.#dropped += 1;
    }
    this.#stops.push({ kind, agent, reason, requestedAt, asked: [] });
  }

  /** An operation was told to stop; a reason that nobody announced, such as a limit of its own, is a stop of its own. */
  ask(id: string, reason: CancelReason, at: number): void {
    const row = this.#operations.get(id);
    if (row === undefined || row.askedAt !== undefined || row.outcome !== 'running') return;
    let stop = this.#stops.filter((each) => isSame(each.reason, reason)).at(-1);
    if (stop === undefined) {
      this.request('cancel', row.agent, reason, at);
      stop = this.#stops.at(-1);
    }
    row.askedAt = at;
    if (stop === undefined) return;
    stop.asked.push(id);
    const said = this.#stopOf(stop);
    this.#tell((sink) => sink.stopping?.({ ...row }, said));
  }

  /** The work itself looked at its token. */
  observe(id: string, at: number): void {
    const row = this.#operations.get(id);
    if (row?.askedAt !== undefined) row.observedAt ??= at;
  }

  end(id: string, outcome: OperationOutcome, at: number, more: Pick<TraceOperation, 'checkpoints'> = {}): void {
    const row = this.#operations.get(id);
    if (row === undefined) return;
    if (row.outcome === 'running') Object.assign(row, { outcome, endedAt: at }, more);
    else if (isSurvivor(row)) row.late = { at, outcome };
    else return;
    this.#tell((sink) => sink.ended?.({ ...row }));
  }

  /** The recording is over: sinks hear of no end any more. */
  close(at: number): void {
    for (const row of this.#operations.values()) if (row.outcome === 'running') this.#tellUnfinished(row, at);
  }

  #tellUnfinished(row: TraceOperation, endedAt: number): void {
    this.#tell((sink) => sink.ended?.({ ...row, endedAt }));
  }

  toTrace(takenAt: number): Trace {
    return {
      version: 1,
      startedAt: this.#startedAt,
      takenAt,
      tokens: [...this.#tokens.values()].map((token) => ({ ...token })),
      operations: [...this.#operations.values()].map((row) => structuredClone(row)),
      stops: this.#stops.map((stop) => this.#stopOf(stop)),
      dropped: this.#dropped,
    };
  }

  #stopOf({ reason, asked, ...stop }: OpenStop): TraceStop {
    const rows = asked.map((id) => this.#operations.get(id)).filter((row) => row !== undefined);
    const observed = rows.map(({ observedAt, endedAt = Infinity }) => observedAt ?? endedAt);
    const observedAt = Math.min(...observed);
    const settledAt = Math.max(stop.requestedAt, ...rows.map(({ endedAt = Infinity }) => endedAt));
    return {
      ...stop,
      reason: reasonToJSON(reason),
      asked: [...asked],
      ...(observedAt === Infinity ? {} : { observedAt }),
      ...(settledAt === Infinity ? {} : { settledAt }),
      survivors: rows.filter(isSurvivor).map(({ id }) => id),
    };
  }

  /** The oldest that has ended goes first; if everything runs, the oldest. */
  #makeRoom(at: number): void {
    if (this.#operations.size < this.#maxOperations) return;
    const rows = [...this.#operations.values()];
    const gone = rows.find((row) => row.outcome !== 'running' && !isSurvivor(row)) ?? rows[0];
    if (gone !== undefined) {
      this.#operations.delete(gone.id);
      if (gone.outcome === 'running') this.#tellUnfinished(gone, at);
    }
    this.#dropped += 1;
    // Agents come and go as well: one without an operation is only kept as the parent of another.
    if (this.#tokens.size > this.#maxOperations) this.#dropTokens();
  }

  #dropTokens(): void {
    const used = new Set([...this.#operations.values()].map(({ parentId }) => parentId));
    for (const { parentId } of this.#tokens.values()) if (parentId !== undefined) used.add(parentId);
    for (const id of this.#tokens.keys()) if (!used.has(id)) this.#tokens.delete(id);
  }

  #tell(fn: (sink: TraceSink) => unknown): void {
    for (const sink of this.#sinks) {
      try {
        const told = fn(sink) as Partial<PromiseLike<unknown>> | undefined;
        // Nobody waits for a sink that takes its time, but its rejection must not be nobody's.
        if (typeof told?.then === 'function') void Promise.resolve(told).catch(this.#hear);
      } catch (error) {
        this.#hear(error);
      }
    }
  }

  readonly #hear = (error: unknown): void => {
    try {
      this.#onError(error);
    } catch {
      // Who listens to errors is the last one who could be told.
    }
  };
}
