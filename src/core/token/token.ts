/**
 * The token as an object: its own node in the forest, with the members that people read. The documentation of every
 * member stands at its interface in `cancellation-token.ts`.
 *
 * @module
 */
import { isObject, printable, quoted, requireFunction, requireOptions, type OptionNames } from '../foundation/check.ts';
import { defineHidden } from '../foundation/brand.ts';
import { reasonToJSON, type CancelReasonJSON } from '../foundation/reason-json.ts';
import type { CancelReason } from '../foundation/reason.ts';
import { signalOf } from './bridge/signal.ts';
import type { ChildOptions } from './configure.ts';
import { Source } from './source.ts';
import { canBeCancelled, deadlineOf } from './tree/ancestors.ts';
import { clockOf } from './tree/environment.ts';
import { shorten } from './tree/child-lists.ts';
import { LAYOUT } from './tree/layout.ts';
import { listen, listenKilled, listenWith, type Registration } from './tree/listeners.ts';
import { EPOCH, FROZEN, Node, SHIELD, rareOf } from './tree/node.ts';
import { cancellationAt, errorOf, inherit, saysCancelledSlow, saysKilled } from './tree/state.ts';

const tokenBrand = Symbol.for('desist.token');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

/** What to write where a token was given in the place of options. */
export const PARENT_OPTION = 'write new CancellationTokenSource({ parent: token })';

const childOptions: OptionNames<ChildOptions> = {
  name: 1,
  timeoutMs: 1,
  deadlineAt: 1,
  clock: 1,
  captureStack: 1,
  onCallbackError: 1,
};

/** The read handle. No fields of its own: a token is made for every tool call. */
export class Token extends Node {
  static readonly pinned: Source = /* @__PURE__ */ setUp(Token);

  get isCancelled(): boolean {
    return this.stamp !== EPOCH.value && saysCancelledSlow(this);
  }

  get isKilled(): boolean {
    return saysKilled(this);
  }

  get canBeCancelled(): boolean {
    return canBeCancelled(this);
  }

  get reason(): CancelReason | undefined {
    return this.isCancelled ? cancellationAt(this).reason : undefined;
  }

  get name(): string | undefined {
    return this.extra?.name;
  }

  get deadlineAt(): number {
    return (this.flags & FROZEN) === 0 ? deadlineOf(this) : Infinity;
  }

  remainingMs(): number {
    const at = this.deadlineAt;
    return at === Infinity ? Infinity : Math.max(0, at - clockOf(this).now());
  }

  get signal(): AbortSignal {
    return signalOf(this);
  }

  throwIfCancelled(): void {
    if (this.stamp !== EPOCH.value && saysCancelledSlow(this)) throw errorOf(this);
  }

  onCancelled(fn: (reason: CancelReason) => void): Registration {
    requireFunction('onCancelled(fn)', fn);
    return listen(this, fn);
  }

  onKilled(fn: (reason: CancelReason) => void): Registration {
    requireFunction('onKilled(fn)', fn);
    return listenKilled(this, fn);
  }

  /** What a check without types would read: neither a function nor `undefined` says whether to stop. */
  get cancelled(): never {
    throw new TypeError('write isCancelled');
  }

  whenCancelled(): Promise<CancelReason> {
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

  child(options?: ChildOptions): Source {
    if (options !== undefined) requireOptions(options, childOptions, PARENT_OPTION);
    return new Source(childOf(this), options);
  }
}

function settleWith(reason: CancelReason, resolve: (reason: CancelReason) => void): void {
  resolve(reason);
}

/** What the class needs beyond its body, as part of it: a bundler drops both or neither. */
function setUp(type: typeof Token): Source {
  defineHidden(type, [
    [tokenBrand, LAYOUT],
    [inspectSymbol, inspectToken],
  ]);
  return new Source(new type(undefined));
}

/** What `console.log` and `util.inspect` show in Node. */
function inspectToken(this: Token): string {
  const name = this.name === undefined ? '' : ` ${quoted(this.name)}`;
  const state = this.isKilled ? 'killed' : this.isCancelled ? 'cancelled' : 'live';
  const why = this.reason === undefined ? '' : `: ${this.reason.kind}, ${printable(this.reason.message)}`;
  return `CancellationToken${name} { ${state}${why} }`;
}

/** Whether a value is a token whose node we can link to; a token of another layout is bridged through its signal. */
export function isToken(value: unknown): value is Token {
  if (!isObject(value) || (value as Readonly<Record<symbol, unknown>>)[tokenBrand] !== LAYOUT) return false;
  // What inherits from a token has its fields, and not as its own. Asked at every call: right behind the read of the mark a
  // comparison of prototypes costs nothing, and only of another copy's token the fields are looked for.
  return Object.getPrototypeOf(value) === Token.prototype || Object.hasOwn(value, 'stamp');
}

/** A token below another one. */
export function childOf(parent: Node): Token {
  const above = parent.parent;
  if (above !== undefined && (above.flags & FROZEN) !== 0) shorten(parent);
  const token = new Token(parent);
  if ((parent.flags & FROZEN) !== 0) shorten(token);
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
