/**
 * The front door: every core symbol by name, grouped by room. Loads no dependency.
 *
 * @module desist
 */
export type { Clock } from './core/foundation/clock.ts';
export type { Releasable } from './core/foundation/disposable.ts';
export { type AbandonedWork } from './core/foundation/results/abandoned-work.ts';
export { CancelledError, DeadlineExceededError } from './core/foundation/errors.ts';
export type { CancelReason, CancelReasonInit, CancelReasonLike } from './core/foundation/reason.ts';
export { type CancelKind } from './core/foundation/cancel-kind.ts';
export { classify, isCancellation, type Classification } from './core/foundation/classify/classify.ts';
export { CancellationToken } from './core/token/cancellation-token.ts';
export type { TokenLike } from './core/token/cancellation-token.ts';
export {
  CancellationTokenSource,
  type CancellationTokenSourceOptions,
} from './core/token/cancellation-token-source.ts';
export type { CancelGuard } from './core/token/cancellation-token-source.ts';
export type { CancelOptions } from './core/token/source.ts';
export type { ChildOptions } from './core/token/configure.ts';
export type { Registration } from './core/token/tree/listeners.ts';
export { checkpoint, yieldCheckpoint } from './core/combinators/checkpoint.ts';
export type { CancelContext } from './core/combinators/engine/work-context.ts';
export { delay } from './core/combinators/delay.ts';
export { pollUntil, type PollUntilOptions } from './core/combinators/poll.ts';
export { raceCancellation, type RaceCancellationOptions } from './core/combinators/race.ts';
export type { LateOutcome, Outcome } from './core/combinators/outcome.ts';
export {
  runUntilCancelled,
  withCancellation,
  type WithCancellationOptions,
} from './core/combinators/with-cancellation.ts';
export { moveOnAfter } from './core/combinators/move-on-after.ts';
export { retry, type RetryOptions } from './core/combinators/retry.ts';
export { scope, type ScopeContext, type ScopeOptions } from './core/combinators/scope.ts';
export { shield, type ShieldOptions } from './core/combinators/shield.ts';
export { InterruptController } from './core/interrupt/controller.ts';
export type { Responder } from './core/interrupt/calls/approvals.ts';
export type { Continuation, ModelContext } from './core/interrupt/calls/model-context.ts';
export type { Controller } from './core/interrupt/public-types/controller.ts';
export type { ToolContext, Waited } from './core/interrupt/public-types/tool-context.ts';
export type { TrackedOperation } from './core/interrupt/ledger/tracked-work.ts';
export {
  PRIORITY_INSTRUCTION,
  interruptedLine,
  interruptedNote,
  lateNote,
  priorityMessage,
} from './core/interrupt/messages/model-notes.ts';
export type { TurnBudget } from './core/interrupt/turn/budget.ts';
export type { Turn } from './core/interrupt/public-types/turn.ts';
export type {
  AgentSnapshot,
  Background,
  BackgroundOptions,
  InterruptControllerOptions,
  Interruption,
  RunTurnOptions,
  SubagentOptions,
  TurnTicket,
} from './core/interrupt/public-types/agent-options.ts';
export type { EventOptions, InterruptEvent } from './core/interrupt/public-types/events.ts';
export type { Delivery, Interjection } from './core/interrupt/public-types/messages.ts';
export type {
  LateToolOutcome,
  ModelOutcome,
  PartialOutput,
  ToolOutcome,
  ToolStatus,
} from './core/interrupt/public-types/outcomes.ts';
export type {
  OperationOutcome,
  OperationRow,
  StopReceipt,
  StopReport,
} from './core/interrupt/public-types/stop-report.ts';
export type { TurnReport } from './core/interrupt/public-types/turn-report.ts';
