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
import { Work, type WorkSettings } from '../../combinators/engine/work.ts';
import { WorkContext, type ContextHost } from '../../combinators/engine/work-context.ts';
import type { Outcome } from '../../combinators/outcome.ts';
import type { Source } from '../../token/source.ts';
import type { TurnRun } from '../turn/turn-run.ts';
import type { CancelTurn, OperationHost } from './operation-context.ts';
import type { Operation } from './operation-list.ts';

/** What an operation is called, what it does, and what becomes of it. */
export interface OperationOwner<T> {
  readonly kind: 'model' | 'tool';
  readonly name: string;
  readonly source: Source;
  readonly graceMs: number;
  /** The grace was given on the call itself. */
  readonly isExactGrace: boolean;
  readonly isStop: ((error: unknown) => boolean) | undefined;
  work(host: OperationHost): T | PromiseLike<T>;
  /** Ends the row; never called before `runOperation` has returned. */
  settled(outcome: Outcome<T>, operation: Operation): void;
  /** Work that had been given up has ended after all. */
  endedLate(outcome: Outcome<T>, operation: Operation): void;
}

/** Starts it now; returns its row. */
export function runOperation<T>(turn: TurnRun, owner: OperationOwner<T>): Operation {
  const { kind, name, source, graceMs, isExactGrace, isStop } = owner;
  const operation = turn.operations.start(kind, name);
  let isStarting = true;
  const onLateSettle: WorkSettings<T>['onLateSettle'] = (outcome) => {
    turn.operations.endedLate(operation, outcome.status);
    owner.endedLate(outcome, operation);
  };
  const settings = { settle: 'wait', graceMs, isExactGrace, idleMs: Infinity, name, onLateSettle, isStop } as const;
  const work = new Work<T>(source, settings, (outcome) => {
    if (isStarting) {
      later(() => {
        owner.settled(outcome, operation);
      });
    } else owner.settled(outcome, operation);
  });
  const cancelTurn: CancelTurn = (reason) => {
    // Held like a commit: the others may use up every grace there is, and it still has to return.
    work.enterCommit();
    const receipt = turn.agent.cancelFrom(turn, reason, operation);
    void receipt.settled.then(() => {
      if (operation.outcome === undefined) work.leaveCommit(undefined);
    });
    return receipt;
  };
  work.run((host: ContextHost) => owner.work({ work: new WorkContext(host), cancelTurn }), itself);
  isStarting = false;
  return operation;
}

/** An operation makes its context itself. */
function itself(host: ContextHost): ContextHost {
  return host;
}

/** After the reactions to what has just started, and before what starts next. */
export function later(fn: () => void): void {
  void Promise.resolve().then(fn);
}
