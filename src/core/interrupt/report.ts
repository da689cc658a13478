/**
 * What ran, and what became of it when it was told to stop.
 * In the interrupt room below the turn: every model call, tool call and tracked piece of work is one operation.
 *
 * Invariants: an operation ends exactly once in the list; one that was left behind is named, and stays counted as
 * running until it ends in fact.
 *
 * Prior art: systemd's stop jobs; Trio's "cancelled is not finished".
 *
 * @module
 */
import type { Clock } from '../foundation/clock.ts';
import type { CancelReason } from '../foundation/reason.ts';
import { Arrivals } from './arrivals.ts';

/**
 * What became of one operation.
 *
 * @since 0.1.0
 */
export type OperationOutcome = 'completed' | 'failed' | 'cancelled' | 'abandoned' | 'not-started';

/**
 * One row of a stop report.
 *
 * @since 0.1.0
 */
export interface OperationRow {
  /** `model`, `tool`, `subagent`, or what a tool called it. */
  readonly kind: string;
  readonly name: string;
  /** The agent it belonged to. */
  readonly agent: string;
  /** `caller`: it stopped its own turn, and ends after it has this report. */
  readonly outcome: OperationOutcome | 'caller';
  /** Milliseconds from the stop to its end; for one that was left behind, to giving up. */
  readonly ms: number;
}

/**
 * What a stop did. When it is there, the work is gone or named.
 *
 * @since 0.1.0
 */
export interface StopReport {
  /** `undefined` if there was nothing to stop. */
  readonly reason: CancelReason | undefined;
  readonly turnId: number | undefined;
  /** Epoch milliseconds of the first request. */
  readonly requestedAt: number;
  /** Milliseconds from the request until everything had been told. */
  readonly acknowledgedMs: number;
  /** Milliseconds from the request until everything had ended or was left behind. */
  readonly settledMs: number;
  /** One row per operation that was running, or was refused. */
  readonly operations: readonly OperationRow[];
  /** The names of what is still running. Empty is what a person wants to see. */
  readonly abandoned: readonly string[];
  /** What callbacks threw while they were told. */
  readonly callbackErrors: readonly unknown[];
  /** Messages that no model call saw. */
  readonly undelivered: readonly unknown[];
}

/** A report as of now: what is not said of is empty, and what was left behind stands among the operations. */
export function stopReport(
  said: Pick<StopReport, 'requestedAt'> & Partial<Omit<StopReport, 'settledMs' | 'abandoned'>>,
  now: number = said.requestedAt,
): StopReport {
  const { requestedAt, operations = [] } = said;
  return {
    reason: undefined,
    turnId: undefined,
    acknowledgedMs: 0,
    callbackErrors: [],
    undelivered: [],
    ...said,
    operations,
    settledMs: now - requestedAt,
    abandoned: operations.filter(({ outcome }) => outcome === 'abandoned').map(({ name }) => name),
  };
}

/** One operation while it runs. */
export interface Operation {
  readonly kind: string;
  readonly name: string;
  readonly agent: string;
  outcome: OperationOutcome | undefined;
  /** When it ended or was given up on. */
  endedAt: number | undefined;
  /** It waits for the others to end. */
  isCaller: boolean;
}

/** The operations of one turn, and – through `parent` – of the turn that waits for it. */
export class OperationList {
  readonly #agent: string;
  readonly #clock: Clock;
  readonly #parent: OperationList | undefined;
  #running = 0;
  #keep = false;
  /** In the order of their start; what ends before a stop is asked for is forgotten. */
  readonly #rows: Arrivals<Operation> = new Arrivals(({ outcome }) => outcome !== undefined && !this.#keep);
  #idle: (() => void)[] = [];
  readonly #callers = new Set<() => void>();

  constructor(agent: string, clock: Clock, parent: OperationList | undefined) {
    this.#agent = agent;
    this.#clock = clock;
    this.#parent = parent;
  }

  start(kind: string, name: string): Operation {
    const operation: Operation = {
      kind,
      name,
      agent: this.#agent,
      outcome: undefined,
      endedAt: undefined,
      isCaller: false,
    };
    this.#started(operation);
    return operation;
  }

  /** The first outcome counts, here and in the lists above. */
  end(operation: Operation, outcome: OperationOutcome): void {
    if (operation.outcome !== undefined) return;
    operation.outcome = outcome;
    this.#ended(operation);
  }

  /** Adds a row for something that was refused. */
  refuse(kind: string, name: string): void {
    this.end(this.start(kind, name), 'not-started');
  }

  /** Counts something without a row: a batch that still has calls to answer. */
  hold(): void {
    this.#running++;
    if (this.#parent !== undefined) this.#parent.hold();
  }

  /** The other half of `hold`. */
  letGo(): void {
    this.#leave();
    if (this.#parent !== undefined) this.#parent.letGo();
  }

  /** From here on what ends is kept for the report. */
  keep(): void {
    this.#rows.forget();
    this.#keep = true;
  }

  /** Resolves when nothing runs; at once if nothing does. */
  whenIdle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  /** Resolves when nothing runs but those who wait for it: the one given, the body of the turn, and others like it. */
  whenOthersEnded(caller: Operation | undefined): Promise<void> {
    if (caller !== undefined) caller.isCaller = true;
    return new Promise((resolve) => {
      this.#callers.add(resolve);
      this.#tellCallers();
    });
  }

  #tellCallers(): void {
    if (this.#rows.list().some(({ outcome, isCaller }) => outcome === undefined && !isCaller)) return;
    for (const resolve of this.#callers) resolve();
    this.#callers.clear();
  }

  /** What was running when `keep` was called, or came after it. */
  rowsSince(requestedAt: number): OperationRow[] {
    const now = this.#clock.now();
    return this.#rows.list().map(({ kind, name, agent, outcome, isCaller, endedAt = now }) => ({
      kind,
      name,
      agent,
      outcome: outcome ?? (isCaller ? 'caller' : 'abandoned'),
      ms: Math.max(0, endedAt - requestedAt),
    }));
  }

  #started(operation: Operation): void {
    this.#rows.add(operation);
    this.#running++;
    if (this.#parent !== undefined) this.#parent.#started(operation);
  }

  #ended(operation: Operation): void {
    // Only a report asks when; most operations end in no report.
    if (this.#keep) operation.endedAt ??= this.#clock.now();
    else this.#rows.ended();
    this.#leave();
    if (this.#parent !== undefined) this.#parent.#ended(operation);
  }

  #leave(): void {
    if (this.#callers.size > 0) this.#tellCallers();
    if (--this.#running > 0 || this.#idle.length === 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
