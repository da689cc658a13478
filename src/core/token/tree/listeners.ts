/**
 * Subscriptions to one node. Upholds I7 (registration order) and I9 (at once when late, never after `unregister()`)
 * of `node.ts`.
 *
 * @module
 */
import { defineHidden } from '../../foundation/brand.ts';
import { disposeKey } from '../../foundation/disposable.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import { observe, reportCallbackError } from './environment.ts';
import { linkUp, unlinkUp } from './child-lists.ts';
import { EPOCH, FIXED, NEVER, Rare, extraOf, rareOf, type Extra, type Node, type Slot } from './node.ts';
import { cancellationAt, isCancelledSlow, isKilled, saysCancelledSlow, saysKilled } from './state.ts';

/**
 * A subscription to a cancel or a kill.
 *
 * @cleanup Forgets its callback when it ran, was unregistered, or its token was released.
 * @source Go `context.AfterFunc`; .NET `CancellationTokenRegistration`
 * @since 0.1.0
 */
export interface Registration {
  /**
   * Takes the callback back.
   *
   * @returns `true`: it has not run and never will. `false`: it ran, or is running.
   */
  unregister(): boolean;
  /** The same as `unregister()`, for `using`. */
  [Symbol.dispose](): void;
}

/** What stands in the place of a place in `rare.slots`. */
const INLINE = -1;
const KILL = -2;
const GONE = -3;
const RAN = -4;

/** The lowest bit of `index`, beside the place: a release of the token leaves the listener there, see {@link listenThrough}. */
const KEPT = 1;

/** Stands for the context of a listener that has none. A registered symbol, because copies of the package share nodes. */
const NO_CONTEXT: unique symbol = Symbol.for('desist.no-context') as never;

/** The listener itself is the handle: one allocation per subscription. Its fields are private, as those of a token are. */
class Listener implements Registration, Slot {
  static readonly disposable: unknown = /* @__PURE__ */ defineHidden(Listener, [[disposeKey, dispose]]);
  #node: Node | undefined;
  #fn: Slot['fn'];
  #context: unknown;
  #index: number;
  declare readonly [Symbol.dispose]: () => void;

  constructor(node: Node | undefined, fn: Slot['fn'], context: unknown, index: number) {
    this.#node = node;
    this.#fn = fn;
    this.#context = context;
    this.#index = index;
  }

  get node(): Node | undefined {
    return this.#node;
  }

  get fn(): Slot['fn'] {
    return this.#fn;
  }

  get context(): unknown {
    return this.#context;
  }

  get index(): number {
    return this.#index;
  }

  set index(index: number) {
    this.#index = index;
  }

  /** Lets go of everything that it held. */
  finish(how: number): void {
    this.#node = undefined;
    this.#fn = undefined;
    this.#context = undefined;
    this.#index = how * 2;
  }

  unregister(): boolean {
    const node = this.#node;
    if (node === undefined) return placeOf(this) !== RAN;
    const extra = node.extra as Extra;
    if (placeOf(this) === INLINE) extra.first = undefined;
    else takeOut(extra, this);
    this.finish(GONE);
    if (--extra.watch === 0) unlinkUp(node);
    return true;
  }
}

function dispose(this: Listener): void {
  this.unregister();
}

/** The handle of a callback that ran at once, and of one that never will: both are inert and shared. */
const ranAtOnce: Registration = /* @__PURE__ */ new Listener(undefined, undefined, undefined, RAN * 2);
const neverRuns: Registration = /* @__PURE__ */ new Listener(undefined, undefined, undefined, GONE * 2);

function placeOf({ index }: Slot): number {
  return index >> 1;
}

/** A new place; whether it is kept stays. */
function moveTo(slot: Slot, place: number): void {
  slot.index = place * 2 + (slot.index & KEPT);
}

/** Takes out a listener that is not the inline one: writes the hole. */
function takeOut(extra: Extra, slot: Slot): void {
  const rare = extra.rare as Rare;
  const place = placeOf(slot);
  if (place === KILL) rare.kills?.delete(slot);
  else {
    const slots = rare.slots as (Slot | undefined)[];
    if (place === slots.length - 1) slots.pop();
    else {
      slots[place] = undefined;
      rare.holes++;
    }
  }
}

/** Puts a listener behind those that are there; a list that is all holes has no order to keep. */
function append(extra: Extra, listener: Listener): void {
  const rare = (extra.rare ??= new Rare());
  const slots = (rare.slots ??= []);
  if (slots.length === rare.holes) {
    slots.length = 0;
    rare.holes = 0;
    if (extra.first === undefined) {
      extra.first = listener;
      return;
    }
  } else if (rare.holes > slots.length >> 1) {
    let to = 0;
    for (const slot of slots) {
      if (slot === undefined) continue;
      moveTo(slot, to);
      slots[to++] = slot;
    }
    slots.length = to;
    rare.holes = 0;
  }
  // Not while the list is walked: a cancelled node takes no new listeners.
  moveTo(listener, slots.push(listener) - 1);
}

/**
 * Subscribes to the cancel of a node, with a context instead of a closure: `fn(reason, context, node)`.
 *
 * @returns The handle; an inert one if the callback ran at once or never will.
 */
