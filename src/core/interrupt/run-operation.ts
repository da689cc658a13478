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
import type { CancelContext } from '../combinators/context.ts';
import type { Outcome } from '../combinators/settle.ts';
import { Work } from '../combinators/work.ts';
import type { CancelReasonInit } from '../foundation/reason.ts';
import type { Source } from '../token/source.ts';
import type { Operation } from './report.ts';
import type { StopReceipt } from './turn-report.ts';
import type { TurnState } from './turn-state.ts';

/** Stops the turn that a piece of work is part of. */
export type CancelTurn = (reason?: CancelReasonInit | string) => StopReceipt;

/** What an operation is called, and what is its own. */
export interface OperationSettings {
  readonly kind: 'model' | 'tool';
  readonly name: string;
  readonly source: Source;
  readonly graceMs: number;
}

/** Starts it now. `done` ends its row: what became of it, its owner says. */
export function runOperation<T>(
  turn: TurnState,
  { kind, name, source, graceMs }: OperationSettings,
  run: (context: CancelContext, cancelTurn: CancelTurn) => T | PromiseLike<T>,
  done: (outcome: Outcome<T>, operation: Operation) => void,
): void {
  const operation = turn.operations.start(kind, name);
  const work = new Work<T>(
    source,
    {
      settle: 'wait',
      graceMs,
      idleMs: Infinity,
      name,
      onLateSettle: ({ status }) => {
        turn.lateSettled(name, status);
      },
    },
    (outcome) => {
      done(outcome, operation);
    },
  );
  const cancelTurn: CancelTurn = (init) => {
    // Held like a commit: the others may use up every grace there is, and it still has to return.
    work.enterCommit();
    const receipt = turn.host.cancelFrom(turn, init, operation);
    void receipt.settled.then(() => {
      if (operation.outcome === undefined) work.leaveCommit(undefined);
    });
    return receipt;
  };
  work.run((context) => run(context, cancelTurn));
}
