/**
 * One model call or tool call of a turn while it runs: its row in the report, its grace, and its own way to stop the turn.
 * In the interrupt room below the model and tool calls.
 *
 * Nobody can see who awaits a promise, so a stop of the turn from within is bound to the operation that asks: its report
 * waits for everybody else, and calls the operation the `caller`.
 *
 * Invariants: nobody waits for a caller, so that two of them do not wait for each other; while the others unwind, a
 * caller is not left behind.
 *
 * @module
 */
import type { ContextHost } from '../combinators/context.ts';
import type { Outcome } from '../combinators/settle.ts';
import { Work, type WorkSettings } from '../combinators/work.ts';
import type { CancelReasonInit } from '../foundation/reason.ts';
import type { Source } from '../token/source.ts';
import type { Operation } from './report.ts';
import type { StopReceipt } from './turn-report.ts';
import type { TurnState } from './turn-state.ts';

/** Stops the turn that a piece of work is part of. */
export type CancelTurn = (reason?: CancelReasonInit | string) => StopReceipt;

/** What an operation is called, what it does, and what becomes of it. */
export interface OperationOwner<T> {
  readonly kind: 'model' | 'tool';
  readonly name: string;
  readonly source: Source;
  readonly graceMs: number;
  run(host: ContextHost, cancelTurn: CancelTurn): T | PromiseLike<T>;
  /** Ends the row; never called in the same go as `run`. */
  settled(outcome: Outcome<T>, operation: Operation): void;
}

/** Starts it now. */
export function runOperation<T>(turn: TurnState, owner: OperationOwner<T>): void {
  const { kind, name, source, graceMs } = owner;
  const operation = turn.operations.start(kind, name);
  let isStarting = true;
  const onLateSettle: WorkSettings<T>['onLateSettle'] = ({ status }) => {
    turn.lateSettled(name, status);
  };
  const work = new Work<T>(source, { settle: 'wait', graceMs, idleMs: Infinity, name, onLateSettle }, (outcome) => {
    if (isStarting) {
      later(() => {
        owner.settled(outcome, operation);
      });
    } else owner.settled(outcome, operation);
  });
  const cancelTurn: CancelTurn = (init) => {
    // Held like a commit: the others may use up every grace there is, and it still has to return.
    work.enterCommit();
    const receipt = turn.host.cancelFrom(turn, init, operation);
    void receipt.settled.then(() => {
      if (operation.outcome === undefined) work.leaveCommit(undefined);
    });
    return receipt;
  };
  work.run((host) => owner.run(host, cancelTurn), itself);
  isStarting = false;
}

/** An operation makes its context itself. */
function itself(host: ContextHost): ContextHost {
  return host;
}

/** After whatever reacts to what has just started, and before what starts next. */
export function later(fn: () => void): void {
  void Promise.resolve().then(fn);
}
