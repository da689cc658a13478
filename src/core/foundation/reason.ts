/**
 * Why something was stopped, as data: a kind, a message, an instant, and what the application adds to it.
 * Prior art: Trio's `Cancelled.source/reason`, Go's `context.Cause`.
 *
 * @module
 */
import { defineHidden, hasBrand } from './brand.ts';
import { isObject, optionalText, requireOneOf, wrongType } from './check.ts';
import { cancelKinds, defaultMessages, isKind, isStandard, type CancelKind } from './cancel-kind.ts';
import { systemNow } from './clock.ts';

/**
 * What can be written as JSON and read again unchanged.
 *
 * @since 0.1.0
 */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * Why something was stopped. Immutable; the same object for every descendant that one cancel reached.
 *
 * @source Trio `Cancelled`, Go `context.Cause`
 * @since 0.1.0
 */
export interface CancelReason {
  readonly kind: CancelKind;
  /** One line for people, without a full stop. */
  readonly message: string;
  /** When it was asked for, in epoch milliseconds of the clock of the token that was cancelled. */
  readonly at: number;
  /** The name of the scope that was cancelled, if it had one. */
  readonly source?: string;
  /** Who asked, as the caller names people. */
  readonly by?: string;
  /** What the application has to say besides; crosses processes. */
  readonly detail?: JsonValue;
  /** What led to it, often an error. Never leaves the process. */
  readonly cause?: unknown;
}

/**
 * What a caller says of a cancel; everything left out has a default.
 *
 * @since 0.1.0
 */
export interface CancelReasonInit {
  readonly kind?: CancelKind | undefined;
  readonly message?: string | undefined;
  readonly by?: string | undefined;
  readonly source?: string | undefined;
  /** What the application has to say besides, as JSON of at most 2 kB; crosses processes. */
  readonly detail?: JsonValue | undefined;
  readonly cause?: unknown;
  /** Epoch milliseconds; the token's clock says it if you do not. */
  readonly at?: number | undefined;
}

/**
 * What a stop may be asked for with: a message or a kind, an error, a reason, or what is known of one.
 *
 * @since 0.1.0
 */
export type CancelReasonLike = string | Error | CancelReason | CancelReasonInit | null;

const reasonBrand = Symbol.for('desist.reason');

/** The internal shape: branded under a registered symbol, so that a copy of the package knows it, and invisible to JSON. */
class Reason implements CancelReason {
  static readonly branded: unknown = /* @__PURE__ */ defineHidden(Reason, [[reasonBrand, true]]);
  declare readonly kind: CancelKind;
  declare readonly message: string;
  declare readonly at: number;
  declare readonly source?: string;
  declare readonly by?: string;
  declare readonly detail?: JsonValue;
  declare readonly cause?: unknown;

  constructor(kind: CancelKind, message: string, at: number) {
    this.kind = kind;
    this.message = message;
    this.at = at;
  }
}

/**
 * Whether a value is a reason this package made.
 *
 * @param value Anything.
 * @returns `true` for a reason of any copy of the package.
 * @since 0.1.0
 */
export function isCancelReason(value: unknown): value is CancelReason {
  if (!hasBrand(value, reasonBrand)) return false;
  // Anybody can write our mark on anything.
  const { kind, message, at } = value as Partial<CancelReason>;
  return typeof kind === 'string' && typeof message === 'string' && typeof at === 'number';
}

const NOTHING: CancelReasonInit = {};

/** Whether somebody passed an error on, as one does with `AbortController.abort`; of any realm. */
export function isError(init: object): boolean {
  return init instanceof Error || 'stack' in init;
}

/** What the signals say that a person or a supervisor sends to a process. */
const signalKinds: Readonly<Record<string, CancelKind | undefined>> = {
  // Not an object with a prototype: `cancel('constructor')` is a message.
  __proto__: null as never,
  SIGINT: 'user',
  SIGTERM: 'shutdown',
  SIGHUP: 'shutdown',
};

function isEvent(value: object): boolean {
  const { type, stopPropagation } = value as { readonly type?: unknown; readonly stopPropagation?: unknown };
  return typeof type === 'string' && typeof stopPropagation === 'function';
}

