/**
 * One model call or tool call of a turn while it runs: its row in the report, its grace, and its own way to stop the
 * turn.
 *
 * Nobody can see who awaits a promise, so a stop of the turn from within is bound to the operation that asks: its report
 * waits for every other operation, and calls this one the `caller`.
 *
 * Invariants: nobody waits for a caller, so that two of them do not wait for each other; while the others unwind, a
 * caller is not given up.
 *
 * @module
 */
import type { Committed } from '../../combinators/engine/commits.ts';
import { runNested } from '../../combinators/engine/nesting.ts';
import { Work, type WorkOwner, type WorkSettings } from '../../combinators/engine/work.ts';
import type { LateOutcome, Outcome } from '../../combinators/outcome.ts';
import type { CancelReason, CancelReasonLike } from '../../foundation/reason.ts';
import type { Source } from '../../token/source.ts';
import type { StopReceipt } from '../public-types/stop-report.ts';
import type { CancelTurn, OperationHost } from './operation-context.ts';
import type { Operation, OperationList } from '../ledger/operation-list.ts';

/** What the work of an operation came to besides its outcome. */
export interface EndedOperation {
  readonly committed: Committed | undefined;
  readonly stoppedAt: number | undefined;
  /** Whether it was called: who heard of its start may have stopped it. */
  readonly hasBegun: boolean;
}

/** What an operation is called, what it does, and what becomes of it. */
export interface OperationOwner<T> {
  /** What it is called in reports. */
  readonly rowKind: string;
  readonly name: string;
  readonly source: Source;
  readonly settings: WorkSettings;
  readonly endsWithValue?: boolean;
  work(host: OperationHost): T | PromiseLike<T>;
  /** The token was cancelled, and the work is about to hear of it. */
  stopping?(reason: CancelReason): void;
  /** Ends the row; never called before `runOperation` has returned. */
  ended(outcome: Outcome<T>, operation: Operation, ended: EndedOperation): void;
  /** Work that had been given up has ended after all; ends the row. */
  endedLate(outcome: LateOutcome<T>, operation: Operation): void;
}

/** The turn that it is part of. */
export interface TurnOfOperation {
  readonly operations: OperationList;
  /** Stops the turn by one of its operations, which waits for the report of the others. */
  cancelFrom(reason: CancelReasonLike | undefined, caller?: Operation): StopReceipt;
}

/** Starts it now; returns its row. */
export function runOperation<T>(turn: TurnOfOperation, owner: OperationOwner<T>): Operation {
  const running = new RunningOperation(turn, owner);
  running.start();
  return running.row;
}

/** Stands between the engine and the ledger; made for every call, so that one object serves both. */
class RunningOperation<T> implements WorkOwner<T>, OperationHost {
  readonly owner: OperationOwner<T>;
  readonly name: string;
  readonly settings: WorkSettings;
  readonly endsWithValue: boolean | undefined;
  readonly row: Operation;
  readonly #turn: TurnOfOperation;
  readonly work: Work<T>;
  #isStarting = true;
  #cancelTurn: CancelTurn | undefined;

  constructor(turn: TurnOfOperation, owner: OperationOwner<T>) {
    this.#turn = turn;
    this.owner = owner;
    this.name = owner.name;
    this.settings = owner.settings;
    this.endsWithValue = owner.endsWithValue;
    this.row = turn.operations.start(owner.rowKind, owner.name);
    this.work = new Work<T>(owner.source, this);
  }

  start(): void {
    this.work.run(begin<T>, this);
    this.#isStarting = false;
  }

  get cancelTurn(): CancelTurn {
    return (this.#cancelTurn ??= (reason) => {
      // Held like a commit: the others may use up every grace there is, and it still has to return.
      this.work.enterWait();
      const receipt = this.#turn.cancelFrom(reason, this.row);
      void receipt.settled.then(() => {
        if (this.row.outcome === undefined) this.work.leaveWait();
      });
      return receipt;
    });
  }

  done(outcome: Outcome<T>): void {
    if (this.#isStarting) {
      later(() => {
        this.owner.ended(outcome, this.row, this.work);
      });
    } else this.owner.ended(outcome, this.row, this.work);
  }

  endedLate(outcome: LateOutcome<T>): void {
    this.owner.endedLate(outcome, this.row);
  }

  stopping(reason: CancelReason): void {
    this.#turn.operations.stopping(this.row, reason);
    this.owner.stopping?.(reason);
  }
}

function begin<T>(running: RunningOperation<T>): T | PromiseLike<T> {
  return runNested(work<T>, running);
}

function work<T>(running: RunningOperation<T>): T | PromiseLike<T> {
  return running.owner.work(running);
}

/** After the reactions to what has just started, and before what starts next. */
export function later(fn: () => void): void {
  void Promise.resolve().then(fn);
}
