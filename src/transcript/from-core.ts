/**
 * The words of the core that this room reads.
 * The one place where it imports them: types of reports, and nothing that runs.
 *
 * @module
 */
export type { CancelReason } from '../core/foundation/reason.ts';
export type { CancelKind } from '../core/foundation/cancel-kind.ts';
export type { PartialOutput, ToolOutcome, ToolStatus } from '../core/interrupt/public-types/outcomes.ts';
