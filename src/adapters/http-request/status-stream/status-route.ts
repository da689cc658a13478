/**
 * What the status route does with a request, whatever server it came through.
 *
 * Invariants: no run is shown before `authorize` has said yes to this caller and this run; one refused run refuses the
 * request, as if nothing were there; a stream ends, and is authorised anew when the browser comes again.
 *
 * @module
 */
import {
  CancellationTokenSource,
  isObject,
  raceCancellation,
  requireMs,
  show,
  systemClock,
  type CancellationToken,
  type Clock,
  type Releasable,
} from '../../../core/inside.ts';
import type { SessionStatus } from '../../../sessions/session-status.ts';
import { isOfAnotherSite } from '../stop-route/another-site.ts';
import { Gatekeeper } from '../stop-route/gatekeeper.ts';
import { RateLimit } from '../stop-route/rate-limit.ts';
import type { StopCall } from '../stop-route/exchange.ts';
import { Refusal, runIdOf } from '../stop-route/stop-message.ts';
import { notThere, refused, requireRate, tooMany } from '../stop-route/stop-route.ts';
import type { Answer } from '../stop-route/exchange.ts';
import { EventStream, LAST_EVENT_ID, type EventSink } from './event-stream.ts';
import { StatusFeed, type Sight } from './status-feed.ts';
import type { StatusHandlerOptions, StatusSource } from './status-options.ts';

/** The most runs of one stream. */
const MOST_RUNS = 50;
/** Milliseconds that a look may take: as long as an engine that is slow, and not away. */
const LOOK_MS = 5_000;

/** A request, whatever server it came through. */
export interface StatusCall extends StopCall {
  readonly method: string;
  readonly path: string;
  /** Aborted when the client has left. */
  readonly left: AbortSignal | undefined;
}

/** A stream that may begin. */
export interface Begin {
  readonly headers: Readonly<Record<string, string>>;
  /** Starts to write. */
  readonly start: (sink: EventSink) => Pick<EventStream, 'drained' | 'end'>;
  /** In place of the start: its client has left already. */
  readonly abandon: () => void;
}

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Proxies of nginx's kind would keep what is written until there is more.
  'x-accel-buffering': 'no',
};

/** What a page gets to see: not who stopped it, nor what the reason holds beside its words. */
function shown({ sessionId, state, epoch, stop }: SessionStatus): Readonly<Record<string, unknown>> {
  const { kind, message, at } = stop?.reason ?? {};
  return {
    runId: sessionId,
    state,
    ...(epoch !== undefined && { epoch }),
    ...(stop !== undefined && { stop: { status: stop.status, reason: { kind, message, at } } }),
  };
}

/** The route, apart from what servers want and give. */
export class StatusRoute {
  readonly #target: StatusSource;
  readonly #options: StatusHandlerOptions;
  readonly #gate: Gatekeeper;
  readonly #feed: StatusFeed;
  readonly #clock: Clock;
  readonly #callers: RateLimit;
  readonly #keepAliveMs: number;
  readonly #maxMs: number;
  readonly #most: number;
  readonly #describeMs: number;
  #streams = 0;

  constructor(target: StatusSource, options: StatusHandlerOptions) {
    this.#gate = new Gatekeeper(options, '/runs/:id/status');
    const { clock = systemClock, everyMs = 1_000, keepAliveMs = 15_000, maxMs = 300_000, perMs = 10_000 } = options;
    this.#target = target;
    this.#options = options;
    this.#clock = clock;
    this.#keepAliveMs = requireMs('keepAliveMs', keepAliveMs, 'finite');
    this.#maxMs = requireMs('maxMs', maxMs, 'finite');
    requireMs('everyMs', everyMs, 'finite');
    this.#describeMs = requireMs('describeMs', options.describeMs ?? everyMs, 'finite');
    this.#most = requireRate('mostStreams', options.mostStreams ?? 1_000);
    requireMs('perMs', perMs, 'finite');
    this.#callers = new RateLimit(requireRate('perCaller', options.perCaller ?? 60), perMs, clock);
    this.#feed = new StatusFeed({ clock, everyMs, look: (runId) => this.#look(runId) });
  }

  match(path: string): string | undefined {
    return this.#gate.match(path);
  }

