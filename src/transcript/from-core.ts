/**
 * The words of the core that this room reads.
 * The one place where it imports them: types of reports, and nothing that runs.
 *
 * @module
 */
export type { CancelReason } from '../core/foundation/reason.ts';
export type { CancelKind } from '../core/foundation/cancel-kind.ts';
export type { InterruptController } from '../core/interrupt/controller.ts';
export type { ModelContext } from '../core/interrupt/calls/model-context.ts';
export type { RunTurnOptions } from '../core/interrupt/public-types/agent-options.ts';
export type { ModelOptions } from '../core/interrupt/public-types/call-options.ts';
export type { Interjection } from '../core/interrupt/public-types/messages.ts';
export type { Turn } from '../core/interrupt/public-types/turn.ts';
export type { LoopRecorder, RecordedReply, ToldResult } from '../core/interrupt/messages/loop-recorder.ts';
export type { TurnReport } from '../core/interrupt/public-types/turn-report.ts';
export type {
  LateToolOutcome,
  ModelOutcome,
  ToolOutcome,
  ToolStatus,
} from '../core/interrupt/public-types/outcomes.ts';
