/**
 * `fetch` under a token, body included: a stop reaches a download that is half-way, and the token is let go exactly
 * when the body is done.
 * Among the adapters because it wraps the host's `fetch`; a drop-in, so it keeps that one's signature.
 * Prior art: WHATWG Fetch's `signal`; undici's `bodyTimeout`, here a limit that says whose it was.
 *
 * @module
 */
import { raceCancellation } from '../core/combinators/race.ts';
import type { LateOutcome } from '../core/combinators/settle.ts';
import { requireFunction } from '../core/foundation/check.ts';
import { classify } from '../core/foundation/classify.ts';
import type { TokenLike } from '../core/token/handles.ts';
import { CallScope } from './internal/call-scope.ts';
import { CutStream, type SourceIterator } from './internal/stream-cut.ts';

/**
 * What `fetch` takes, and what makes it stoppable.
 *
 * @since 0.1.0
 */
export interface CancellableFetchInit extends RequestInit {
  /** Whose stop. Works beside `signal`: the first of the two counts. */
  readonly token?: TokenLike | null | undefined;
  /** Milliseconds for all of it, to the last byte of the body. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds without a byte, from the call on; counted only while somebody waits for the headers or reads. */
  readonly idleMs?: number | undefined;
  /** What to call instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** Milliseconds that a cancelled body may take to be gone; nobody waits for it. */
const BODY_GRACE_MS = 1000;

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
 * @param init As for `fetch`, plus `token`, `timeoutMs`, `idleMs` and another `fetch`.
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
  const { token, timeoutMs, idleMs, fetch: fetchImpl = globalThis.fetch, signal, ...rest } = init;
  requireFunction('fetch', fetchImpl);
  // As `fetch` has it: a signal in `init`, even null, replaces the request's own.
  const own = signal === undefined && input instanceof Request ? input.signal : signal;
  const scope = new CallScope([token, own], { timeoutMs, idleMs, name: 'fetch' });
  try {
    scope.token.throwIfCancelled();
    scope.arm();
    const answer = fetchImpl(input, { ...rest, signal: scope.signal });
    const response = await raceCancellation(scope.token, answer, { onLateSettle: dropLateResponse });
    scope.disarm();
    if (response.body instanceof ReadableStream) return withBody(response, cutBody(response.body, scope));
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

/** A response that comes after the stop has a body that nobody will read. */
function dropLateResponse(outcome: LateOutcome<Response>): void {
  if (outcome.status === 'completed') void outcome.value.body?.cancel().catch(nobodysError);
}

function nobodysError(): undefined {
  return undefined;
}

/** A function of its own: closures share what they close over, and the token holds the source, not its reader. */
function sourceOf(reader: ReadableStreamDefaultReader<Uint8Array>): SourceIterator<Uint8Array> {
  return {
    next: () => reader.read(),
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

/** The body, read through the scope, and the scope released with it. A byte stream, as the host's own is. */
function cutBody(body: ReadableStream<Uint8Array>, scope: CallScope): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let controller: ReadableByteStreamController | undefined;
  const cut = new CutStream<Uint8Array>({
    scope,
    graceMs: BODY_GRACE_MS,
    open: () => sourceOf(reader),
    onCut: (error) => controller?.error(error),
  });
  const stream = new ReadableStream({
    type: 'bytes',
    start(own) {
      controller = own;
    },
    async pull(own) {
      const next = await cut.next();
      if (next.done === true) {
        own.close();
        own.byobRequest?.respond(0);
      } else if (next.value.byteLength > 0) own.enqueue(ownBytes(next.value));
      else await this.pull?.(own); // a byte stream takes no empty chunk
    },
    async cancel() {
      await cut.return();
    },
  });
  if (scope.isCancelled) void reader.cancel().catch(nobodysError);
  // At once and not with the first read: a body that is never read must be let go as well.
  cut.start();
  return stream;
}

/** A byte stream takes over the memory of its chunks, so a view of a larger buffer is copied. */
function ownBytes(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength;
  return isWhole ? (chunk as Uint8Array<ArrayBuffer>) : new Uint8Array(chunk);
}

/** What a response says that its constructor cannot be told. */
const told = ['url', 'redirected', 'type'] as const;

/** The same response around another body. */
function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers } = response;
  return tellAs(response, new Response(body, { status, statusText, headers }));
}

function tellAs(original: Response, copy: Response): Response {
  for (const field of told) Object.defineProperty(copy, field, { value: original[field], configurable: true });
  const clone = (): Response => tellAs(original, Response.prototype.clone.call(copy));
  return Object.defineProperty(copy, 'clone', { value: clone, configurable: true, writable: true });
}
