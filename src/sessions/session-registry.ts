/**
 * The sessions of one process: opened by id, stopped by id from anywhere, drained before the process ends.
 *
 * Invariants: a session id has one host here; a stop is never answered with more than is known.
 *
 * Prior art: ACP's `session/cancel`; Kubernetes' drain before shutdown.
 *
 * @module
 */
import { optionalFlag, requireMs, requireOptions, type OptionNames, wrongType } from '../core/foundation/check.ts';
import { requireClock, systemClock, type Clock } from '../core/foundation/clock.ts';
import type { CancelReason, CancelReasonLike } from '../core/foundation/reason.ts';
import { readCancelArgument } from '../core/interrupt/stops/cancel-argument.ts';
import { reportCallbackError } from '../core/token/tree/environment.ts';
import { never, tokenOf } from '../core/token/bridge/linked-tokens.ts';
import type { TokenLike } from '../core/token/cancellation-token.ts';
import { askGroup, askNames, askStop, readAskOptions, receiptOf, refuseOptions } from './ask-stop.ts';
import { Drain } from './drain.ts';
import { OpenSessions, type EndReport, type OpenSession } from './open-sessions.ts';
import { HostedSession, openOptions, type Session, type SessionOpenOptions } from './session.ts';
import { inProcessStopBus } from './in-process-stop-bus.ts';
import type { DrainReport, GroupReceipt, RemoteReceipt, SessionCancelOptions } from './remote-receipt.ts';
import type { Hosting, SessionHost, StopBus } from './stop-bus.ts';
import type { SessionStatus } from './session-status.ts';
import { requireGroup, requireGroups, requireId } from './session-id.ts';
import type { StopReport } from '../core/interrupt/public-types/stop-report.ts';

/**
 * Options of `new SessionRegistry()`.
 *
 * @since 0.1.0
 */
export interface SessionRegistryOptions {
  /** The way to sessions of other registries, as it was opened, and no proxy of it; this process only, by default. */
  readonly bus?: StopBus | undefined;
  readonly clock?: Clock | undefined;
  /**
   * Milliseconds that a stop for a session which nobody has opened waits for it, from the last that was asked for; 60,000 by default.
   * Of more than 10,000 sessions with such stops, the earliest are forgotten.
   */
  readonly pendingMs?: number | undefined;
}

/**
 * The sessions of one process. An id is opened where its work runs; a stop by id reaches it wherever it is, also if it
 * comes first.
 *
 * @since 0.1.0
 */
export interface SessionRegistry {
  /**
   * Hosts a session; one that is open already is given back as it is.
   *
   * @param id Names the conversation, over all processes.
   * @param options Those of its controller, whose name is the id by default; `again`: earlier stops are not for it; `groups`.
   * @returns The session.
   * @throws TypeError – not an id, an option that makes no sense, hosted by another registry of the bus, or the registry
   * drains.
   */
  open<M = string>(id: string, options?: SessionOpenOptions): Session<M>;
  /**
   * Stops a session by id, wherever it is hosted.
   *
   * @checkpoint never
   * @param id Opened or not.
   * @param reason Kind `user`, "User cancelled" if you do not say.
   * @param options One turn; how far to wait, and for how many milliseconds.
   * @returns How far it came; never rejects for what the bus or the work does.
   * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
   */
  cancel(id: string, reason?: CancelReasonLike, options?: SessionCancelOptions): Promise<RemoteReceipt>;
  /**
   * Stops every session of a group, wherever it is: those that are hosted, or wait to be tried again, when the bus is asked.
   * Nothing is kept for one that is opened later.
   *
   * @checkpoint never
   * @param group As `open` was told.
   * @param reason As for `cancel`.
   * @param options How far to wait for each, and for how many milliseconds altogether.
   * @returns A receipt for each; never rejects for what the bus or the work does.
   * @throws TypeError, RangeError – as a rejection: arguments that make no sense, or a bus that keeps no groups.
   */
  cancelGroup(
    group: string,
    reason?: CancelReasonLike,
    options?: Pick<SessionCancelOptions, 'wait' | 'level' | 'timeoutMs'>,
  ): Promise<GroupReceipt>;
  /**
   * Looks at a session, wherever it is hosted, and touches nothing.
   *
   * @param id Opened or not.
   * @returns What is known; `unknown` where the bus cannot say. Never rejects for what the bus does.
   * @throws TypeError – as a rejection: not an id.
   */
  look(id: string): Promise<SessionStatus>;
  /**
   * The forceful rung for a session that is open here, or still cleans up: graces end now.
   *
   * @param id Any other is nothing to kill.
   * @param reason Kind `user` if you do not say.
   * @returns What happened; `undefined` if it was neither.
   * @throws TypeError – as a rejection: options, which it has none of.
   */
  kill(id: string, reason?: CancelReasonLike): Promise<StopReport | undefined>;
  /**
   * Stops everything that has started in every session open here or cleaning up, and nothing that starts later, not even in this tick.
   *
   * @param reason Kind `user` if you do not say.
   * @returns One report per session, when all have settled.
   */
  cancelAll(reason?: CancelReasonLike): Promise<readonly EndReport[]>;
  /**
   * Before the process ends: nothing new starts, and what would is cancelled with kind `shutdown`; what runs has `timeoutMs` to end, the
   * rest is stopped with the same kind; then every session is closed, and the bus has written so or cannot. One that was closed before,
   * and still cleans up or is not written as ended, is one of them. A second drain is the same one: its limits count too.
   *
   * @param options `timeoutMs`: how long to let work end by itself. `token`: its cancel ends the waiting, its kill every
   * grace. `willRetry`: as for `close`, for what had to be stopped, what somebody has stopped, and what had not begun.
   * @returns Which sessions ended by themselves, and which had to be stopped or left work behind.
   * @throws TypeError, RangeError – as a rejection: a time that is none.
   */
  drain(options: {
    readonly timeoutMs: number;
    readonly token?: TokenLike | undefined;
    readonly willRetry?: boolean | undefined;
  }): Promise<DrainReport>;
  /**
   * Stops a session for good and lets go of its id. A turn that begins later is `cancelled` with the reason of that.
   * Whoever opened it closes it by `session.close()`: the id may be another attempt's by then.
   *
   * @param id One that is open here; any other is nothing to close.
   * @param reason Kind `shutdown` if you do not say.
   * @param options `willRetry`: what ran here may be tried again, as a queue does with a failed attempt. A stop by id, and a
   * person's stop of what it did last by any way, is then for the next attempt too, wherever that is opened. One of a single call
   * is not: its turn went on. Nor is one that comes from here, in the clean-up, once another process has opened the session.
   * @returns What happened, once everything has ended or was left behind; `unconfirmed` if the bus could not write that, so that to
   * others it is as if this process had died. `undefined` if it was not open here.
   */
  close(
    id: string,
    reason?: CancelReasonLike,
    options?: { readonly willRetry?: boolean | undefined },
  ): Promise<(StopReport & { readonly unconfirmed?: true }) | undefined>;
}

