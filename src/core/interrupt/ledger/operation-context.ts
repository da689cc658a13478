/**
 * What the context of a model call and that of a tool call have in common: the members of work, and a way to stop the
 * turn.
 *
 * @module
 */
import type { CancelReasonLike } from '../../foundation/reason.ts';
import type { CancelContext, WorkContext } from '../../combinators/engine/work-context.ts';
import type { MemberTable } from '../../combinators/engine/lazy-members.ts';
import type { StopReceipt } from '../public-types/stop-report.ts';

/** Stops the turn that a piece of work is part of. */
export type CancelTurn = (reason?: CancelReasonLike) => StopReceipt;

/** What a context needs of its operation. */
export interface OperationHost<O = unknown> {
  /** The call that it is. */
  readonly owner: O;
  readonly work: WorkContext;
  readonly cancelTurn: CancelTurn;
}

/** The members of both contexts. */
export const operationMembers: MemberTable<OperationHost, CancelContext & { readonly cancelTurn: CancelTurn }> = {
  token: ({ work }) => work.token,
  signal: ({ work }) => work.signal,
  graceToken: ({ work }) => work.graceToken,
  checkpoint: ({ work }) => work.checkpoint,
  progress: ({ work }) => work.progress,
  commit: ({ work }) => work.commit,
  cancelTurn: ({ cancelTurn }) => cancelTurn,
};