/** What a caller says, in one shape. Of an error: the reason it carries, or its words and itself as the cause. */
function givenBy(init: CancelReasonLike | undefined): CancelReasonInit | CancelReason {
  if (init === undefined || init === null) return NOTHING;
  if (typeof init === 'string') {
    const kind = signalKinds[init] ?? init;
    return isStandard(kind) ? { kind } : { message: init };
  }
  if (!isObject(init) || Array.isArray(init)) throw wrongType('a cancel reason', 'a string or an object', init);
  // `addEventListener('abort', stop)` hands over an event, which says nothing of why.
  if (isEvent(init)) return NOTHING;
  if (!isError(init)) return init;
  const { reason } = init as { readonly reason?: unknown };
  return isCancelReason(reason) ? reason : saidBy(init);
}

/** What an error, or whatever was thrown or handed over in its place, says of itself; it becomes the cause. */
export function saidBy(error: unknown): CancelReasonInit {
  const fields: { readonly name?: unknown; readonly message?: unknown } = isObject(error) ? error : {};
  const message = typeof error === 'string' ? error : fields.message;
  return {
    kind: fields.name === 'TimeoutError' ? 'deadline' : undefined,
    message: typeof message === 'string' && message !== '' ? message : undefined,
    cause: error ?? undefined,
  };
}

/**
 * Makes a reason. A string is a kind if it is one of the kinds, otherwise a message of kind `unknown`. An error gives
 * its message and becomes the cause; one that carries a reason, as `signal.reason` of every signal made here does, gives
 * that. `SIGINT` is kind `user`, `SIGTERM` and `SIGHUP` are `shutdown`; `null` and an event say nothing.
 *
 * @param init What is known; a finished reason passes through unchanged.
 * @param defaults Filled in where `init` says nothing: kind `unknown`, the kind's message, the system clock's now.
 * @returns A frozen reason.
 * @throws TypeError – a field of the wrong type, or a kind that does not exist.
 */
export function createReason(init?: CancelReasonLike, defaults: CancelReasonInit = {}): CancelReason {
  if (isCancelReason(init)) return init;
  const given = givenBy(init);
  if (isCancelReason(given)) return given;

  const kind = given.kind ?? defaults.kind ?? 'unknown';
  // The list is for the message of a refusal.
  if (!isKind(kind)) requireOneOf('reason.kind', kind, cancelKinds);
  const message =
    optionalText('reason.message', given.message) ??
    // A default message belongs to the default kind: "User cancelled" must not stand beside kind 'shutdown'.
    (kind === defaults.kind ? optionalText('reason.message', defaults.message) : undefined) ??
    defaultMessages[kind] ??
    defaultMessages.unknown;
  const at = given.at ?? defaults.at ?? systemNow();
  if (typeof at !== 'number' || !Number.isFinite(at)) {
    throw wrongType('reason.at', 'epoch milliseconds', at);
  }
  const reason = new Reason(kind, message, at) as { -readonly [K in keyof CancelReason]: CancelReason[K] };
  const source = optionalText('reason.source', given.source) ?? defaults.source;
  if (source !== undefined) reason.source = source;
  const by = optionalText('reason.by', given.by) ?? defaults.by;
  if (by !== undefined) reason.by = by;
  const detail = given.detail ?? defaults.detail;
  if (detail !== undefined) reason.detail = plainDetail(detail);
  const cause = given.cause ?? defaults.cause;
  // Not enumerable: neither JSON nor a structured clone takes it out of the process.
  if (cause !== undefined) Object.defineProperty(reason, 'cause', { value: cause });
  return Object.freeze(reason);
}

/** The most that a detail may take as JSON, in bytes: it travels with every stop that crosses a process border. */
const MAX_DETAIL_BYTES = 2048;

/** A copy that nobody else can write to later. */
function plainDetail(detail: unknown): JsonValue {
  const json = JSON.stringify(detail) as string | undefined;
  if (json === undefined) throw wrongType('reason.detail', 'JSON', detail);
  const bytes = new TextEncoder().encode(json).length;
  if (bytes <= MAX_DETAIL_BYTES) return JSON.parse(json) as JsonValue;
  throw new RangeError(`reason.detail must be at most ${String(MAX_DETAIL_BYTES)} bytes as JSON, got ${String(bytes)}`);
}

/**
 * What a third party may see of any reason: a fixed text, the same for all, with nothing of the caller's in it.
 *
 * @since 0.1.0
 */
export const neutralReasonText = 'Request cancelled';
