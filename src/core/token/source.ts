/**
 * The two handles, implemented: the token is its node, the source is the right to cancel it.
 * On the token floor above the node's machinery; one file, because each makes the other. The documentation of every
 * member stands at its interface in `handles.ts`.
 * Prior art: .NET `CancellationTokenSource`, tokio-util's `DropGuard`.
 *
 * @module
 */
import { requireFunction, requireMs, show } from '../foundation/check.ts';
import type { Clock } from '../foundation/clock.ts';
import { ensureDisposable } from '../foundation/disposable.ts';
import { createCancelledError } from '../foundation/errors.ts';
import {
  createReason,
  reasonToJSON,
  type CancelReason,
  type CancelReasonInit,
  type CancelReasonJSON,
} from '../foundation/reason.ts';
import { Alarm, clearAlarm, setAlarm } from './deadline.ts';
import { clockOf, setEnvironment } from './environment.ts';
import type {
  CancelGuard,
  CancelOptions,
  CancellationToken,
  CancellationTokenSource,
  ChildOptions,
  Registration,
} from './handles.ts';
import { listen, listenKilled, listenWith } from './listener.ts';
import { LAYOUT } from './layout.ts';
import { canBeCancelled, canChange, deadlineOf } from './lookup.ts';
import { Cancellation, EPOCH, Node, SHIELD, STACK, extraOf, rareOf } from './node.ts';
import { cancelNode, isLive, killNode, releaseNode } from './propagation.ts';
import { errorOf, inherit, isCancelledSlow, isKilled } from './pull.ts';
import { signalOf } from './signal.ts';

const tokenBrand = Symbol.for('desist.token');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

/** The read handle. No fields of its own: a token is made for every tool call. */
export class Token extends Node implements CancellationToken {
  get isCancelled(): boolean {
    return this.stamp !== EPOCH.value && isCancelledSlow(this);
  }

  get isKilled(): boolean {
    return isKilled(this);
  }

  get canBeCancelled(): boolean {
    return canBeCancelled(this);
  }

  get reason(): CancelReason | undefined {
    return this.isCancelled ? this.cancellation?.reason : undefined;
  }

  get name(): string | undefined {
    return this.extra?.name;
  }

  get deadlineAt(): number {
    return deadlineOf(this);
  }

  remainingMs(): number {
    const at = deadlineOf(this);
    return at === Infinity ? Infinity : Math.max(0, at - clockOf(this).now());
  }

  get signal(): AbortSignal {
    return signalOf(this);
  }

  throwIfCancelled(): void {
    if (this.stamp !== EPOCH.value && isCancelledSlow(this)) throw errorOf(this);
  }

  onCancelled(fn: (reason: CancelReason) => void): Registration {
    requireFunction('onCancelled(fn)', fn);
    return listen(this, fn);
  }

  onKilled(fn: (reason: CancelReason) => void): Registration {
    requireFunction('onKilled(fn)', fn);
    return listenKilled(this, fn);
  }

  cancelled(): Promise<CancelReason> {
    return (rareOf(this).cancelled ??= new Promise((resolve) => {
      listenWith(this, settleWith, resolve);
    }));
  }

  /** What a logger sees: no links, and no cause. */
  toJSON(): { readonly name?: string; readonly isCancelled: boolean; readonly reason?: CancelReasonJSON } {
    const { name, isCancelled, reason } = this;
    return {
      ...(name === undefined ? {} : { name }),
      isCancelled,
      ...(reason === undefined ? {} : { reason: reasonToJSON(reason) }),
    };
  }

  child(options?: ChildOptions): CancellationTokenSource {
    return new Source(childOf(this), options);
  }
}

function settleWith(reason: CancelReason, resolve: (reason: CancelReason) => void): void {
  resolve(reason);
}

Object.defineProperty(Token.prototype, tokenBrand, { value: LAYOUT });
Object.defineProperty(Token.prototype, inspectSymbol, {
  value(this: Token): string {
    const name = this.name === undefined ? '' : ` ${JSON.stringify(this.name)}`;
    const state = this.isKilled ? 'killed' : this.isCancelled ? 'cancelled' : 'live';
    const why = this.reason === undefined ? '' : `: ${this.reason.kind}, ${this.reason.message}`;
    return `CancellationToken${name} { ${state}${why} }`;
  },
});

/** Whether a value is a token whose node we can link to; a token of another layout is bridged through its signal. */
export function isToken(value: unknown): value is Token {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[tokenBrand] === LAYOUT;
}

/** A token below another one. */
export function childOf(parent: Node): Token {
  const token = new Token(parent);
  inherit(token, parent);
  return token;
}

/** A token that its parent's cancel does not reach, only its kill (I5). */
export function shieldOf(parent: Node): Token {
  const token = new Token(parent);
  token.flags |= SHIELD;
  inherit(token, parent);
  return token;
}

/** Rings when the limit of a token has passed. */
class DeadlineAlarm extends Alarm {
  readonly #token: Token;
  /** What to say: the caller's reason, or the length of the limit. */
  readonly #what: CancelReasonInit | string | number;

  constructor(at: number, token: Token, what: CancelReasonInit | string | number) {
    super(at);
    this.#token = token;
    this.#what = what;
  }

  override ring(): void {
    const token = this.#token;
    const what = this.#what;
    const init = typeof what === 'number' ? { message: `Not finished within ${String(what)} ms` } : what;
    if (isLive(token)) cancelNode(token, cancellationOf(token, init, 'deadline'));
  }
}

/** Rings when the grace of a cancel has passed. */
class GraceAlarm extends Alarm {
  readonly #token: Token;

  constructor(at: number, token: Token) {
    super(at);
    this.#token = token;
  }

