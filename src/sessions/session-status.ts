/**
 * What is known of a session without touching it.
 *
 * @module
 */
import type { CancelReason } from '../core/foundation/reason.ts';
import type { StopStatus } from './stop-bus.ts';

/**
 * Whether somebody hosts a session: `absent` nobody does, as far as is known · `open` somebody does · `silent` somebody
 * does whose lease has lapsed: dead, or cut off · `closed` it has ended · `unknown` nobody can say.
 *
 * @since 0.1.0
 */
export type SessionState = 'absent' | 'open' | 'silent' | 'closed' | 'unknown';

/**
 * What is known of a session, from whichever process one looks.
 *
 * @since 0.1.0
 */
export interface SessionStatus {
  readonly sessionId: string;
  readonly state: SessionState;
  /** Which hosting of it, where the bus counts them. */
  readonly epoch?: number;
  /** The last stop that it was asked for, and how far that came. */
  readonly stop?: { readonly status: StopStatus; readonly reason: CancelReason };
}
