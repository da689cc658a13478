/**
 * The porch: all that an adapter, the test kit and `desist/inspect` may use of the core. What is not named here the core may
 * move or change without asking anybody.
 *
 * @module
 */

// What users have too, at the front door.
export { systemClock, type Clock } from './foundation/clock.ts';
export type { Releasable } from './foundation/disposable.ts';
export { DeadlineExceededError, isCancelledError } from './foundation/errors.ts';
export { createReason, type CancelReason, type CancelReasonInit } from './foundation/reason.ts';
export { classify } from './foundation/classify/classify.ts';
export { isCutShort, replyEnd, type ReplyEnd } from './foundation/reply-end.ts';
export type { Registration } from './token/tree/listeners.ts';
export type { TokenLike } from './token/cancellation-token.ts';
export { CancellationToken } from './token/cancellation-token.ts';
export { CancellationTokenSource } from './token/cancellation-token-source.ts';
export { delay } from './combinators/delay.ts';
export type { LateOutcome, Outcome } from './combinators/outcome.ts';
export { raceCancellation } from './combinators/race.ts';
export type { ScopeOptions } from './combinators/scope.ts';
export { runUntilCancelled, withCancellation, type WithCancellationOptions } from './combinators/with-cancellation.ts';
export type { CancellableWork } from './combinators/engine/start-work.ts';
export type { CancelContext } from './combinators/engine/work-context.ts';
export { InterruptController } from './interrupt/controller.ts';
export { interruptedLine, messageText } from './interrupt/messages/model-notes.ts';
export type { RunTurnOptions } from './interrupt/public-types/agent-options.ts';
export type { ModelContext } from './interrupt/calls/model-context.ts';
export type { ModelOptions } from './interrupt/public-types/call-options.ts';
export type { InterruptEvent } from './interrupt/public-types/events.ts';
export type { ModelOutcome } from './interrupt/public-types/outcomes.ts';
export type { Turn } from './interrupt/public-types/turn.ts';
export type { Interjection } from './interrupt/public-types/messages.ts';
export type { StopReceipt, StopReport } from './interrupt/public-types/stop-report.ts';
export type { TurnReport } from './interrupt/public-types/turn-report.ts';

// What users have not. Arguments are refused in the same words at every door.
export {
  isObject,
  isThenable,
  noOptions,
  optionalFlag,
  type OptionsOnly,
  printable,
  refuseInPlaceOf,
  requireFunction,
  requireOpener,
  requireMs,
  requireOneOf,
  requireOptions,
  requireOptionsOf,
  requireWhole,
  show,
  type OptionNames,
} from './foundation/check.ts';
export { abandonedWork } from './foundation/results/abandoned-work.ts';
export { createCancelledError, isDeadlineExceededError } from './foundation/errors.ts';
export { neutralReasonText, type JsonValue } from './foundation/reason.ts';
export { reasonFromJSON, reasonToJSON, type CancelReasonJSON } from './foundation/reason-json.ts';
export type { StandardCancelKind } from './foundation/cancel-kind.ts';
export { BaseError } from './foundation/error-base.ts';
// The token behind whatever a caller gave, its clock, its one error, and what to do with a callback of his that throws.
export { any, tokenOf } from './token/bridge/linked-tokens.ts';
export { givenUp } from './token/bridge/given-up.ts';
export { neutralReason, wireSignal } from './token/bridge/wire-signal.ts';
export { isAbortSignal } from './token/bridge/signal.ts';
export { Source } from './token/source.ts';
export { Token, childOf } from './token/token.ts';
export { callSafely, clockOf, reportCallbackError } from './token/tree/environment.ts';
export { errorOf, inherit, isCancelled } from './token/tree/state.ts';
export { listen, listenKilledThrough, listenThrough } from './token/tree/listeners.ts';
export { tellStopped } from './token/tree/owner.ts';
export { cancelIfOverdue } from './token/time/overdue.ts';
export { releaseNode, tell } from './token/tree/propagation.ts';
// The engine under the verbs, for calls of an adapter that end with an error of their own.
export { keepForBody } from './combinators/engine/body.ts';
export { isBody } from './foundation/results/live-body.ts';
export { lostNote } from './foundation/results/lost-note.ts';
export { waitAtMost } from './combinators/wait-at-most.ts';
export { defaultBackoff } from './combinators/retry.ts';
export { DEFAULT_GRACE_MS, holdGrace } from './combinators/engine/grace.ts';
export { errorFor } from './combinators/engine/limits.ts';
export { IdleWatch } from './combinators/engine/idle-watch.ts';
export { runShielded } from './combinators/engine/shielded.ts';
export { startWork, workOptions } from './combinators/engine/start-work.ts';
// What a framework's loop needs of the turn that it runs under.
export { askInTurn } from './interrupt/turn/ask-in-turn.ts';
export {
  recorderOf,
  type AnyTurn,
  type LoopRecorder,
  type RecordedReply,
  type ToldResult,
} from './interrupt/messages/loop-recorder.ts';
export { isDeclined } from './interrupt/calls/tool-context.ts';
export { notShown, shownAs } from './foundation/results/shown.ts';
export { keepWords, requireTurn, runningTool, runsTools, tokenUnder } from './interrupt/turn/turn-of-token.ts';
export type { ToolContext } from './interrupt/public-types/tool-context.ts';
