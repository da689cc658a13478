/**
 * What the context of a model call and that of a tool call have in common: the members of work, and a way to stop the
 * turn.
 *
 * @module
 */
import type { CancelReasonLike } from '../../foundation/reason.ts';
import { workMembers, type CancelContext, type ContextHost } from '../../combinators/engine/work-context.ts';
import type { MemberTable } from '../../combinators/engine/lazy-members.ts';
import type { StopReceipt } from '../public-types/stop-report.ts';

/** Stops the turn that a piece of work is part of. */
export type CancelTurn = (reason?: CancelReasonLike) => StopReceipt;

/** What a context needs of its operation. */
export interface OperationHost<O = unknown> {
  /** The call that it is. */
  readonly owner: O;
  readonly work: ContextHost;
  readonly cancelTurn: CancelTurn;
}

/** The members of both contexts. */
export const operationMembers: MemberTable<OperationHost, CancelContext & { readonly cancelTurn: CancelTurn }> = {
  token: ({ work }) => workMembers.token(work),
  signal: ({ work }) => workMembers.signal(work),
  graceToken: ({ work }) => workMembers.graceToken(work),
  checkpoint: ({ work }) => workMembers.checkpoint(work),
  progress: ({ work }) => workMembers.progress(work),
  commit: ({ work }) => workMembers.commit(work),
  cancelTurn: ({ cancelTurn }) => cancelTurn,
};
