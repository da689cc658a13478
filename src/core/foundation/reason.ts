/**
 * Why something was stopped, as data: a closed list of kinds, a message, an instant.
 * On the ground floor because every storey names reasons and none owns them.
 * Prior art: Trio's `Cancelled.source/reason`, Go's `context.Cause`.
 *
 * @module
 */
import { optionalText, requireOneOf, wrongType } from './check.ts';
import { systemClock } from './clock.ts';

/**
 * Who or what wanted the stop.
 *
 * `user` a person · `interjection` a person's new message cut a generation · `superseded` newer work took its place ·
 * `deadline` a total limit · `idle` nothing moved for too long · `budget` a count ran out · `sibling` work beside it
 * failed · `disconnect` the client went away · `shutdown` the process ends · `lease-lost` this process no longer owns
 * the run · `unknown` nobody said.
 *
 * @since 0.1.0
 */
export type CancelKind =
  | 'user'
  | 'interjection'
  | 'superseded'
  | 'deadline'
  | 'idle'
  | 'budget'
  | 'sibling'
  | 'disconnect'
  | 'shutdown'
  | 'lease-lost'
  | 'unknown';

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
  readonly cause?: unknown;
  /** Epoch milliseconds; the token's clock says it if you do not. */
  readonly at?: number | undefined;
}

const defaultMessages = {
  user: 'User cancelled',
  interjection: 'A new message came first',
  superseded: 'Newer work took its place',
  deadline: 'The deadline passed',
  idle: 'Nothing moved for too long',
  budget: 'The budget is used up',
  sibling: 'Work beside it failed',
  disconnect: 'The client disconnected',
  shutdown: 'The process is shutting down',
  'lease-lost': 'Another process owns this run now',
  unknown: 'Cancelled',
} as const satisfies Record<CancelKind, string>;

/** Every kind there is, in the order in which {@link CancelKind} explains them. */
export const cancelKinds: readonly CancelKind[] = Object.freeze(Object.keys(defaultMessages) as CancelKind[]);

const reasonBrand = Symbol.for('desist.reason');

/** The internal shape: branded under a registered symbol, so that a copy of the package knows it, and invisible to JSON. */
class Reason implements CancelReason {
  declare readonly kind: CancelKind;
  declare readonly message: string;
  declare readonly at: number;
  declare readonly source?: string;
  declare readonly by?: string;
  declare readonly cause?: unknown;

  constructor(kind: CancelKind, message: string, at: number) {
    this.kind = kind;
    this.message = message;
    this.at = at;
  }

  get [reasonBrand](): true {
    return true;
  }
}

/**
 * Whether a value is a reason this package made.
 *
 * @param value Anything.
 * @returns `true` for a reason of any copy of the package.
 * @example
 * ```ts
 * import { createReason, isCancelReason } from 'desist'
 *
 * isCancelReason(createReason('user')) // => true
 * isCancelReason({ kind: 'user' }) // => false
 * ```
 * @since 0.1.0
 */
export function isCancelReason(value: unknown): value is CancelReason {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[reasonBrand] === true;
}

const NOTHING: CancelReasonInit = Object.freeze({});

/** Whether somebody passed an error on, as one does with `AbortController.abort`; of any realm. */
function isError(init: object): boolean {
  return init instanceof Error || 'stack' in init;
}

/** What a caller says, in one shape. Of an error: the reason it carries, or its words and itself as the cause. */
function givenBy(init: CancelReasonInit | string | undefined): CancelReasonInit | CancelReason {
  if (init === undefined) return NOTHING;
  if (typeof init === 'string') {
    return Object.hasOwn(defaultMessages, init) ? { kind: init as CancelKind } : { message: init };
  }
  if (typeof init !== 'object' || (init as unknown) === null) {
    throw wrongType('a cancel reason', 'a string or an object', init);
  }
  if (!isError(init)) return init;
  const { reason } = init as { readonly reason?: unknown };
  return isCancelReason(reason) ? reason : saidBy(init);
}

