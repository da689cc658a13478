/**
 * How a stop finds the process that hosts a session: a port.
 *
 * @module
 */
import type { Releasable } from '../core/foundation/disposable.ts';
import type { CancelReason } from '../core/foundation/reason.ts';
import type { StopReport } from '../core/interrupt/public-types/stop-report.ts';

/**
 * A stop on its way to a session.
 *
 * @since 0.1.0
 */
export interface StopRequest {
  readonly sessionId: string;
  readonly reason: CancelReason;
  /** One turn; without it everything that the session has accepted when the request arrives. */
  readonly turnId?: number | undefined;
}

/**
 * What is known of a stop: `pending` nobody hosts the session yet · `requested` it was handed over · `observed` its work
 * was told · `settled` everything has ended or was left behind · `runner-dead` whoever hosted it is gone · `superseded`
 * another hosting of the session has taken its place · `unconfirmed` nobody can say.
 *
 * @since 0.1.0
 */
export type StopStatus =
  'pending' | 'requested' | 'observed' | 'settled' | 'runner-dead' | 'superseded' | 'unconfirmed';

/**
 * Takes a request to whoever hosts the session.
 *
 * @since 0.1.0
 */
export interface StopBus {
  /**
   * From now on this process hosts the session. Requests that came before are delivered at once, with `isEarly`.
   *
   * @returns Ends it.
   */
  host(sessionId: string, deliver: (request: StopRequest, isEarly: boolean) => Promise<StopReport>): Releasable;
  /**
   * Hands a request on, without waiting for the work.
   *
   * @returns How far it came at once, and the report once there is one; rejects if nobody can say.
   */
  request(request: StopRequest): Promise<{ readonly status: StopStatus; readonly settled?: Promise<StopReport> }>;
}
