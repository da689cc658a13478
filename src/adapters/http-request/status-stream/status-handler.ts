/**
 * The status of runs as server-sent events, as a Fetch handler and as a listener of Node's servers.
 *
 * @module
 */
import { isObject, type OptionNames, requireFunction, requireOptions, show } from '../../../core/inside.ts';
import { fetchEvents, type FetchStatusRequest } from './fetch-events.ts';
import { nodeEvents, type NodeEventExchange } from './node-events.ts';
import type { StatusHandlerOptions, StatusSource } from './status-options.ts';
import { StatusRoute } from './status-route.ts';

/**
 * One route, for either kind of server.
 *
 * @since 0.1.0
 */
export interface StatusHandler {
  /** For servers that take a `Request` and want a `Response`. */
  readonly fetch: (request: FetchStatusRequest) => Promise<Response>;
  /** For `http.createServer` and Express; a request for another path goes to `next`, or is answered with 404. */
  readonly node: NodeEventExchange;
}

const optionNames: OptionNames<StatusHandlerOptions> = {
  route: 1,
  authorize: 1,
  authorizeMs: 1,
  onError: 1,
  describe: 1,
  describeMs: 1,
  everyMs: 1,
  keepAliveMs: 1,
  maxMs: 1,
  mostStreams: 1,
  allowCrossSite: 1,
  callerOf: 1,
  perCaller: 1,
  perMs: 1,
  clock: 1,
};

/**
 * Makes the route behind a live list of runs: `GET /runs/:id/status`, where `:id` is one id, or up to 50 with commas between
 * them. Each event `status` holds `{ "runId", "state", "epoch"?, "stop"? }`; when all runs have ended, `closed` is the last, and
 * the browser does not come again.
 *
 * @checkpoint never
 * @cleanup A stream ends with its client, with its runs, or after `maxMs`; then nothing is left of it. A run is looked at only
 * while somebody listens.
 * @fairness A client that reads slowly gets the newest of each run, and holds nobody else up.
 * @param target A `SessionRegistry`, or a remote bus.
 * @param options Who may see what, which is required; route, times, limits.
 * @returns The route for Fetch servers and for Node's.
 * @throws TypeError, RangeError – an option that makes no sense.
 * @example A live list
 * ```ts
 * import { statusHandler } from 'desist/http-request'
 * import { SessionRegistry } from 'desist/sessions'
 *
 * const sessions = new SessionRegistry()
 * sessions.open('ada-7')
 * const status = statusHandler(sessions, { authorize: (_, runId) => runId.startsWith('ada-') })
 * const live = await status.fetch(new Request('http://local/runs/ada-7/status'))
 * const events = live.body!.pipeThrough(new TextDecoderStream()).getReader()
 * await events.read() // the first part says when to come again
 * const { value } = await events.read()
 * value // => 'event: status\ndata: {"runId":"ada-7","state":"open"}\n\n'
 * await events.cancel()
 * ```
 * @source The HTML standard, server-sent events
 * @since 0.1.0
 */
export function statusHandler(target: StatusSource, options: StatusHandlerOptions): StatusHandler {
  const { look } = (isObject(target) ? target : {}) as { look?: unknown };
  if (typeof look !== 'function') {
    throw new TypeError(`target must be a SessionRegistry or a remote bus, got ${show(target)}`);
  }
  requireOptions(options, optionNames);
  const route = new StatusRoute(target, options);
  if (options.describe !== undefined) requireFunction('describe', options.describe);
  if (options.callerOf !== undefined) requireFunction('callerOf', options.callerOf);
  return { fetch: fetchEvents(route), node: nodeEvents(route) };
}
