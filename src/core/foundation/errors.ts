/**
 * The two errors of the package: "you were cancelled" and "your own limit passed". Prior art: DOMException
 * `AbortError` / `TimeoutError`, .NET `OperationCanceledException`.
 *
 * @module
 */
import type { AbandonedWork } from './results/abandoned-work.ts';
import { defineHidden, hasBrand, recognise } from './brand.ts';
import {
  noOptions,
  printable,
  printableStack,
  quoted,
  requireNames,
  type OptionNames,
  wrongType,
  type OptionsOnly,
} from './check.ts';
import { BaseError, withoutStack } from './error-base.ts';
import { createReason, isCancelReason, type CancelReason, type CancelReasonInit } from './reason.ts';

const cancelledBrand = Symbol.for('desist.CancelledError');
const deadlineBrand = Symbol.for('desist.DeadlineExceededError');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

/** Options of `new CancelledError`. */
export interface CancelledErrorOptions extends OptionsOnly {
  /** The finished value of work whose cancel was noticed only afterwards. */
  readonly completed?: { readonly value: unknown } | undefined;
  /** Names the work that did not end within its grace: it may still be running, its effects are unknown. */
  readonly abandoned?: AbandonedWork | undefined;
  /** Captures a stack trace, which costs more than everything else about a cancel together. Off by default. */
  readonly captureStack?: boolean | undefined;
}

const optionNames: OptionNames<CancelledErrorOptions> = { completed: 1, abandoned: 1, captureStack: 1 };

/** Who cancelled what, when: the line that `util.inspect` shows. */
function describe(reason: CancelReason): string {
  const by = reason.by === undefined ? '' : ` by ${printable(reason.by)}`;
  const source = reason.source === undefined ? '' : ` in ${quoted(reason.source)}`;
  const at = Math.abs(reason.at) < 8.64e15 ? new Date(reason.at).toISOString() : '?';
  return `kind ${reason.kind}${by}${source} at ${at}`;
}

/**
 * Thrown where a cancel ends work. Its name is `AbortError` and its code `ABORT_ERR`, because that is what `fetch`,
 * Node and the model SDKs take for a cancellation rather than a failure.
 *
 * One error is made per cancel, when it is first needed, and shared by everybody who waited; it has no stack unless
 * the source asked for one. Recognise it with {@link isCancellation} or with `instanceof`, also where the package is loaded
 * twice.
 *
 * @example
 * ```ts
 * import { CancelledError } from 'desist'
 *
 * const error = new CancelledError({ kind: 'user', by: 'ada' })
 * error.name // => 'AbortError'
 * error.reason.kind // => 'user'
 * ```
 * @source WHATWG DOM `AbortError`; .NET `OperationCanceledException`
 * @since 0.1.0
 */
export interface CancelledError extends Error {
  readonly name: 'AbortError';
  /** The code Node gives an aborted operation. */
  readonly code: 'ABORT_ERR';
  /** Why; the same object for everything that one cancel reached. */
  readonly reason: CancelReason;
  /** The finished value of work whose cancel was noticed only afterwards. */
  readonly completed: { readonly value: unknown } | undefined;
  /** Names the work that did not end within its grace. */
  readonly abandoned: AbandonedWork | undefined;
}

const Cancelled = class CancelledError extends BaseError {
  static readonly pinned: unknown = /* @__PURE__ */ setUp(
    CancelledError,
    () => new CancelledError({ at: 0.5 }),
    isCancelledError,
    [
      [cancelledBrand, true],
      ['name', 'AbortError'],
      ['code', 'ABORT_ERR'],
    ],
  );
  declare readonly name: 'AbortError';
  declare readonly code: 'ABORT_ERR';
  // Behind accessors of the prototype: kept out of enumeration, for loggers that spread an error should not print a tree
  // of causes, and a third of the time of a hidden property on each instance.
  readonly #reason: CancelReason;
  readonly #completed: { readonly value: unknown } | undefined;
  readonly #abandoned: AbandonedWork | undefined;

  constructor(reason?: CancelReason | CancelReasonInit | string, options: CancelledErrorOptions = noOptions) {
    requireNames('options', options, optionNames);
    const full = isCancelReason(reason) ? reason : createReason(reason);
    super(full.message, full.cause === undefined ? undefined : { cause: full.cause });
    this.#reason = full;
    this.#completed = options.completed;
    this.#abandoned = options.abandoned;
  }

  get reason(): CancelReason {
    return #reason in this ? this.#reason : (undefined as never); // asked of the prototype, or through a proxy
  }

  get completed(): { readonly value: unknown } | undefined {
    return #completed in this ? this.#completed : undefined;
  }

  get abandoned(): AbandonedWork | undefined {
    return #abandoned in this ? this.#abandoned : undefined;
  }
};

/**
 * Makes the error of a cancel, for tests and for code that stands between us and a library.
 *
 * @throws TypeError – a reason with a field of the wrong type.
 * @since 0.1.0
 */
export const CancelledError: {
  /**
   * @param reason Why; a string is a kind or a message.
   * @param options What is known beyond the reason.
   * @throws TypeError – a reason with a field of the wrong type.
   */
  new (reason?: CancelReason | CancelReasonInit | string, options?: CancelledErrorOptions): CancelledError;
  readonly prototype: CancelledError;
} = Cancelled;