  /** Whether the stream may begin, or what is answered in its place. Never rejects. */
  async open(request: StatusCall): Promise<Answer | Begin> {
    try {
      return await this.#open(request);
    } catch (error) {
      if (error instanceof Refusal) return refused(error.status, error.message, error.headers);
      this.#gate.failed(error);
      return refused(500, 'the status could not be read');
    }
  }

  async #open(request: StatusCall): Promise<Answer | Begin> {
    const encoded = this.match(request.path);
    if (encoded === undefined) return notThere();
    if (request.method !== 'GET') return refused(405, 'a status is a GET', { allow: 'GET' });
    if (this.#options.allowCrossSite !== true && isOfAnotherSite(request)) return refused(403, 'not from another site');
    const asking = this.#options.callerOf?.(request);
    const flooding = asking === undefined ? 0 : this.#callers.take(asking);
    if (flooding > 0) return tooMany(flooding);
    // Told apart when they are decoded: `a` and `%61` are one run.
    const ids = [...new Set(encoded.split(',').map(runIdOf))];
    if (ids.length > MOST_RUNS) return refused(400, `a stream is of ${String(MOST_RUNS)} runs at most`);
    const runIds = ids.filter((id) => id !== undefined);
    if (runIds.length < ids.length) return notThere();
    const callers = await this.#gate.authorized(request, runIds, request.left);
    if (callers.includes(undefined)) return notThere();
    const by = callers[0]?.by;
    const waitMs = asking !== undefined || by === undefined ? 0 : this.#callers.take(`by ${by}`);
    if (waitMs > 0) return tooMany(waitMs);
    // A browser that has seen the end would come again and again.
    if (request.header('last-event-id') === LAST_EVENT_ID) return { status: 204, headers: {}, body: '' };
    if (this.#streams >= this.#most) return refused(503, 'too many streams', { 'retry-after': '5' });
    // Its place is taken here: of many that ask at once, none has started yet.
    this.#streams++;
    const abandon = (): void => {
      this.#streams--;
    };
    return { headers, start: (sink) => this.#start(runIds, sink), abandon };
  }

  #start(runIds: readonly string[], sink: EventSink): EventStream {
    const last = new Set<string>();
    const listening: Releasable[] = [];
    const stream = new EventStream({
      ...{ sink, clock: this.#clock, keepAliveMs: this.#keepAliveMs, maxMs: this.#maxMs },
      ended: () => {
        this.#streams--;
        for (const heard of listening) heard.release();
      },
    });
    for (const runId of runIds) {
      const told = ({ data, isLast }: Sight): void => {
        stream.tell(runId, data);
        if (isLast) last.add(runId);
        else last.delete(runId);
        if (last.size === runIds.length) stream.finish();
      };
      if (stream.isOpen) listening.push(this.#feed.listen(runId, told));
    }
    // The first news may have ended it while it was being set up.
    if (!stream.isOpen) for (const heard of listening) heard.release();
    return stream;
  }

  async #look(runId: string): Promise<Sight> {
    let status: SessionStatus = { sessionId: runId, state: 'unknown' };
    let more: unknown;
    try {
      status = await this.#inTime('look', LOOK_MS, () => this.#target.look(runId));
      more = await this.#inTime('describe', this.#describeMs, (token) => this.#options.describe?.(status, token));
    } catch (error) {
      this.#gate.failed(error);
    }
    const isLast = status.state === 'closed';
    const own = shown(status);
    try {
      return { data: JSON.stringify(isObject(more) ? { ...more, ...own } : own), isLast };
    } catch (error) {
      this.#gate.failed(new TypeError(`describe must return what JSON can hold, got ${show(more)}`, { cause: error }));
      return { data: JSON.stringify(own), isLast };
    }
  }

  /** One that does not answer would blind everybody who looks at the run, for as long as anybody does. */
  async #inTime<T>(name: string, ms: number, ask: (token: CancellationToken) => T): Promise<Awaited<T>> {
    const limit = new CancellationTokenSource({ timeoutMs: ms, clock: this.#clock });
    try {
      return await raceCancellation(limit.token, (async () => await ask(limit.token))());
    } catch (error) {
      throw limit.token.isCancelled ? new Error(`${name} did not answer within ${String(ms)} ms`) : error;
    } finally {
      limit.release();
    }
  }
}