export function listenWith<C>(
  node: Node,
  fn: (reason: CancelReason, context: C, node: Node) => unknown,
  context: C,
  kept: 0 | typeof KEPT = 0,
): Registration {
  if (node.stamp !== EPOCH.value && (kept === 0 ? saysCancelledSlow(node) : isCancelledSlow(node)))
    return runAtOnce(node, fn, context);
  if ((node.flags & (kept === 0 ? FIXED : NEVER)) !== 0) return neverRuns;
  const extra = extraOf(node);
  const listener = new Listener(node, fn, context, INLINE * 2 + kept);
  if (extra.first === undefined && extra.rare === undefined) extra.first = listener;
  else append(extra, listener);
  if (extra.watch++ === 0) linkUp(node);
  return listener;
}

/** Subscribes to the cancel of a node: `fn(reason)`. */
export function listen(node: Node, fn: (reason: CancelReason) => unknown): Registration {
  return listenWith(node, fn as (reason: CancelReason, context: unknown, node: Node) => unknown, NO_CONTEXT);
}

/** Subscribes to the kill of a node: `fn(reason)`. */
export function listenKilled(
  node: Node,
  fn: (reason: CancelReason) => unknown,
  kept: 0 | typeof KEPT = 0,
): Registration {
  if (kept === 0 ? saysKilled(node) : isKilled(node)) {
    return runAtOnce(node, fn as (reason: CancelReason, context: unknown, node: Node) => unknown, NO_CONTEXT);
  }
  if ((node.flags & (kept === 0 ? FIXED : NEVER)) !== 0) return neverRuns;
  const listener = new Listener(node, fn, NO_CONTEXT, KILL * 2 + kept);
  (rareOf(node).kills ??= new Set()).add(listener);
  if ((node.extra as Extra).watch++ === 0) linkUp(node);
  return listener;
}

/**
 * As `listenWith`, for work of our own that ends by itself and unregisters then: a release of the token does not make it
 * deaf, for it goes on.
 */
export function listenThrough<C>(
  node: Node,
  fn: (reason: CancelReason, context: C, node: Node) => unknown,
  context: C,
): Registration {
  return listenWith(node, fn, context, KEPT);
}

/** The same for the kill. */
export function listenKilledThrough(node: Node, fn: (reason: CancelReason) => unknown): Registration {
  return listenKilled(node, fn, KEPT);
}

/** I9: too late to wait. */
function runAtOnce<C>(
  node: Node,
  fn: (reason: CancelReason, context: C, node: Node) => unknown,
  context: C,
): Registration {
  call(node, fn, cancellationAt(node).reason, context);
  return ranAtOnce;
}

/** I7: nothing that a callback does reaches the caller of `cancel()`. */
function call<C>(
  node: Node,
  fn: (reason: CancelReason, context: C, node: Node) => unknown,
  reason: CancelReason,
  context: C,
): void {
  try {
    const result =
      context === (NO_CONTEXT as unknown)
        ? (fn as (reason: CancelReason) => unknown)(reason)
        : fn(reason, context, node);
    if (result !== undefined) observe(node, result);
  } catch (error) {
    reportCallbackError(node, error);
  }
}

function run(node: Node, slot: Slot, reason: CancelReason): void {
  const { fn, context } = slot;
  slot.finish(RAN);
  // The caller keeps `watch` above zero until the walk is over, so that nothing unlinks under its feet.
  (node.extra as Extra).watch--;
  call(node, fn as (reason: CancelReason, context: unknown, node: Node) => unknown, reason, context);
}

/** Runs what waits for the cancel of this node, in registration order, and forgets it. */
export function runListeners(node: Node, extra: Extra, reason: CancelReason): void {
  const first = extra.first;
  if (first !== undefined) {
    extra.first = undefined;
    run(node, first, reason);
  }
  const rare = extra.rare;
  const slots = rare?.slots;
  if (rare === undefined || slots === undefined) return;
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i];
    // One that a callback unregistered, or that a release let go of.
    if (slot?.node === undefined) continue;
    // A hole before the call: a nested walk must not meet it again, and unregistering it is "already ran".
    slots[i] = undefined;
    rare.holes++;
    run(node, slot, reason);
  }
  rare.slots = undefined;
  rare.holes = 0;
}

/** The same for the second rung. */
export function runKillListeners(node: Node, extra: Extra, reason: CancelReason): void {
  const kills = extra.rare?.kills;
  if (kills === undefined) return;
  for (const slot of kills) {
    kills.delete(slot);
    // One that a release let go of stands in the old set still.
    if (slot.node !== undefined) run(node, slot, reason);
  }
}

/** Forgets the listeners of a released node without running them, but not those of work that goes on. */
export function dropListeners({ first, rare }: Extra): void {
  drop(first);
  if (rare === undefined) return;
  const { slots = [], kills = [] } = rare;
  // From the end: the list gets shorter instead of full of holes.
  for (const slot of [...slots, ...kills].reverse()) drop(slot);
}

function drop(slot: Slot | undefined): void {
  if (slot !== undefined && (slot.index & KEPT) === 0) slot.unregister();
}
