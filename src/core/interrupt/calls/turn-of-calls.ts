/**
 * What calls need of the turn that they are part of, and the turn of its calls. Interfaces, so that a call can be read
 * without the turn, and a turn without its calls.
 *
 * @module
 */
import type { CancelReason } from '../../foundation/reason.ts';
import type { LateOutcome, Outcome } from '../../combinators/outcome.ts';
import type { Source } from '../../token/source.ts';
import type { TurnMessages } from '../messages/turn-messages.ts';
import type { InterruptEventBody } from '../public-types/events.ts';
import type { OperationOutcome } from '../public-types/stop-report.ts';
import type { Refusals } from '../stops/refusal-pacing.ts';
import type { BudgetWatch } from '../turn/budget.ts';
import type { IdlePauses } from '../turn/idle-pauses.ts';
import type { CompactingList } from '../ledger/compacting-list.ts';
import type { Operation } from '../ledger/operation-list.ts';
import type { TurnOfOperation } from './run-operation.ts';
import type { TurnOfTracked } from '../ledger/tracked-work.ts';

/** The turn, as a model call and a tool call need it. */
export interface TurnOfCalls extends TurnOfOperation, TurnOfTracked {
  readonly id: number;
  readonly agent: AgentOfCalls;
  readonly queue: TurnMessages;
  readonly open: CompactingList<OpenWork>;
  readonly budget: BudgetWatch | undefined;
  readonly idlePauses: IdlePauses;
  readonly refusals: Refusals;
  /** Why nothing may start now, if so. */
  refusal(kind: 'model' | 'tool', name: string): CancelReason | undefined;
  /** Ends the turn if its budget refused a start for good. */
  endIfExhausted(): Promise<void>;
}

/** Its agent. */
export interface AgentOfCalls {
  readonly name: string;
  readonly graceMs: number;
  emit(event: InterruptEventBody): void;
}

/** What runs in a turn, or waits for its place in a batch. */
export type OpenWork = OpenModelCall | OpenToolCall;

/** A model call, or its pause between two attempts. */
export interface OpenModelCall {
  readonly kind: 'model' | 'pause';
  readonly source: Source;
  readonly isOver: boolean;
  readonly isCutByMessage: boolean;
}

/** A tool call that has no outcome yet. */
export interface OpenToolCall {
  readonly kind: 'tool';
  readonly id: string;
  readonly name: string;
  /** What the report calls its row. */
  readonly rowKind: string;
  readonly source: Source;
  readonly isOver: boolean;
  readonly isCutByMessage: boolean;
  /** Resolves when the call has its outcome. */
  whenDone(): Promise<OperationOutcome>;
  readonly hasLeftTurn: boolean;
  readonly canDetach: boolean;
  /** Its work goes on in the background: a stop of the turn reaches it no more. */
  leaveTurn(background: BackgroundOfCall): void;
  /** Answers the call, which has left its turn. */
  answerDetached(): void;
}

/** A call that has left its turn, as a piece of background work. */
export interface BackgroundOfCall {
  /** It ends, and something that it started goes on. */
  leftBehind(operation: Operation): void;
  ended(outcome: Outcome<unknown>): void;
  endedLate(outcome: LateOutcome<unknown>): void;
}