  override ring(): void {
    const token = this.#token;
    if (token.extra?.rare?.grace === this) token.extra.rare.grace = undefined;
    if (token.cancellation !== undefined && !isKilled(token)) killNode(token, token.cancellation);
  }
}

function cancellationOf(
  token: Token,
  init: CancelReasonInit | string | undefined,
  kind: 'unknown' | 'deadline',
): Cancellation {
  const reason = createReason(init, { kind, source: token.name, at: clockOf(token).now() });
  // A stack says who asked, so it is captured here and not where the error is first needed.
  const error = (token.flags & STACK) !== 0 ? createCancelledError(reason, { captureStack: true }) : undefined;
  return new Cancellation(reason, error);
}

/** Cancels a token at an instant, instead of whatever own limit it had. */
export function limit(token: Token, at: number, what: CancelReasonInit | string | number, now?: number): void {
  const clock = clockOf(token);
  const extra = extraOf(token);
  if (extra.deadline !== undefined) clearAlarm(clock, extra.deadline);
  extra.deadline = undefined;
  if (at === Infinity || !isLive(token)) return;
  const alarm = new DeadlineAlarm(at, token, what);
  extra.deadline = alarm;
  setAlarm(clock, alarm, now);
}

/** Applies what the maker of a token said of it. */
export function configure(token: Token, options: ChildOptions): void {
  const { name, timeoutMs, deadlineAt, clock, captureStack, onCallbackError } = options;
  if (clock !== undefined || onCallbackError !== undefined) {
    if (clock !== undefined) requireClock(clock);
    if (onCallbackError !== undefined) requireFunction('onCallbackError', onCallbackError);
    setEnvironment(token, clock, onCallbackError);
  }
  if (name !== undefined) {
    if (typeof name !== 'string') throw new TypeError(`name must be a string, got ${show(name)}`);
    extraOf(token).name = name;
  }
  if (captureStack === true) token.flags |= STACK;
  if (timeoutMs === undefined && deadlineAt === undefined) return;
  const span = timeoutMs === undefined ? Infinity : requireMs('timeoutMs', timeoutMs, 'infinity-allowed');
  const until = deadlineAt === undefined ? Infinity : requireInstant(deadlineAt);
  if (span === Infinity && until === Infinity) return;
  const now = clockOf(token).now();
  const at = Math.min(now + span, until);
  limit(token, at, at < now + span ? Math.max(0, Math.round(at - now)) : span, now);
}

function requireInstant(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError(`deadlineAt must be epoch milliseconds, got ${show(value)}`);
  if (Number.isNaN(value) || value === -Infinity)
    throw new RangeError(`deadlineAt must be an instant, got ${String(value)}`);
  return value;
}

function requireClock(value: unknown): void {
  const clock = value as Partial<Clock> | null;
  if (typeof clock?.now !== 'function' || typeof clock.setTimer !== 'function') {
    throw new TypeError(`clock must have now() and setTimer(), got ${show(value)}`);
  }
}

/** The write handle. One field: it is made for every tool call. */
export class Source implements CancellationTokenSource {
  readonly token: Token;

  constructor(token: Token, options?: ChildOptions) {
    this.token = token;
    if (options !== undefined) configure(token, options);
  }

  get signal(): AbortSignal {
    return signalOf(this.token);
  }

  get isCancelled(): boolean {
    return this.token.isCancelled;
  }

  get reason(): CancelReason | undefined {
    return this.token.reason;
  }

  cancel(reason?: CancelReasonInit | string, options?: CancelOptions): boolean {
    const token = this.token;
    const graceMs = options?.graceMs;
    if (graceMs !== undefined) requireMs('graceMs', graceMs, 'infinity-allowed');
    const cancellation = cancellationOf(token, reason, 'unknown');
    const won = isLive(token);
    if (won) cancelNode(token, cancellation);
    if (graceMs !== undefined && graceMs !== Infinity) armGrace(token, graceMs);
    return won;
  }

  kill(reason?: CancelReasonInit | string): boolean {
    const token = this.token;
    const cancellation = cancellationOf(token, reason, 'unknown');
    if (!canChange(token) || isKilled(token)) return false;
    killNode(token, cancellation);
    return true;
  }

  cancelAfter(ms: number, reason?: CancelReasonInit | string): void {
    requireMs('cancelAfter(ms)', ms, 'infinity-allowed');
    // A reason that makes no sense is refused now, not when nobody is there to catch it.
    if (reason !== undefined) createReason(reason);
    const now = clockOf(this.token).now();
    limit(this.token, now + ms, reason ?? ms, now);
  }

  dropGuard(): CancelGuard {
    return new Guard(this);
  }

  release(): void {
    releaseNode(this.token);
  }

  [Symbol.dispose](): void {
    releaseNode(this.token);
  }
}
ensureDisposable(Source, function (this: Source) {
  this.release();
});

/** The earliest grace counts: a second cancel can hurry a stop, not delay it. */
function armGrace(token: Token, graceMs: number): void {
  if (!canChange(token) || isKilled(token)) return;
  const clock = clockOf(token);
  const at = clock.now() + graceMs;
  const rare = rareOf(token);
  if (rare.grace !== undefined) {
    if (rare.grace.at <= at) return;
    clearAlarm(clock, rare.grace);
  }
  rare.grace = new GraceAlarm(at, token);
  setAlarm(clock, rare.grace);
}

class Guard implements CancelGuard {
  #source: Source | undefined;
  readonly token: Token;

  constructor(source: Source) {
    this.#source = source;
    this.token = source.token;
  }

  disarm(): void {
    this.#source = undefined;
  }

  [Symbol.dispose](): void {
    const source = this.#source;
    this.#source = undefined;
    source?.cancel();
  }
}
ensureDisposable(Guard, function (this: Guard) {
  this[Symbol.dispose]();
});
