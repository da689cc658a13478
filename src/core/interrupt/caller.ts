/**
 * An operation that stops its own turn, and waits for the rest of it.
 * In the interrupt room below the model and tool calls. Nobody can see who awaits a promise, so the stop is bound to the
 * operation that asks: its report waits for everybody else, and calls the operation the `caller`.
 *
 * Invariants: nobody waits for a caller, so that two of them do not wait for each other; while the others unwind, a
 * caller is not left behind.
 *
 * @module
 */
import type { ContextHost } from '../combinators/context.ts';
import type { CancelReasonInit } from '../foundation/reason.ts';
import type { Operation } from './report.ts';
import type { StopReceipt } from './turn-report.ts';
import type { TurnState } from './turn-state.ts';

/** Stops the turn that a piece of work is part of. */
export type CancelTurn = (reason?: CancelReasonInit | string) => StopReceipt;

/** The stop that is bound to one running operation. */
export function cancelTurnFrom(
  turn: TurnState,
  work: Pick<ContextHost, 'enterCommit' | 'leaveCommit'>,
  operation: Operation,
): CancelTurn {
  return (init) => {
    // Held like a commit: the others may use up every grace there is, and it still has to return.
    work.enterCommit();
    const receipt = turn.host.cancelFrom(turn, init, operation);
    void receipt.settled.then(() => {
      if (operation.outcome === undefined) work.leaveCommit(undefined);
    });
    return receipt;
  };
}
