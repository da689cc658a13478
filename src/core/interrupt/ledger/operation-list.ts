/**
 * The operations of one turn: every model call, tool call and tracked piece of work is one, and has one row in the
 * report of a stop.
 *
 * Invariants: an operation ends exactly once in the list; one that was given up is named, and stays among what still
 * runs until it has ended.
 *
 * Prior art: systemd's stop jobs; Trio's "cancelled is not finished".
 *
 * @module
 */
import type { Clock } from '../../foundation/clock.ts';
import type { Source } from '../../token/source.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import type { EventHub } from '../events/event-hub.ts';
import type { StillRunning } from './still-running.ts';
import type { OperationOutcome } from '../public-types/stop-report.ts';
import { CompactingList } from './compacting-list.ts';

/** One operation while it runs. */
export interface Operation {
  readonly kind: string;
  readonly name: string;
  readonly agent: string;
  outcome: OperationOutcome | undefined;
  /** When it ended or was given up. */
  endedAt: number | undefined;
  /** It waits for the others to end. */
  isCaller: boolean;
  /** Made when somebody watches operations. */
  id: string | undefined;
}

/** The agent whose operations they are. */
interface OperationsOwner {
  readonly name: string;
  readonly clock: Clock;
  readonly stillRunning: StillRunning;
  readonly events: EventHub;
}

/** The operations of one turn, and – through `parent` – of the turn that waits for it. */
export class OperationList {
  readonly #agent: string;
  readonly #clock: Clock;
  #parent: OperationList | undefined;
  readonly #stillRunning: StillRunning;
  readonly #events: EventHub;
  readonly #turnId: number;
  /** How many have started. */
  starts = 0;
  /** Counts the operations that somebody watches. */
  #watched = 0;
  #running = 0;
  #keep = false;
  /** In the order of their start; what ends before a stop is asked for is forgotten. */
  readonly #rows: CompactingList<Operation> = new CompactingList(
    (operation) => (operation.outcome !== undefined && !this.#keep) || this.#detached?.has(operation) === true,
  );
  #idle: (() => void)[] | undefined;
  #callers: (() => void)[] | undefined;
  /** What left the list while it was running. */
  #detached: Set<Operation> | undefined;

  constructor(
    { name, clock, stillRunning, events }: OperationsOwner,
    turnId: number,
    parent: OperationList | undefined,
  ) {
    this.#agent = name;
    this.#clock = clock;
    this.#parent = parent;
    this.#stillRunning = stillRunning;
    this.#events = events;
    this.#turnId = turnId;
  }

  start(kind: string, name: string): Operation {
    const operation = createOperation(kind, name, this.#agent);
    this.#started(operation);
    if (this.#events.watchesOperations) {
      const operationId =
        (operation.id = `${this.#events.instanceId}/${String(this.#turnId)}/${String(++this.#watched)}`);
      const turnId = this.#turnId;
      this.#events.emitOperation({ type: 'operation-started', turnId, operationId, operationKind: kind, name });
    }
    return operation;
  }

  /** The first outcome counts, here and in the lists above. */
  end(operation: Operation, outcome: OperationOutcome): void {
    if (operation.outcome !== undefined) return;
    operation.outcome = outcome;
    this.#ended(operation);
    this.#sayEnded(operation, outcome);
  }

  /** It is not waited for any more, and still runs; `source` is how a kill reaches it. */
  giveUp(operation: Operation, source?: Source): void {
    if (operation.outcome !== undefined) return;
    this.#stillRunning.add(operation, source);
    this.end(operation, 'abandoned');
  }

  /** Adds a row for something that an operation says it left behind, and that nobody can wait for; it may have one. */
  leftBehind(name: string): void {
    const isNamed = this.list().some((row) => row.name === name && row.outcome === 'abandoned');
    if (!isNamed) this.end(this.start('work', name), 'abandoned');
  }

  /** Its token was cancelled, or the turn that it stands for was told to stop. */
  stopping({ id: operationId, outcome }: Operation, reason: CancelReason): void {
    if (operationId === undefined || outcome !== undefined) return;
    this.#events.emitOperation({ type: 'operation-stopping', turnId: this.#turnId, operationId, reason });
  }

  #sayEnded({ id: operationId }: Operation, outcome: OperationOutcome, isLate = false): void {
    if (operationId === undefined) return;
    const ended = { type: 'operation-ended', turnId: this.#turnId, operationId, outcome } as const;
    this.#events.emitOperation(isLate ? { ...ended, isLate } : ended);
  }

  /** What was given up has ended after all. */
  endedLate(operation: Operation, outcome: OperationOutcome): void {
    if (operation.outcome === 'abandoned') {
      operation.outcome = outcome;
      this.#sayEnded(operation, outcome, true);
    }
    this.#stillRunning.ended(operation);
  }

  /** Adds a row for something that was refused. */
  refuse(kind: string, name: string): void {
    this.end(this.start(kind, name), 'not-started');
  }

  /** Counts something without a row: a batch that still has calls to answer. */
  enter(): void {
    this.#running++;
    if (this.#parent !== undefined) this.#parent.enter();
  }

  /** The other half of `enter`. */
  leave(): void {
    this.#oneLess();
    if (this.#parent !== undefined) this.#parent.leave();
  }

  /** Nobody above waits for what runs here any more. */
  detach(): void {
    const running = this.#rows.list().filter(({ outcome }) => outcome === undefined);
    for (let above = this.#parent; above !== undefined; above = above.#parent) {
      above.#detached = new Set([...(above.#detached ?? []), ...running]);
      above.#running -= this.#running - 1;
      above.#oneLess();
    }
    this.#parent = undefined;
  }

  /** From here on what ends is kept for the report. */
  keep(): void {
    this.#rows.forget();
    this.#keep = true;
  }

  /** Whether nothing runs. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** Resolves when nothing runs; at once if nothing does. */
  whenIdle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      (this.#idle ??= []).push(resolve);
    });
  }

  /** Resolves when nothing runs but those who wait for it: the one given, the body of the turn, and others like it. */
  whenOthersEnded(caller: Operation | undefined): Promise<void> {
    if (caller !== undefined) caller.isCaller = true;
    return new Promise((resolve) => {
      (this.#callers ??= []).push(resolve);
      this.#tellCallers();
    });
  }

  /** What runs now; once `keep` was called, also what has ended since. */
  list(): readonly Operation[] {
    return this.#rows.list();
  }

  #tellCallers(): void {
    if (this.#rows.list().some(({ outcome, isCaller }) => outcome === undefined && !isCaller)) return;
    const callers = this.#callers ?? [];
    this.#callers = undefined;
    for (const resolve of callers) resolve();
  }

  #started(operation: Operation): void {
    this.#rows.add(operation);
    this.starts++;
    this.#running++;
    if (this.#parent !== undefined) this.#parent.#started(operation);
  }

  #ended(operation: Operation): void {
    // Only a report asks when; most operations end in no report.
    if (this.#keep) operation.endedAt ??= this.#clock.now();
    else this.#rows.ended();
    this.#oneLess();
    if (this.#parent !== undefined) this.#parent.#ended(operation);
  }

  #oneLess(): void {
    if (this.#callers !== undefined) this.#tellCallers();
    if (--this.#running > 0 || this.#idle === undefined) return;
    const idle = this.#idle;
    this.#idle = undefined;
    for (const resolve of idle) resolve();
  }
}

/** An operation that has just started. */
export function createOperation(kind: string, name: string, agent: string): Operation {
  return { kind, name, agent, outcome: undefined, endedAt: undefined, isCaller: false, id: undefined };
}
