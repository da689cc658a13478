/**
 * `fetch` under a token, body included: a stop reaches a download that is half-way, and the token is let go exactly
 * when the body is done. Prior art: WHATWG Fetch's `signal`; undici's `bodyTimeout`, here a limit that says whose it
 * was.
 *
 * @module
 */
import {
  classify,
  type LateOutcome,
  type OptionsOnly,
  refuseInPlaceOf,
  requireFunction,
  show,
  type TokenLike,
} from '../../core/inside.ts';
import { CallScope } from '../internal/call-scope.ts';
import { attempt } from './attempt.ts';
import { cutBody, dropBody, isBody, mayHaveBody, withBody, type Cut } from './cut-body.ts';
import { retryPlan, sendUntilAnswered, type FetchRetryOptions } from './retry-plan.ts';
import { Upload, canBeSentAgain, methodOf, requestOf } from './upload.ts';

/**
 * What `fetch` takes, and what makes it stoppable.
 *
 * @since 0.1.0
 */
export interface CancellableFetchInit extends Omit<RequestInit, 'body'>, Omit<OptionsOnly, 'cancel' | 'checkpoint'> {
  /** As for `fetch`, or anything that gives bytes or text one by one: a generator, a stream of Node. */
  readonly body?: RequestInit['body'] | AsyncIterable<Uint8Array | ArrayBuffer | string> | undefined;
  /** Whose stop. Works beside `signal`: the first of the two counts. */
  readonly token?: TokenLike | null | undefined;
  /** Milliseconds for all of it, to the last byte of the body. */
  readonly timeoutMs?: number | undefined;
  /**
   * Milliseconds without a byte, from the call on; counted only while somebody waits for the headers or reads. A chunk
   * that a streamed upload sends counts as one.
   */
  readonly idleMs?: number | undefined;
  /**
   * How often to try, or how: 3 attempts for `{}`. By default once, as `fetch` does. A pause ends with a cancel, and a
   * cancel is never retried.
   */
  readonly retry?: number | FetchRetryOptions | undefined;
  /**
   * Refuses a body that ends before as many bytes as its `content-length` says, for hosts and proxies that let it pass;
   * `false` by default. Says nothing of a compressed body, or one without a length.
   */
  readonly requireComplete?: boolean | undefined;
  /** What to call instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * Calls `fetch` under a token. The response is a real `Response`; until its body is read to the end, cancelled or
 * collected, a stop errors the body with the very `CancelledError` of the token.
 *
 * A body that nobody reads keeps its connection, and the link to the token, until it is collected: read it or
 * `response.body?.cancel()` it.
 *
 * @checkpoint always, before; `fetch` is not called if the token is cancelled
 * @fairness A response that has arrived beats a cancel of the same tick; its body is then cut. A failure that raced
 * the cancel stays that failure.
 * @cleanup The call's token is released at the end of the body, of whatever kind, or at once if there is none.
 * @param input As for `fetch`.
 * @param init As for `fetch`, plus `token`, `timeoutMs`, `idleMs`, `retry` and another `fetch`. A streamed upload needs
 * no `duplex`. A name that there is not is passed to `fetch`; a token or a signal in the place of `init` is refused.
 * @returns The response, with everything the original said: `url`, `redirected` and `type` too.
 * @throws CancelledError – as a rejection, and from the body: the token or the signal fired. DeadlineExceededError – as
 * a rejection, and from the body: a limit of this call passed. TypeError, RangeError – as a rejection: arguments that
 * make no sense, and whatever `fetch` itself rejects with.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { cancellableFetch } from 'desist/fetch'
 *
 * const stop = new CancellationTokenSource()
 * const response = await cancellableFetch('data:text/plain,hello', { token: stop.token, timeoutMs: 5000 })
 * response instanceof Response // => true
 * await response.text() // => 'hello'
 * ```
 * @source WHATWG Fetch
 * @since 0.1.0
 */
export async function cancellableFetch(input: RequestInfo | URL, init: CancellableFetchInit = {}): Promise<Response> {
  // As `fetch` has it: null is nothing.
  const given = ((init as CancellableFetchInit | null) ?? {}) as CancellableFetchInit & RequestInit;
  refuseInPlaceOf('init', given);
  const { token, timeoutMs, idleMs, retry, requireComplete, fetch: fetchImpl = globalThis.fetch, ...sent } = given;
  const { signal, ...rest } = sent;
  requireFunction('fetch', fetchImpl);
  if (requireComplete !== undefined && typeof requireComplete !== 'boolean') {
    throw new TypeError(`requireComplete must be a boolean, got ${show(requireComplete)}`);
  }
  const plan = retryPlan(retry, methodOf(input, rest), canBeSentAgain(input, rest));
  // As `fetch` has it: a signal in `init`, even null, replaces the request's own.
  const own = signal === undefined ? requestOf(input)?.signal : signal;
  const scope = new CallScope([token, own], { timeoutMs, idleMs, name: 'fetch' });
  const upload = new Upload(rest.body, scope);
  scope.hold(upload);
  try {
    if (scope.isTooLate) throw scope.failure();
    const request = upload.on({ ...rest, signal: scope.signal });
    const call = (attempt: AbortSignal): Promise<Response> => fetchImpl(input, { ...request, signal: attempt });
    const response = await sendUntilAnswered(() => send(scope, call, plan.timeoutMs), scope, plan);
    upload.answered();
    const { body } = response;
    if (isBody(body) && mayHaveBody(response)) {
      const cut: Cut = { error: undefined };
      const expected = requireComplete === true ? lengthOf(response.headers) : undefined;
      return withBody(response, cutBody(body, scope, { cut, expected }), cut);
    }
    scope.release();
    return response;
  } catch (error) {
    const { reason } = scope.token;
    const isStop = reason !== undefined && classify(error, scope.token).reason === reason;
    const failure = isStop ? scope.failure() : error;
    scope.release();
    throw failure;
  }
}

/** How many bytes a body says that it has, where they are counted as they are read. */
function lengthOf(headers: Headers): number | undefined {
  const length = headers.get('content-length');
  const isPlain = (headers.get('content-encoding') ?? 'identity') === 'identity';
  return isPlain && length !== null && /^\d+$/.test(length) ? Number(length) : undefined;
}

/** One attempt, up to the headers. */
async function send(
  scope: CallScope,
  call: (signal: AbortSignal) => Promise<Response>,
  timeoutMs: number,
): Promise<Response> {
  scope.arm();
  try {
    return await attempt(scope, call, timeoutMs, dropLateResponse);
  } finally {
    scope.disarm();
  }
}

/** A response that comes after the stop has a body that nobody will read. */
function dropLateResponse(outcome: LateOutcome<Response>): void {
  if (outcome.status === 'completed') dropBody(outcome.value.body);
}
