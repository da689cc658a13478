/**
 * What the shape of an error says by itself, of any library: whether it is how an abort is told.
 *
 * @module
 */
import { isObject } from '../check.ts';
import { isCancelledError } from '../errors.ts';
import { isCancelReason, type CancelReason } from '../reason.ts';

/** How much an error's shape says by itself. */
export type Shape = 'abort' | 'timeout' | 'ambiguous' | 'failure';

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of what has any. */
export function fieldsOf(error: unknown): Fields | undefined {
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
export function partsOf({ name, errors, error, suppressed }: Fields): readonly unknown[] {
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
export const MAX_LOOKS = 10_000;

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

/** Whether it was a limit. */
export function isLimit(reason: CancelReason | undefined): boolean {
  return reason?.kind === 'deadline' || reason?.kind === 'idle';
}

/**
 * The shape of whatever was thrown. An error that cannot be read, a revoked proxy say, says nothing of a stop: it failed. One
 * that is no object is an abort if it is the very value that somebody aborted with: `abort('stop')` makes everything below
 * reject with that string, and any other string is a failure.
 */
export function readShape(error: unknown, reason: CancelReason | undefined): Shape {
  try {
    if (isObject(error)) return shapeOf(error);
    // `abort(null)` leaves no cause.
    return reason !== undefined && Object.is(error ?? undefined, reason.cause) ? 'abort' : 'failure';
  } catch {
    return 'failure';
  }
}

/**
 * Whether an error of work under a token that was cancelled for this reason is that stop: a failure that merely raced the
 * cancel stays a failure, and somebody else's limit that limit.
 */
export function isStopBy(error: unknown, reason: CancelReason): boolean {
  const shape = readShape(error, reason);
  return shape !== 'failure' && (shape !== 'timeout' || isLimit(reason));
}
