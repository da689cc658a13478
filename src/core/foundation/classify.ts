/**
 * Whether an error means "stopped", and whose stop it was.
 *
 * The shape of an error decides whether it is an abort; the token decides whose and gives the reason. A shape that can
 * mean either is taken for a cancel only if the token is cancelled; a genuine failure that raced the cancel stays one.
 *
 * Prior art: gRPC status codes; Go's `errors.Is(err, context.Canceled)`.
 *
 * @module
 */
import { readAbort } from './abort-reason.ts';
import { isObject } from './check.ts';
import { isCancelledError, isDeadlineExceededError } from './errors.ts';
import { createReason, isCancelReason, type CancelReason } from './reason.ts';

/** As much of a token as it takes to say whose stop it was; an `AbortSignal` will do. */
export type CancelState =
  | { readonly isCancelled: boolean; readonly reason: CancelReason | undefined }
  | { readonly aborted: boolean; readonly reason?: unknown };

/**
 * What {@link classify} says of an error.
 *
 * `cancelled` the token asked for it · `deadline` a limit passed · `foreign-abort` something stopped it, but not the
 * token · `failure` it failed.
 *
 * @since 0.1.0
 */
export interface Classification {
  readonly status: 'cancelled' | 'deadline' | 'foreign-abort' | 'failure';
  /** Why, where it is known. */
  readonly reason?: CancelReason;
  /**
   * Whether trying again can help: `true` only for a limit, `undefined` for a failure, which we do not judge, and `false`
   * for everything under a token that is cancelled itself.
   */
  readonly retryable: boolean | undefined;
}

/** How much an error's shape says by itself. */
type Shape = 'abort' | 'timeout' | 'ambiguous' | 'failure';

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(error: unknown): Fields | undefined {
  return isObject(error) ? (error as Fields) : undefined;
}

/** The class an object says it was made by: SDKs whose errors keep the name "Error" are told by it. */
function constructorName(fields: Fields): unknown {
  const made: unknown = fields['constructor'];
  return typeof made === 'function' ? made.name : undefined;
}

const abortNames: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  'AbortError', // WHATWG DOM, Node, most libraries
  'APIUserAbortError', // Anthropic, OpenAI: the name of the class, not of the error
  'CanceledError', // axios
  'Canceled', // VS Code
  'CancellationError', // VS Code
  'RequestAbortedError', // undici
]);

const timeoutNames: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  'TimeoutError', // WHATWG DOM, Node, most libraries
  'APIConnectionTimeoutError', // Anthropic, OpenAI
  'HeadersTimeoutError', // undici
  'BodyTimeoutError',
  'ConnectTimeoutError',
]);

const abortCodes: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  'ABORT_ERR', // Node
  'ERR_CANCELED', // axios
  'UND_ERR_ABORTED', // undici
  -32800, // ACP and the language server protocol: request cancelled
]);

/** Names, codes and messages that an abort produces, and other things too. */
const ambiguousNames: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  'ModelAbortError', // LangChain
  'ResponseAborted', // Next.js: a reader that left a response, or the server's own stop
  'CancelError', // got and p-cancelable; their `isCanceled` flag says more where it survives
]);
const ambiguousCodes: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  -32001, // MCP v1: cancelled or timed out
  'REQUEST_TIMEOUT', // MCP v2: the same
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'ECONNABORTED', // axios
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** `AbortError` as a message: LangChain's OpenAI models. The last: p-retry, of a reason that is no error. */
const ambiguousMessages =
  /^(abort|aborted|aborterror|this operation was aborted\.?|terminated|fetch failed|network error|request was aborted\.?|premature close|socket hang up|connection error\.?|non-error was thrown: .*)$/i;

/** What `Promise.any` and `using` put several errors into. */
function partsOf({ name, errors, error, suppressed }: Fields): readonly unknown[] {
  if (name === 'AggregateError' && Array.isArray(errors)) return errors;
  return name === 'SuppressedError' ? [error, suppressed] : [];
}

