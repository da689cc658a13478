/**
 * What a route of the status of runs is made of: what can be looked at, and how.
 *
 * @module
 */
import type { CancellationToken } from '../../../core/inside.ts';
import type { SessionStatus } from '../../../sessions/session-status.ts';
import type { StopCall } from '../stop-route/exchange.ts';
import type { GatekeeperOptions } from '../stop-route/gatekeeper.ts';

/**
 * Options of `statusHandler`.
 *
 * @since 0.1.0
 */
export interface StatusHandlerOptions extends GatekeeperOptions {
  /**
   * What a page gets beside the state of a run; it is asked at every look, and what it throws goes to `onError`. `token` is
   * cancelled when nobody waits for it any more.
   */
  readonly describe?:
    | ((
        status: SessionStatus,
        token: CancellationToken,
      ) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>)
    | undefined;
  /** Milliseconds that `describe`, and the look itself, may take, before a page gets what is known without; 5,000 by default. */
  readonly describeMs?: number | undefined;
  /** Milliseconds between two looks at a run that somebody listens to; 1,000 by default. */
  readonly everyMs?: number | undefined;
  /** Milliseconds between two signs of life; 15,000 by default. */
  readonly keepAliveMs?: number | undefined;
  /** Milliseconds until a stream ends, and the browser comes again to be authorised anew; 300,000 by default. */
  readonly maxMs?: number | undefined;
  /** Streams at once in this process; 1,000 by default. */
  readonly mostStreams?: number | undefined;
  /** Whether a page of another site may ask, where the browser says so; not by default. */
  readonly allowCrossSite?: boolean | undefined;
  /** Who asks, before anybody is authorised: what floods is refused without asking `authorize`, up to 50 times a request. */
  readonly callerOf?: ((request: StopCall) => string | undefined) | undefined;
  /** Streams that one caller begins in `perMs`; 60 by default. */
  readonly perCaller?: number | undefined;
  /** Milliseconds for that; 10,000 by default. */
  readonly perMs?: number | undefined;
}

/**
 * What can be looked at by id: a `SessionRegistry`, a remote bus, or anything that does so likewise.
 *
 * @since 0.1.0
 */
export interface StatusSource {
  /** What is known of a session. */
  look(id: string): Promise<SessionStatus>;
}