/** What an error, or whatever was thrown or handed over in its place, says of itself; it becomes the cause. */
export function saidBy(error: unknown): CancelReasonInit {
  const fields = typeof error === 'object' && error !== null ? (error as { name?: unknown; message?: unknown }) : {};
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
 * that.
 *
 * @param init What is known; a finished reason passes through unchanged.
 * @param defaults Filled in where `init` says nothing: kind `unknown`, the kind's message, the system clock's now.
 * @returns A frozen reason.
 * @throws TypeError – a field of the wrong type, or a kind that does not exist.
 * @example
 * ```ts
 * import { createReason } from 'desist'
 *
 * createReason({ kind: 'user', by: 'ada' }).message // => 'User cancelled'
 * createReason('the tests went red').kind // => 'unknown'
 * ```
 * @since 0.1.0
 */
export function createReason(
  init?: CancelReasonInit | CancelReason | string,
  defaults: CancelReasonInit = {},
): CancelReason {
  if (isCancelReason(init)) return init;
  const given = givenBy(init);
  if (isCancelReason(given)) return given;

  const kind = given.kind ?? defaults.kind ?? 'unknown';
  // One look-up: every cancel comes through here. The list is for the message of a refusal.
  if (typeof kind !== 'string' || !Object.hasOwn(defaultMessages, kind)) requireOneOf('reason.kind', kind, cancelKinds);
  const message =
    optionalText('reason.message', given.message) ??
    // A default message belongs to the default kind: "User cancelled" must not stand beside kind 'shutdown'.
    (kind === defaults.kind ? optionalText('reason.message', defaults.message) : undefined) ??
    defaultMessages[kind];
  const at = given.at ?? defaults.at ?? systemClock.now();
  if (typeof at !== 'number' || !Number.isFinite(at)) {
    throw wrongType('reason.at', 'epoch milliseconds', at);
  }
  const reason = new Reason(kind, message, at) as { -readonly [K in keyof CancelReason]: CancelReason[K] };
  const source = optionalText('reason.source', given.source) ?? defaults.source;
  if (source !== undefined) reason.source = source;
  const by = optionalText('reason.by', given.by) ?? defaults.by;
  if (by !== undefined) reason.by = by;
  const cause = given.cause ?? defaults.cause;
  // Not enumerable: neither JSON nor a structured clone takes it out of the process.
  if (cause !== undefined) Object.defineProperty(reason, 'cause', { value: cause });
  return Object.freeze(reason);
}

/**
 * A reason as it may cross a process border.
 *
 * @since 0.1.0
 */
export interface CancelReasonJSON {
  readonly kind: CancelKind;
  readonly message: string;
  readonly at: number;
  readonly source?: string;
  readonly by?: string;
}

/**
 * The reason as plain JSON, without its cause: a cause can hold anything, so it stays in the process.
 *
 * @param reason What to send.
 * @returns A plain object, safe to serialise.
 * @example
 * ```ts
 * import { createReason, reasonToJSON } from 'desist'
 *
 * reasonToJSON(createReason({ kind: 'user', at: 5, cause: new Error('secret') }))
 * // => { kind: 'user', message: 'User cancelled', at: 5 }
 * ```
 * @since 0.1.0
 */
export function reasonToJSON(reason: CancelReason): CancelReasonJSON {
  const { kind, message, at, source, by } = reason;
  return { kind, message, at, ...(source !== undefined && { source }), ...(by !== undefined && { by }) };
}

/**
 * The reason that {@link reasonToJSON} wrote, perhaps in another version of the package: a kind this version does not
 * know becomes `unknown`, because a stop must not fail over its label.
 *
 * @param json The parsed object.
 * @returns A frozen reason, equal to the one that was written but for its cause.
 * @throws TypeError – not an object with a message and an instant.
 * @example
 * ```ts
 * import { reasonFromJSON } from 'desist'
 *
 * reasonFromJSON({ kind: 'user', message: 'Stop', at: 5 }).kind // => 'user'
 * ```
 * @since 0.1.0
 */
export function reasonFromJSON(json: unknown): CancelReason {
  if (typeof json !== 'object' || json === null) throw wrongType('a reason', 'an object', json);
  const { kind, message, at, source, by } = json as Record<string, unknown>;
  if (typeof message !== 'string') throw wrongType('reason.message', 'a string', message);
  if (typeof at !== 'number') throw wrongType('reason.at', 'a number', at);
  const known = (cancelKinds as readonly unknown[]).includes(kind) ? (kind as CancelKind) : 'unknown';
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return createReason({ kind: known, message, at, source: text(source), by: text(by) });
}

/**
 * What a third party may see of any reason: a fixed text, the same for all, with nothing of the caller's in it.
 *
 * @since 0.1.0
 */
export const neutralReasonText = 'Request cancelled';
