/**
 * The token as an object: its own node in the forest, with the members that people read. The documentation of every
 * member stands at its interface in `cancellation-token.ts`.
 *
 * Invariant: its state is in private fields alone. Nobody else can freeze, overwrite or copy it, and what is derived from a
 * token or stands in its place is no token. Accessors on the prototype hand the state to the functions of this package, those
 * of another copy too.
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
import { EPOCH, FROZEN, PARENT, SHIELD, rareOf, type Cancellation, type Extra, type Node } from './tree/node.ts';
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

/** The read handle. Five fields: a token is made for every tool call. */
export class Token implements Node {
  static readonly pinned: Source = /* @__PURE__ */ setUp(Token);

  #stamp: number = EPOCH.value;
  #flags = 0;
  #parent: Node | undefined;
  #cancellation: Cancellation | undefined;
  #extra: Extra | undefined;

  constructor(parent: Node | undefined) {
    this.#parent = parent;
    if (parent === undefined) return;
    // Read-before-write: a parent with thousands of children is not dirtied by each.
    if ((parent.flags & PARENT) === 0) parent.flags |= PARENT;
  }

  /** Whether an object is one of this copy of the package, and not only derived from one. */
  static made(value: object): boolean {
    return #stamp in value;
  }

  get stamp(): number {
    return this.#stamp;
  }

  set stamp(stamp: number) {
    this.#stamp = stamp;
  }

  get flags(): number {
    return this.#flags;
  }

  set flags(flags: number) {
    this.#flags = flags;
  }

  get parent(): Node | undefined {
    return this.#parent;
  }

  set parent(parent: Node | undefined) {
    this.#parent = parent;
  }

  get cancellation(): Cancellation | undefined {
    return this.#cancellation;
  }

  set cancellation(cancellation: Cancellation | undefined) {
    this.#cancellation = cancellation;
  }

  get extra(): Extra | undefined {
    return this.#extra;
  }

  set extra(extra: Extra | undefined) {
    this.#extra = extra;
  }

  get isCancelled(): boolean {
    return this.#stamp !== EPOCH.value && saysCancelledSlow(this);
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
    return this.#extra?.name;
  }

  get deadlineAt(): number {
    return (this.#flags & FROZEN) === 0 ? deadlineOf(this) : Infinity;
  }

  remainingMs(): number {
    const at = this.deadlineAt;
    return at === Infinity ? Infinity : Math.max(0, at - clockOf(this).now());
  }

  get signal(): AbortSignal {
    return signalOf(this);
  }

  throwIfCancelled(): void {
    if (this.#stamp !== EPOCH.value && saysCancelledSlow(this)) throw errorOf(this);
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
    [inspectSymbol, inspectToken],
    // What proxies all plain state, as some screens do, leaves alone what has a tag: a proxy has no private fields.
    [Symbol.toStringTag, 'CancellationToken'],
  ]);
  Object.defineProperty(type.prototype, tokenBrand, {
    get(this: object) {
      return type.made(this) ? LAYOUT : undefined;
    },
  });
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
  if (!isObject(value)) return false;
  // Of another copy's token the mark is asked, which its prototype has.
  return (
    Token.made(value) ||
    ((value as Readonly<Record<symbol, unknown>>)[tokenBrand] === LAYOUT && !Object.hasOwn(value, tokenBrand))
  );
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
