/**
 * How a stop finds the process that hosts a session: a port.
 *
 * @module
 */
import type { OptionsOnly } from '../core/foundation/check.ts';
import type { Releasable } from '../core/foundation/disposable.ts';
import type { CancelReason } from '../core/foundation/reason.ts';
import type { StopReport } from '../core/interrupt/public-types/stop-report.ts';
import type { SessionStatus } from './session-status.ts';

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
  /** `kill` ends graces at once; `cancel` if it is left out. */
  readonly level?: 'cancel' | 'kill' | undefined;
  /** One hosting of the session, as a receipt named it, and no later one but a retry of what this has stopped. */
  readonly epoch?: number | undefined;
}

/**
 * What is known of a stop: `pending` nobody hosts the session yet · `requested` it was handed over · `observed` its host
 * has it: what runs was told, and for what is still to come it is kept · `settled` everything that it was for has ended, was
 * left behind or will not begin, or it has missed that · `runner-dead` whoever was to end it is gone · `superseded` another
 * hosting of the session has taken its place, and the stop is not for that one · `refused` too many stops of single turns wait
 * already, and it is not kept: a stop of everything is · `unconfirmed` nobody can say. Where so many wait that one finds no place of its
 * own, it joins one of the same work, or takes its place: both then have one status.
 *
 * @since 0.1.0
 */
export type StopStatus =
  | 'pending'
  | 'requested'
  | 'observed'
  | 'settled'
  | 'runner-dead'
  | 'superseded'
  | 'refused'
  | 'unconfirmed';

/**
 * How far a stop came, and what it came to.
 *
 * @since 0.1.0
 */
export interface StopOutcome {
  readonly status: StopStatus;
  /** With `settled`, where the host could tell. */
  readonly report?: StopReport | undefined;
}

/**
 * A stop that was handed to a bus.
 *
 * @since 0.1.0
 */
export interface StopProgress {
  /** The last that is known. */
  readonly status: StopStatus;
  /** The reason that counts, where another stop of the same work came first. */
  readonly reason?: CancelReason | undefined;
  /** Which hosting of the session `status` is of, where the bus counts them: one that took over from another has its stops. */
  readonly epoch?: number | undefined;
  /**
   * Waits until the stop has come this far, or cannot come further; left out where no more will be known.
   *
   * @param phase How far.
   * @param timeoutMs Milliseconds to wait at most.
   * @returns The last that is known by then.
   */
  readonly until?: ((phase: 'observed' | 'settled', timeoutMs: number) => Promise<StopOutcome>) | undefined;
}

/**
 * What a host does for the bus.
 *
 * @since 0.1.0
 */
export interface SessionHost {
  /**
   * A stop has arrived. The work is told inside the call; the promise is its report. For something that is still to come
   * that is there when it has come and will not begin, or when the stop is kept no more.
   *
   * @param request The stop.
   * @param early `undefined` for one that came in time; for one that came before the session was ready, for how many
   * milliseconds more it is for what starts first.
   */
  deliver(request: StopRequest, early: EarlyStop | undefined): Promise<StopReport>;
  /**
   * Why a person has stopped the last that the session was given to do, asked when a stop of everything, or of this turn, was just
   * delivered: another one of theirs may have come first. A stop of a turn is then for the next attempt too, should this process die
   * before that has ended. `undefined` where nobody has, and where this is left out.
   */
  holds?(turnId: number | undefined): CancelReason | undefined;
  /**
   * How many turns the session was given so far. What stopped an attempt that may be tried again is for the next one too, unless more
   * was given after it; always, where this is left out.
   */
  given?(): number;
  /** Another process hosts the session now: what runs here is to end, and no stop will reach it any more. */
  superseded?(): void;
}

/**
 * That a stop came before its session was ready.
 *
 * @since 0.1.0
 */
export interface EarlyStop {
  /** Milliseconds for which it is still for what starts first. */
  readonly remainingMs: number;
}