/** One level of the shape, without its causes. */
function shapeOfOne(error: unknown): Shape {
  const fields = fieldsOf(error);
  // Nothing can be read from what is no object; see `isAbortedWith`.
  if (fields === undefined) return 'failure';
  if (isCancelReason(error)) return 'abort';
  const { name, code, message } = fields;
  const made = constructorName(fields);
  if (timeoutNames.has(name) || timeoutNames.has(made) || isTimeout(fields)) return 'timeout';
  if (abortNames.has(name) || abortNames.has(made) || abortCodes.has(code)) return 'abort';
  // axios and execa say it with a flag.
  if (fields['__CANCEL__'] === true || fields['isCanceled'] === true) return 'abort';
  // gRPC: code 1 is a status only beside its details.
  if (code === 1 && typeof fields['details'] === 'string') return 'abort';
  if (ambiguousCodes.has(code) || ambiguousNames.has(name) || ambiguousNames.has(made)) return 'ambiguous';
  return typeof message === 'string' && ambiguousMessages.test(message) ? 'ambiguous' : 'failure';
}

/** Limits that are told by no name: execa's flag, MCP's data, gRPC's DEADLINE_EXCEEDED, axios' words. */
function isTimeout({ timedOut, code, data, details, message }: Fields): boolean {
  return (
    timedOut === true ||
    (ambiguousCodes.has(code) && typeof fieldsOf(data)?.['timeout'] === 'number') ||
    (code === 4 && typeof details === 'string') ||
    (typeof message === 'string' && /^timeout of \d+ms exceeded$/.test(message))
  );
}

/** How many errors are looked into for what is below them: causes that are made when they are read have no end. */
const MAX_LOOKS = 10_000;

/** Of all that an error holds, each once: several errors are a stop only if each of them is. */
function shapeOf(error: unknown): Shape {
  const shapes = new Set<Shape>();
  const seen = new Set([error]);
  let looks = 0;
  // Also what is put in on the way is looked at.
  for (const current of seen) {
    const fields = fieldsOf(current) ?? {};
    const { cause } = fields;
    const parts = partsOf(fields);
    const isOne = parts.length === 0;
    const shape = isOne ? shapeOfOne(current) : 'failure';
    // Node wraps the reason of the signal: an abort whose cause is a limit was that limit. Ours say it themselves.
    if (shape === 'abort' && !isCancelledError(current) && shapeOfOne(cause) === 'timeout') shapes.add('timeout');
    // An abort's cause is only its reason. Of all else the deepest cause says most: "fetch failed", of a refused connection.
    else if (shape === 'abort' || shape === 'timeout' || (isOne && (!isObject(cause) || cause === current)))
      shapes.add(shape);
    else if (++looks > MAX_LOOKS) return 'failure';
    else for (const each of isOne ? [cause] : parts) seen.add(each);
  }
  // Nothing is found in a circle.
  return (['failure', 'ambiguous', 'abort', 'timeout'] as const).find((shape) => shapes.has(shape)) ?? 'failure';
}

/** The reason an error carries, itself or in its causes. */
function reasonIn(error: unknown): CancelReason | undefined {
  let current = error;
  for (let looks = 0; looks < MAX_LOOKS && current !== undefined; looks++) {
    if (isCancelReason(current)) return current;
    if (isCancelledError(current) || isDeadlineExceededError(current)) return current.reason;
    const fields = fieldsOf(current);
    current = fields?.['cause'] ?? partsOf(fields ?? {})[0];
  }
  return undefined;
}

/** An error that cannot be read, a revoked proxy say, says nothing of a stop: it failed. */
function readSafely(error: unknown): { readonly shape: Shape; readonly carried?: CancelReason | undefined } {
  try {
    const shape = shapeOf(error);
    return shape === 'failure' ? { shape } : { shape, carried: reasonIn(error) };
  } catch {
    return { shape: 'failure' };
  }
}