const registryOptions: OptionNames<SessionRegistryOptions> = { bus: 1, clock: 1, pendingMs: 1 };
const drainOptions: OptionNames<Parameters<SessionRegistry['drain']>[0]> = { timeoutMs: 1, token: 1, willRetry: 1 };
type GroupOptions = NonNullable<Parameters<SessionRegistry['cancelGroup']>[2]>;
const groupOptions: OptionNames<GroupOptions> = { wait: 1, level: 1, timeoutMs: 1 };
type CloseOptions = NonNullable<Parameters<SessionRegistry['close']>[2]>;
const closeOptions: OptionNames<CloseOptions> = { willRetry: 1 };

/** The implementation; the documentation of every member stands at its interface. */
class Registry implements SessionRegistry {
  readonly #bus: StopBus;
  readonly #clock: Clock;
  readonly #sessions = new OpenSessions();
  #drain: Drain | undefined;

  constructor(options: SessionRegistryOptions = {}) {
    requireOptions(options, registryOptions);
    const { clock = systemClock } = options;
    requireClock(clock);
    this.#clock = clock;
    const pendingMs = requireMs('pendingMs', options.pendingMs ?? 60_000, 'finite');
    this.#bus = options.bus ?? inProcessStopBus({ clock, pendingMs });
    if (typeof this.#bus.host !== 'function') throw wrongType('bus', 'a StopBus', this.#bus);
  }

  open<M>(id: string, options: SessionOpenOptions = {}): Session<M> {
    requireId(id);
    requireOptions(options, openOptions);
    const { again: isAgain, groups: given, ...own } = options;
    const [again, groups] = [optionalFlag('again', isAgain), requireGroups(given)];
    const open = this.#sessions.get(id);
    if (open !== undefined) return open.session.session as unknown as Session<M>;
    if (this.#drain !== undefined) throw new TypeError('the registry drains and opens no more sessions');
    const ready = (): Promise<boolean> => tie.claimed?.() ?? Promise.resolve(true);
    const tell: Hosting['tell'] = async (...stop) => (await tie.tell?.(...stop)) ?? true;
    const close: Session['close'] = async (...end) => (await this.#end(opened, ...end)) as EndReport;
    const session = new HostedSession(id, { name: id, clock: this.#clock, ...own }, { ready, tell, close });
    const host: SessionHost = {
      deliver: ({ reason, turnId, level }, early) => {
        // What has started meanwhile is what an early one was for.
        const isToCome = (turnId !== undefined || early !== undefined) && session.isToCome(turnId);
        const kept = isToCome ? session.keep(reason, turnId, early?.remainingMs) : undefined;
        if (turnId === undefined) session.noteStop(reason);
        const told = level === 'kill' ? session.kill(reason) : session.stop(reason, turnId);
        return kept === undefined ? told : kept.then((report) => report ?? told);
      },
      holds: (turnId) => session.heldBy(turnId),
      given: () => session.given,
      superseded: () => {
        void close({ kind: 'superseded' });
      },
    };
    const tie: Hosting = this.#bus.host(id, host, { again, groups });
    const opened: OpenSession = { session, tie };
    this.#sessions.add(opened);
    return session.session as unknown as Session<M>;
  }

  async cancel(id: string, reason?: CancelReasonLike, options: SessionCancelOptions = {}): Promise<RemoteReceipt> {
    requireId(id);
    refuseOptions(reason, askNames);
    const { turnId, level, epoch, ...limits } = readAskOptions(options);
    const request = { sessionId: id, reason: this.#reasonOf(reason), turnId, level, epoch };
    const hasRoom = turnId === undefined || this.#sessions.get(id)?.session.hasRoomFor(turnId) !== false;
    return hasRoom ? askStop(this.#bus, this.#clock, request, limits) : receiptOf(request, 'refused');
  }

  async cancelGroup(group: string, reason?: CancelReasonLike, options: GroupOptions = {}): Promise<GroupReceipt> {
    requireGroup(group);
    refuseOptions(reason, askNames);
    requireOptions(options, groupOptions);
    const request = { group, reason: this.#reasonOf(reason), level: options.level };
    return askGroup(this.#bus, this.#clock, request, readAskOptions(options));
  }

  async look(id: string): Promise<SessionStatus> {
    requireId(id);
    const isOpen = this.#sessions.get(id) !== undefined;
    try {
      const seen = await this.#bus.look?.(id);
      if (seen !== undefined) return seen;
    } catch {
      // An engine that does not answer takes nothing from what is known here.
    }
    return { sessionId: id, state: isOpen ? 'open' : 'unknown' };
  }

  #reasonOf(reason: CancelReasonLike | undefined): CancelReason {
    const failed = (error: unknown): void => reportCallbackError(never, error);
    return readCancelArgument(reason, { kind: 'user', at: this.#clock.now() }, failed);
  }

  cancelAll(reason?: CancelReasonLike): Promise<readonly EndReport[]> {
    const made = this.#reasonOf(reason);
    return Promise.all(this.#sessions.busyOrOpen.map((session) => session.stopAll('cancel', made)));
  }

  async drain(options: Parameters<SessionRegistry['drain']>[0]): Promise<DrainReport> {
    requireOptions(options, drainOptions);
    const timeoutMs = requireMs('timeoutMs', options.timeoutMs, 'infinity-allowed');
    const hurry = tokenOf(options.token);
    this.#drain ??= new Drain(this.#clock, this.#sessions);
    this.#drain.within({ timeoutMs, hurry, willRetry: options.willRetry === true });
    return this.#drain.report;
  }

  close(...[id, ...end]: Parameters<SessionRegistry['close']>): ReturnType<SessionRegistry['close']> {
    return this.#end(this.#sessions.get(id), ...end);
  }

  async #end(
    opened: OpenSession | undefined,
    reason?: CancelReasonLike,
    options: CloseOptions = {},
  ): Promise<EndReport | undefined> {
    refuseOptions(reason, closeOptions);
    requireOptions(options, closeOptions);
    return opened && this.#sessions.end(opened, reason, options.willRetry === true);
  }

  async kill(id: string, reason?: CancelReasonLike, options?: unknown): Promise<EndReport | undefined> {
    if (options !== undefined) throw wrongType('options', 'left out: a kill is of everything', options);
    return this.#sessions.busyOrOpen.find((session) => session.id === id)?.stopAll('kill', this.#reasonOf(reason));
  }
}

/**
 * The sessions of one process. An id is opened where its work runs; a stop by id reaches it wherever it is, also if it
 * comes first.
 *
 * @cleanup `close(id)` for one, `drain()` for all.
 * @throws TypeError – an option that makes no sense.
 * @example Stop by id
 * ```ts
 * import { delay } from 'desist'
 * import { SessionRegistry } from 'desist/sessions'
 *
 * const sessions = new SessionRegistry()
 * const { controller } = sessions.open('chat-7')
 * const turn = controller.runTurn(({ token }) => delay(token, 60_000))
 * const receipt = await sessions.cancel('chat-7', 'user', { wait: 'settled' })
 * receipt.status // => 'settled'
 * const { status } = await turn
 * status // => 'cancelled'
 * ```
 * @since 0.1.0
 */
export const SessionRegistry: {
  /** Makes the registry of one process. */
  new (options?: SessionRegistryOptions): SessionRegistry;
  readonly prototype: SessionRegistry;
} = Registry;