/** The error of one cancel, stackless unless the source that was cancelled wants stacks. */
export function createCancelledError(reason: CancelReason, options: CancelledErrorOptions = noOptions): CancelledError {
  return withoutStack(options.captureStack === true, () => new CancelledError(reason, options));
}

/**
 * Thrown by the function that set a limit when it was that limit which passed – and by nobody else: further up, or
 * from a parent's limit, the same event is a {@link CancelledError} of kind `deadline` or `idle`.
 *
 * @example
 * ```ts
 * import { DeadlineExceededError } from 'desist'
 *
 * new DeadlineExceededError(250, { kind: 'deadline' }).message // => 'Not finished within 250 ms'
 * ```
 * @source WHATWG DOM `TimeoutError`; Go `context.DeadlineExceeded`
 * @since 0.1.0
 */
export interface DeadlineExceededError extends Error {
  readonly name: 'TimeoutError';
  /** The limit that passed, in milliseconds. */
  readonly limitMs: number;
  /** The reason recorded when it passed; its kind is `deadline` or `idle`. */
  readonly reason: CancelReason;
  /** What was finished before the limit was noticed. */
  readonly completed: { readonly value: unknown } | undefined;
  /** Names the work that did not end within its grace. */
  readonly abandoned: AbandonedWork | undefined;
}

const Exceeded = class DeadlineExceededError extends BaseError {
  static readonly pinned: unknown = /* @__PURE__ */ setUp(
    DeadlineExceededError,
    () => new DeadlineExceededError(0.5, { at: 0.5 }),
    isDeadlineExceededError,
    [
      [deadlineBrand, true],
      ['name', 'TimeoutError'],
    ],
  );
  declare readonly name: 'TimeoutError';
  readonly limitMs: number;
  readonly #reason: CancelReason;
  readonly #completed: { readonly value: unknown } | undefined;
  readonly #abandoned: AbandonedWork | undefined;

  constructor(
    limitMs: number,
    reason?: CancelReason | CancelReasonInit,
    options: Omit<CancelledErrorOptions, 'captureStack'> = noOptions,
  ) {
    requireNames('options', options, optionNames);
    if (typeof limitMs !== 'number') throw wrongType('limitMs', 'a number', limitMs);
    const full = isCancelReason(reason) ? reason : createReason({ kind: 'deadline', ...reason });
    const what = full.kind === 'idle' ? 'Nothing moved for' : 'Not finished within';
    super(`${what} ${String(limitMs)} ms`, full.cause === undefined ? undefined : { cause: full.cause });
    this.limitMs = limitMs;
    this.#reason = full;
    this.#completed = options.completed;
    this.#abandoned = options.abandoned;
  }

  get reason(): CancelReason {
    return #reason in this ? this.#reason : (undefined as never);
  }

  get completed(): { readonly value: unknown } | undefined {
    return #completed in this ? this.#completed : undefined;
  }

  get abandoned(): AbandonedWork | undefined {
    return #abandoned in this ? this.#abandoned : undefined;
  }
};

/**
 * Makes the error of a limit that passed.
 *
 * @throws TypeError – the limit is not a number, or a reason with a field of the wrong type.
 * @since 0.1.0
 */
export const DeadlineExceededError: {
  /**
   * @param limitMs The limit that passed, in milliseconds.
   * @param reason The recorded reason.
   * @param options What was finished before the limit was noticed, and the name of work that is still running.
   * @throws TypeError – the limit is not a number.
   */
  new (
    limitMs: number,
    reason?: CancelReason | CancelReasonInit,
    options?: Omit<CancelledErrorOptions, 'captureStack'>,
  ): DeadlineExceededError;
  readonly prototype: DeadlineExceededError;
} = Exceeded;

/**
 * What the class of an error needs beyond its body. On the prototype: the stack's first line is written while the
 * constructor runs and must already read the name.
 *
 * @returns An instance to keep, with an instant that is no whole number; see `Cancellation`.
 */
function setUp<T>(
  type: { readonly prototype: object },
  instance: () => T,
  isInstance: (value: unknown) => boolean,
  members: readonly (readonly [PropertyKey, unknown])[],
): T {
  recognise(defineHidden(type, [...members, ['toString', errorText], [inspectSymbol, inspectError]]), isInstance);
  return instance();
}

/** What `console.log` and `util.inspect` show in Node. */
function inspectError(this: CancelledError | DeadlineExceededError): string {
  const text = printableStack(this, errorText.call(this));
  const late = this.abandoned === undefined ? '' : `, abandoned: ${printable(this.abandoned.name)}`;
  return `${text} [${describe(this.reason)}${late}]`;
}

/** `String(error)`: as of any error, with the caller's words made safe to print. */
function errorText(this: Error): string {
  return `${this.name}: ${printable(this.message)}`;
}

/** Whether a value is a `CancelledError` of any copy of this package: what `instanceof` asks, without its detour. */
export function isCancelledError(value: unknown): value is CancelledError {
  return hasBrand(value, cancelledBrand) && isCancelReason((value as CancelledError).reason);
}

/**
 * Whether a value is a `DeadlineExceededError` of any copy of this package.
 *
 * @param value Anything, for example what was caught.
 * @returns `true` for a `DeadlineExceededError`, and only for that.
 * @since 0.1.0
 */
export function isDeadlineExceededError(value: unknown): value is DeadlineExceededError {
  return hasBrand(value, deadlineBrand) && isCancelReason((value as DeadlineExceededError).reason);
}
