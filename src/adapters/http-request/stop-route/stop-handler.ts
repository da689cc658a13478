/**
 * The route behind a Stop button, as a Fetch handler and as a listener of Node's servers.
 *
 * @module
 */
import { isObject, type OptionNames, requireFunction, requireOptions, show } from '../../../core/inside.ts';
import type { GroupReceipt, RemoteReceipt, SessionCancelOptions } from '../../../sessions/remote-receipt.ts';
import { SessionRegistry } from '../../../sessions/session-registry.ts';
import type { StopBus } from '../../../sessions/stop-bus.ts';
import { fetchFrontEnd, type FetchRequestLike } from './fetch-front-end.ts';
import type { StopCall } from './exchange.ts';
import type { GatekeeperOptions } from './gatekeeper.ts';
import { nodeFrontEnd, type NodeExchange } from './node-front-end.ts';
import { StopRoute } from './stop-route.ts';

/**
 * Options of {@link stopHandler}.
 *
 * @since 0.1.0
 */
export interface StopHandlerOptions extends GatekeeperOptions {
  /** Milliseconds that a client may make the request wait, and that its body may take; 10,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Whether a client may ask for `level: 'kill'`; not by default. */
  readonly allowKill?: boolean | undefined;
  /** Whether a page of another site may ask, where the browser says so; not by default. */
  readonly allowCrossSite?: boolean | undefined;
  /**
   * Who asks, before anybody is authorised: what floods is refused without asking `authorize`. Behind a proxy an address is a
   * header, and only you know which.
   */
  readonly callerOf?: ((request: StopCall) => string | undefined) | undefined;
  /** Stops of one run in `perMs`; 20 by default. */
  readonly perRun?: number | undefined;
  /** Stops by one caller in `perMs`; 60 by default. */
  readonly perCaller?: number | undefined;
  /** Milliseconds for the two; 10,000 by default. */
  readonly perMs?: number | undefined;
}

/**
 * What stops by id: a `SessionRegistry`, or anything that does so likewise.
 *
 * @since 0.1.0
 */
export interface StopTarget {
  /** Stops a session by id, and says how far that came. */
  cancel(
    id: string,
    reason: { readonly kind: 'user'; readonly message?: string; readonly by?: string },
    options: SessionCancelOptions,
  ): Promise<RemoteReceipt>;
  /** Stops every session of a group; needed where the route names one. */
  cancelGroup?(
    group: string,
    reason: { readonly kind: 'user'; readonly message?: string; readonly by?: string },
    options: Pick<SessionCancelOptions, 'wait' | 'level' | 'timeoutMs'>,
  ): Promise<GroupReceipt>;
}

/**
 * One route, for either kind of server.
 *
 * @since 0.1.0
 */
export interface StopHandler {
  /** For servers that take a `Request` and want a `Response`. */
  readonly fetch: (request: FetchRequestLike) => Promise<Response>;
  /** For `http.createServer` and Express; a request for another path goes to `next`, or is answered with 404. */
  readonly node: NodeExchange;
}

const optionNames: OptionNames<StopHandlerOptions> = {
  route: 1,
  authorize: 1,
  authorizeMs: 1,
  onError: 1,
  clock: 1,
  timeoutMs: 1,
  allowKill: 1,
  allowCrossSite: 1,
  callerOf: 1,
  perRun: 1,
  perCaller: 1,
  perMs: 1,
};

/**
 * Makes the route behind a Stop button: `POST /runs/:id/cancel`, with `{ "reason"?, "wait"?, "turnId"?, "epoch"? }` or nothing as
 * its body. It answers 202 for a stop that is on its way, 200 for one that has arrived, 503 where nobody can say, and 404 both
 * for what is not yours and for what is not there.
 *
 * A `route` with `:group`, such as `/groups/:group/cancel`, stops every session of a group. `authorize` is asked once, with the
 * name of the group, and its yes is one for every session that was opened with it: they are not asked for one by one. The
 * answer is `{ group, isComplete, runs }`, with the answer for each run.
 *
 * @checkpoint never
 * @cleanup Nothing is kept but counters. A client that leaves takes back nothing: its stop stands.
 * @param target A `SessionRegistry`, or a bus of which this process is no host.
 * @param options Who may stop what, which is required; route, limits, rates.
 * @returns The route for Fetch servers and for Node's.
 * @throws TypeError, RangeError – an option that makes no sense.
 * @example A Stop route
 * ```ts
 * import { stopHandler } from 'desist/http-request'
 * import { SessionRegistry } from 'desist/sessions'
 *
 * const sessions = new SessionRegistry()
 * const stop = stopHandler(sessions, {
 *   authorize: ({ header }, runId) => header('authorization') === 'Bearer ada' && runId.startsWith('ada-') && { by: 'ada' },
 * })
 * const ask = (id: string) =>
 *   stop.fetch(new Request(`http://local/runs/${id}/cancel`, { method: 'POST', headers: { authorization: 'Bearer ada' } }))
 * const yours = await ask('ada-7')
 * const notYours = await ask('bob-7')
 * yours.status // => 202
 * notYours.status // => 404
 * ```
 * @source Prior art: the cancel endpoints of OpenAI's background responses and of LangGraph's server
 * @since 0.1.0
 */
export function stopHandler(target: StopTarget | StopBus, options: StopHandlerOptions): StopHandler {
  requireOptions(options, optionNames);
  const route = new StopRoute(targetOf(target), options);
  if (options.callerOf !== undefined) requireFunction('callerOf', options.callerOf);
  return { fetch: fetchFrontEnd((request) => route.answer(request)), node: nodeFrontEnd(route) };
}

function targetOf(target: unknown): StopTarget {
  const { cancel, request } = (isObject(target) ? target : {}) as { cancel?: unknown; request?: unknown };
  if (typeof cancel === 'function') return target as StopTarget;
  if (typeof request === 'function') return new SessionRegistry({ bus: target as StopBus });
  throw new TypeError(`target must be a SessionRegistry or a StopBus, got ${show(target)}`);
}
