/**
 * The front door: every core symbol by name, grouped by room. Loads no dependency.
 *
 * @module
 */
export { systemClock, type Clock, type TimerOptions } from './core/foundation/clock.ts';
export type { Releasable } from './core/foundation/disposable.ts';
export {
  CancelledError,
  DeadlineExceededError,
  isCancelledError,
  isDeadlineExceededError,
  type CancelledErrorOptions,
} from './core/foundation/errors.ts';
export {
  createReason,
  isCancelReason,
  neutralReasonText,
  reasonFromJSON,
  reasonToJSON,
  type CancelKind,
  type CancelReason,
  type CancelReasonInit,
  type CancelReasonJSON,
} from './core/foundation/reason.ts';
export { classify, isCancellation, type CancelState, type Classification } from './core/foundation/classify.ts';
export type {
  CancelGuard,
  CancelOptions,
  // Reachable by name, so that a user's declaration file can say what it inferred.
  CancellationToken as CancellationTokenHandle,
  CancellationTokenSource as CancellationTokenSourceHandle,
  ChildOptions,
  Registration,
  TokenLike,
} from './core/token/handles.ts';
export type { CancellationTokenSourceOptions } from './core/token/handles.ts';
export {
  CancellationToken,
  CancellationTokenSource,
  type CancellationTokenSourceConstructor,
  type CancellationTokenStatics,
} from './core/token/token.ts';
export { checkpoint, withCheckpoints, yieldCheckpoint } from './core/combinators/checkpoint.ts';
export type { CancelContext } from './core/combinators/context.ts';
export { delay } from './core/combinators/delay.ts';
export { pollUntil, type NotYet, type PollUntilOptions } from './core/combinators/poll.ts';
export { raceCancellation, type RaceCancellationOptions } from './core/combinators/race.ts';
export type { LateOutcome, Outcome } from './core/combinators/settle.ts';
export {
  runUntilCancelled,
  withCancellation,
  type CancellableWork,
  type WithCancellationOptions,
} from './core/combinators/with-cancellation.ts';
export type { SettlePolicy } from './core/combinators/work.ts';
export { moveOnAfter } from './core/combinators/move-on-after.ts';
export { retry, type RetryOptions } from './core/combinators/retry.ts';
export { scope, type ScopeContext, type ScopeOptions } from './core/combinators/scope.ts';
export { shield, type ShieldOptions } from './core/combinators/shield.ts';
export { InterruptController, type InterruptControllerConstructor } from './core/interrupt/interrupt-controller.ts';
export type { TurnBudget } from './core/interrupt/budget.ts';
export type { CallIdentity } from './core/interrupt/call-identity.ts';
export type { ModelOptions, ToolOptions, ToolsOptions } from './core/interrupt/call-options.ts';
export { guardTool, guardTools } from './core/interrupt/guard-tools.ts';
export type { GuardOptions } from './core/interrupt/guarded-call.ts';
export { toolContextOf } from './core/interrupt/tool-context-of.ts';
export type { InterruptEvent } from './core/interrupt/events.ts';
export type {
  Answer,
  Continuation,
  InterruptController as InterruptControllerHandle,
  ModelContext,
  ModelOutcome,
  Responder,
  ToolContext,
  TrackedOperation,
  Turn,
  Waited,
} from './core/interrupt/handles.ts';
export type { Delivery, Interjection, UndeliveredPolicy } from './core/interrupt/interjections.ts';
export type { InterruptState } from './core/interrupt/machine.ts';
export type { PartialOutput, ToolOutcome, ToolStatus } from './core/interrupt/outcomes.ts';
export type { OperationOutcome, OperationRow, StopReport } from './core/interrupt/report.ts';
export type { Execution, Session } from './core/interrupt/session.ts';
export {
  SessionRegistry,
  type DrainReport,
  type RemoteReceipt,
  type SessionCancelOptions,
  type SessionRegistryConstructor,
  type SessionRegistryOptions,
} from './core/interrupt/sessions.ts';
export { inProcessStopBus, type StopBus, type StopRequest, type StopStatus } from './core/interrupt/stop-bus.ts';
export {
  PRIORITY_INSTRUCTION,
  continuationNote,
  interruptedLine,
  interruptedNote,
  priorityMessage,
} from './core/interrupt/texts.ts';
export type {
  AgentSnapshot,
  CancelTarget,
  InterruptControllerOptions,
  Interruption,
  RunTurnOptions,
  StopReceipt,
  SubagentOptions,
  TurnReport,
  TurnTicket,
} from './core/interrupt/turn-report.ts';