function reasonOfState(
  state: CancelState | null | undefined,
): { readonly reason: CancelReason | undefined } | undefined {
  if (!isObject(state)) return undefined;
  if ('isCancelled' in state) return state.isCancelled ? { reason: state.reason } : undefined;
  return state.aborted ? readAbort(state.reason) : undefined;
}

function isLimit(reason: CancelReason | undefined): boolean {
  return reason?.kind === 'deadline' || reason?.kind === 'idle';
}

/**
 * Says what an error means for work that ran under a token. A `cause` is looked at, and its cause; an `AggregateError` or
 * `SuppressedError` is a stop only if everything in it is, at any depth.
 *
 * @checkpoint never: it reads the token and throws nothing
 * @param error Whatever was thrown, of any library, or a reason.
 * @param token The token the work ran under; without it nothing can be called ours, and ambiguous shapes are failures.
 * @returns What it was, why, and whether trying again can help.
 * @example
 * ```ts
 * import { CancellationTokenSource, classify } from 'desist'
 *
 * const source = new CancellationTokenSource()
 * source.cancel('user')
 * classify(new DOMException('gone', 'AbortError'), source.token).status // => 'cancelled'
 * classify(new Error('disk full'), source.token).status // => 'failure'
 * ```
 * @source gRPC status codes
 * @since 0.1.0
 */
export function classify(error: unknown, token?: CancelState | null): Classification {
  const state = reasonOfState(token);
  const { shape, carried } = isAbortedWith(error, token, state?.reason) ? ABORTED : readSafely(error);
  // Nothing under a token that is cancelled itself is worth another try: it would be cancelled before it starts.
  if (shape === 'failure') return { status: 'failure', retryable: state === undefined ? undefined : false };

  if (state !== undefined) {
    const reason = state.reason ?? carried ?? createReason();
    // Somebody else's limit that passed in a run that a person stopped is still that limit.
    if (shape !== 'timeout' || isLimit(reason)) {
      return { status: isLimit(reason) ? 'deadline' : 'cancelled', reason, retryable: false };
    }
  }
  if (shape === 'timeout' || isLimit(carried)) {
    const reason = carried === undefined ? {} : { reason: carried };
    return { status: 'deadline', ...reason, retryable: state === undefined };
  }
  if (shape === 'ambiguous') return { status: 'failure', retryable: undefined };
  return { status: 'foreign-abort', ...(carried === undefined ? {} : { reason: carried }), retryable: false };
}

const ABORTED = { shape: 'abort', carried: undefined } as const;

/**
 * Whether an error that is no object is the very value that somebody aborted with: `abort('stop')` makes everything
 * below reject with that string, and any other string is a failure.
 */
function isAbortedWith(
  error: unknown,
  token: CancelState | null | undefined,
  reason: CancelReason | undefined,
): boolean {
  if (reason === undefined || fieldsOf(error) !== undefined) return false;
  // `abort(null)` leaves no cause.
  return (
    Object.is(error ?? undefined, reason.cause) || Object.is(error, (token as { readonly reason?: unknown }).reason)
  );
}

/**
 * Whether an error means "stopped": by the token, by a limit, or – without a token – by anybody.
 *
 * @checkpoint never: it reads the token and throws nothing
 * @param error Whatever was thrown.
 * @param token If given, only a stop that came from this token or a limit counts.
 * @returns `false` for every genuine failure.
 * @example
 * ```ts
 * import { CancelledError, isCancellation } from 'desist'
 *
 * isCancellation(new CancelledError('user')) // => true
 * isCancellation(new Error('disk full')) // => false
 * ```
 * @since 0.1.0
 */
export function isCancellation(error: unknown, token?: CancelState | null): boolean {
  const { status } = classify(error, token);
  return (
    status === 'cancelled' ||
    status === 'deadline' ||
    ((token === undefined || token === null) && status === 'foreign-abort')
  );
}