/**
 * How a hosting ends.
 *
 * @since 0.1.0
 */
export interface EndOfHosting extends OptionsOnly {
  /** Stops are delivered until this settles, or somebody hosts the session anew, and then it has ended; at once by default. */
  readonly after?: Promise<unknown> | undefined;
  /** The work may be tried again: a stop that reached this attempt is for the next one too. */
  readonly willRetry?: boolean | undefined;
  /** Why it ends, for whoever works for the session elsewhere; kind `shutdown` by default, and nobody is told before a retry. */
  readonly reason?: CancelReason | undefined;
}

/**
 * The right to host a session.
 *
 * @since 0.1.0
 */
export interface Hosting extends Releasable {
  /**
   * A person has stopped the session by another way than the bus: as a stop by its id does, that holds for the next attempt. Told
   * when it happens, so that an attempt which begins meanwhile finds it. Left out where nothing is kept for a next attempt.
   */
  hold?(reason: CancelReason): void;
  /**
   * The process that hosts the session has stopped everything in it by itself: whoever works for it elsewhere is told. Left out where
   * nobody does.
   *
   * @param stop With which reason, and how hard.
   * @param report What it comes to here.
   * @returns Whether they have all ended; `false` if nobody can say in time.
   */
  tell?(stop: Pick<StopRequest, 'reason' | 'level'>, report: Promise<StopReport>): Promise<boolean>;
  /** Gives the session up: it can be hosted anew, and once it has ended nothing is delivered. */
  release(end?: EndOfHosting): void;
  /**
   * Waits until every stop that came before has been delivered; left out where that is so from the start.
   *
   * @returns `false` if nobody can say.
   */
  claimed?(): Promise<boolean>;
  /**
   * Waits, once it was released, until whoever looks from elsewhere finds that it has ended; left out where that is so at once.
   *
   * @param timeoutMs Milliseconds to wait at most; as long as the bus waits for any confirmation, by default.
   * @returns `false` if nobody can say.
   */
  ended?(timeoutMs?: number): Promise<boolean>;
}

/**
 * How a session is hosted.
 *
 * @since 0.1.0
 */
export interface HostingOptions {
  /** Its work is wanted again: stops that were asked for before are not for it. */
  readonly again?: boolean | undefined;
  /** The groups that a stop of all their sessions may name. */
  readonly groups?: readonly string[] | undefined;
}

/**
 * The stops that a stop of a group became.
 *
 * @since 0.1.0
 */
export interface GroupProgress {
  /** Whether these are all: the bus could say whom the group has. Otherwise they are at least those of this process. */
  readonly isComplete: boolean;
  /** One for each hosting that is meant; rejects where nobody can say how far it came. */
  readonly stops: readonly { readonly sessionId: string; readonly progress: Promise<StopProgress> }[];
}

/**
 * Takes a request to whoever hosts the session.
 *
 * @since 0.1.0
 */
export interface StopBus {
  /**
   * From now on this process hosts the session. Requests that came before are delivered as early ones.
   *
   * @throws TypeError – hosted already, where the bus allows one host only.
   */
  host(sessionId: string, host: SessionHost, options?: HostingOptions): Hosting;
  /**
   * Hands a request on, without waiting for the work.
   *
   * @returns How far it came at once; rejects if nobody can say.
   */
  request(request: StopRequest): Promise<StopProgress>;
  /**
   * Hands a stop on to every session of a group: those that are hosted, or wait to be tried again, when the bus is asked.
   * Left out where the bus keeps no groups.
   *
   * @returns The stops, once it is known whom they are for.
   */
  requestGroup?(group: string, request: Pick<StopRequest, 'reason' | 'level'>): Promise<GroupProgress>;
  /**
   * Looks at a session and touches nothing; left out where the bus cannot.
   *
   * @returns What is known; rejects if nobody can say.
   */
  look?(sessionId: string): Promise<SessionStatus>;
}
