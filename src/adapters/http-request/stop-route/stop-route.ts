/**
 * What the Stop route does with a request, whatever server it came through.
 *
 * Invariants: nobody's run is stopped before `authorize` has said yes to this caller and this run; what it has refused and
 * what does not exist is answered alike; nothing that a client has sent reaches a header, and no report leaves.
 *
 * @module
 */
import {
  CancellationTokenSource,
  requireFunction,
  requireMs,
  show,
  systemClock,
  type Clock,
} from '../../../core/inside.ts';
import type { GroupReceipt, RemoteReceipt } from '../../../sessions/remote-receipt.ts';
import { LONGEST_GROUP } from '../../../sessions/session-id.ts';
import type { StopStatus } from '../../../sessions/stop-bus.ts';
import { isOfAnotherSite } from './another-site.ts';
import type { Answer, Incoming } from './exchange.ts';
import { Gatekeeper } from './gatekeeper.ts';
import { RateLimit } from './rate-limit.ts';
import type { StopHandlerOptions, StopTarget } from './stop-handler.ts';
import type { StopCaller } from './exchange.ts';
import { MOST_BYTES, neutralText, Refusal, runIdOf, stopMessageOf } from './stop-message.ts';

const [ARRIVED, UNDER_WAY, TOO_MANY, UNKNOWN] = [200, 202, 429, 503];

const codes: Readonly<Record<StopStatus, number>> = {
  pending: UNDER_WAY,
  requested: UNDER_WAY,
  observed: ARRIVED,
  settled: ARRIVED,
  'runner-dead': ARRIVED,
  superseded: ARRIVED,
  refused: TOO_MANY,
  unconfirmed: UNKNOWN,
};

function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  const fixed = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return { status, headers: { ...fixed, ...headers }, body: JSON.stringify(body) };
}

/** Says no, in words that quote nothing. */
export const refused = (status: number, error: string, headers?: Readonly<Record<string, string>>): Answer =>
  answer(status, { error }, headers);

/** Also for what is not yours: the two must not be told apart. */
export const notThere = (): Answer => refused(404, 'no such run');

/** Says when to come again. */
export const tooMany = (ms: number): Answer =>
  refused(429, 'too many requests', { 'retry-after': String(Math.ceil(ms / 1000)) });

/** What a client learns: not the report, which holds what tools were given and have answered. */
function shown({
  sessionId: runId,
  status,
  timedOut,
  reason,
  epoch,
}: RemoteReceipt): Readonly<Record<string, unknown>> {
  const { kind, message, at } = reason;
  return { runId, status, timedOut, reason: { kind, message, at }, ...(epoch === undefined ? {} : { epoch }) };
}

function told(code: number, body: unknown): Answer {
  return answer(code, body, code >= TOO_MANY ? { 'retry-after': '1' } : {});
}

/** Of a group, what has come least far. */
function toldGroup({ group, isComplete, receipts }: GroupReceipt): Answer {
  const code = receipts.reduce((least, { status }) => Math.max(least, codes[status]), isComplete ? ARRIVED : UNKNOWN);
  return told(code, { group, isComplete, runs: receipts.map(shown) });
}

/** A number of requests that makes a rate. */
export function requireRate(name: string, value: unknown): number {
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number, got ${show(value)}`);
  if (!(value >= 1)) throw new RangeError(`${name} must be 1 or more, got ${String(value)}`);
  return value;
}

/** The route, apart from what servers want and give. */
export class StopRoute {
  readonly #target: StopTarget;
  readonly #options: StopHandlerOptions;
  readonly #gate: Gatekeeper;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #runs: RateLimit;
  readonly #callers: RateLimit;

  constructor(target: StopTarget, options: StopHandlerOptions) {
    this.#gate = new Gatekeeper(options, '/runs/:id/cancel', true);
    if (this.#gate.names === 'group')
      requireFunction('target.cancelGroup', (target as { cancelGroup?: unknown }).cancelGroup);
    const { timeoutMs = 10_000, perMs = 10_000, clock = systemClock } = options;
    this.#target = target;
    this.#options = options;
    this.#timeoutMs = requireMs('timeoutMs', timeoutMs, 'finite');
    this.#clock = clock;
    requireMs('perMs', perMs, 'finite');
    this.#runs = new RateLimit(requireRate('perRun', options.perRun ?? 20), perMs, clock);
    this.#callers = new RateLimit(requireRate('perCaller', options.perCaller ?? 60), perMs, clock);
  }

  match(path: string): string | undefined {
    return this.#gate.match(path);
  }

  /** Never rejects. */
  async answer(request: Incoming): Promise<Answer> {
    try {
      return await this.#answer(request);
    } catch (error) {
      if (error instanceof Refusal) return refused(error.status, error.message, error.headers);
      this.#gate.failed(error);
      return refused(500, 'the stop could not be passed on');
    }
  }

  async #answer(request: Incoming): Promise<Answer> {
    const { allowCrossSite = false, callerOf } = this.#options;
    const encoded = this.match(request.path);
    if (encoded === undefined) return notThere();
    if (request.method !== 'POST') return refused(405, 'a stop is a POST', { allow: 'POST' });
    if (!allowCrossSite && isOfAnotherSite(request)) return refused(403, 'not from another site');
    const asking = callerOf?.(request);
    const flooding = asking === undefined ? 0 : this.#callers.take(asking);
    if (flooding > 0) return tooMany(flooding);
    const runId = runIdOf(encoded);
    if (runId === undefined || (this.#gate.names === 'group' && runId.length > LONGEST_GROUP)) return notThere();
    // Read from here on: who has said a stop may leave while `authorize` thinks, and it is still said.
    const reading = new CancellationTokenSource();
    const body = request.readBody({
      ...{ mostBytes: MOST_BYTES, timeoutMs: this.#timeoutMs },
      ...{ clock: this.#clock, token: reading.token },
    });
    body.catch(() => undefined);
    try {
      const [caller] = await this.#gate.authorized(request, [runId]);
      if (caller === undefined) return notThere();
      return await this.#stop(body, runId, caller, asking === undefined);
    } finally {
      reading.cancel();
      reading.release();
    }
  }

  async #stop(
    body: Promise<unknown>,
    runId: string,
    { by }: Partial<StopCaller>,
    isToBeCounted: boolean,
  ): Promise<Answer> {
    const waitMs = Math.max(
      this.#runs.take(runId),
      isToBeCounted && by !== undefined ? this.#callers.take(`by ${by}`) : 0,
    );
    if (waitMs > 0) return tooMany(waitMs);
    const said = stopMessageOf(await body);
    const { wait, level, turnId, epoch } = said;
    if (level === 'kill' && this.#options.allowKill !== true) return refused(403, 'no kill from here');
    if (level === 'kill' && turnId !== undefined) return refused(400, 'a kill is of everything, not of one turn');
    const message = neutralText(said.reason ?? '');
    const reason = {
      kind: 'user',
      ...(message === '' ? {} : { message }),
      ...(by === undefined ? {} : { by }),
    } as const;
    const limits = { timeoutMs: this.#timeoutMs, wait, level };
    if (this.#gate.names === 'id') {
      const receipt = await this.#target.cancel(runId, reason, { ...limits, turnId, epoch });
      return told(codes[receipt.status], shown(receipt));
    }
    if (turnId !== undefined || epoch !== undefined) return refused(400, 'a group has no turn and no epoch');
    return toldGroup((await this.#target.cancelGroup?.(runId, reason, limits)) as GroupReceipt);
  }
}
