/**
 * The two handles, implemented: the token is its node, the source is the right to cancel it.
 * On the token floor above the node's machinery; one file, because each makes the other. The documentation of every
 * member stands at its interface in `handles.ts`.
 * Prior art: .NET `CancellationTokenSource`, tokio-util's `DropGuard`.
 *
 * @module
 */
import { requireFunction, requireMs } from '../foundation/check.ts';
import { pin } from '../foundation/pin.ts';
import {
  createReason,
  reasonToJSON,
  type CancelReason,
  type CancelReasonInit,
  type CancelReasonJSON,
} from '../foundation/reason.ts';
import { configure } from './configure.ts';
import { clockOf } from './environment.ts';
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
import { armGrace, cancellationOf, limit } from './limits.ts';
import { canBeCancelled, canChange, deadlineOf } from './lookup.ts';
import { EPOCH, Node, SHIELD, rareOf } from './node.ts';
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

/** The write handle. One field: it is made for every tool call. */
export class Source implements CancellationTokenSource {
  // Declared, not defined: see `Node`.
  declare readonly token: Token;

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
    limit(this.token, ms === Infinity ? ms : clockOf(this.token).now() + ms, reason ?? ms);
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

pin(new Source(new Token(undefined)));

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
