/**
 * How a node learns of a cancel above it: by looking, when somebody asks; of a kill, see `kills.ts`. Upholds I2, I3 and I5 of `node.ts`, and I8
 * on the way up.
 *
 * @module
 */
import { readAbort } from '../../foundation/abort-reason.ts';
import { createCancelledError, type CancelledError } from '../../foundation/errors.ts';
import { adoptKill, isKilledSlow, joined } from './kills.ts';
import {
  ALL,
  BELOW_MANY,
  Cancellation,
  ENV,
  EPOCH,
  FROZEN,
  HINTED,
  INHERITED,
  MANY,
  OWN,
  PARENT,
  SHIELD,
  WAS_CANCELLED,
  WAS_KILLED,
  extraOf,
  rareOf,
  type Node,
  type Rare,
} from './node.ts';

/** Whether a stop was asked for, here or above. The token's own getter repeats the compare, to save the call. */
export function isCancelled(node: Node): boolean {
  return node.stamp !== EPOCH.value && isCancelledSlow(node);
}

/** Whether the second rung was reached. I1: kill implies cancel, so a live node needs no walk. */
export function isKilled(node: Node): boolean {
  return isCancelled(node) && isKilledSlow(node);
}

export function saysCancelledSlow(node: Node): boolean {
  return (node.flags & FROZEN) === 0 ? isCancelledSlow(node) : (node.flags & WAS_CANCELLED) !== 0;
}

/** The same of the second rung. */
export function saysKilled(node: Node): boolean {
  return (node.flags & FROZEN) === 0 ? isKilled(node) : (node.flags & WAS_KILLED) !== 0;
}

/** What a new node takes over from its parent beyond the link itself. */
export function inherit(child: Node, parent: Node): void {
  if (parent.stamp !== EPOCH.value || (parent.flags & INHERITED) !== 0) inheritSlow(child, parent);
}

/** The one error of a cancelled node, shared by everybody the same cancel reached. */
export function errorOf(node: Node): CancelledError {
  const cancellation = cancellationAt(node);
  return (cancellation.error ??= createCancelledError(cancellation.reason));
}

/** A child of a parent that is cancelled, hinted or has an environment. */
function inheritSlow(child: Node, parent: Node): void {
  const shielded = (child.flags & SHIELD) !== 0;
  // I5: a shield is born live under a parent that is only cancelled.
  if (shielded) {
    if (isKilled(parent)) adoptKill(child, parent);
  } else if (isCancelled(parent)) adopt(child, parent);
  child.flags |= parent.flags & BELOW_MANY;
  if ((parent.flags & ENV) !== 0) {
    child.flags |= ENV;
    extraOf(child).env = parent.extra?.env;
  }
  // No foreign signal can kill, so under a shield there is none to read.
  if ((parent.flags & HINTED) !== 0 && !shielded) hint(child, parent.extra?.rare?.hints ?? []);
}

/** Makes the check of a node read these foreign signals too. */
export function hint(node: Node, hints: readonly Node[]): void {
  if (hints.length === 0) return;
  node.flags |= HINTED;
  rareOf(node).hints = hints;
  if (node.stamp > 0) node.stamp = 0;
}

/** The same cancel: same reason object, same error, same place in the order of cancels (I2). */
export function adopt(node: Node, from: Node): void {
  node.stamp = from.stamp;
  node.cancellation = from.cancellation;
}

/** What a cancelled node was cancelled by. */
export function cancellationAt(node: Node): Cancellation {
  return node.cancellation as Cancellation;
}

/** Marks a FOREIGN node cancelled, if its signal is; the caller, or the event that is on its way, notifies. */
export function markForeign(root: Node): boolean {
  if (root.stamp < 0) return false;
  const signal = root.extra?.rare?.signal;
  if (signal?.aborted !== true) return false;
  const { reason, error } = readAbort(signal.reason);
  mark(root, new Cancellation(reason, error));
  return true;
}

/** I1, I3: from here on everything below reads cancelled, before anybody is told. */
export function mark(node: Node, cancellation: Cancellation): void {
  node.stamp = -++EPOCH.cancels;
  node.flags |= OWN;
  node.cancellation = cancellation;
  if ((node.flags & PARENT) !== 0) EPOCH.value++;
}

/** The rest of the check, where the stamp alone does not say it. */
export function isCancelledSlow(node: Node): boolean {
  if (node.stamp < 0) return true;
  if ((node.flags & HINTED) !== 0) {
    const rare = node.extra?.rare as Rare;
    for (const root of rare.hints) markForeign(root);
    // One of them may be this node itself.
    if (node.stamp < 0) return true;
    if (rare.seen === EPOCH.value) return false;
  }
  return pull(node);
}

/** The same for a walk that comes from one of its parents: what foreign signals say, their own events will tell. */
export function isCancelledByParents(node: Node): boolean {
  return node.stamp < 0 || pull(node);
}

/** Whether the state of a node needs no look upwards at this epoch. */
function isKnown(node: Node): boolean {
  if (node.stamp < 0 || node.stamp === EPOCH.value) return true;
  return (node.flags & HINTED) !== 0 && node.extra?.rare?.seen === EPOCH.value;
}

function stampAlive(node: Node): void {
  if ((node.flags & HINTED) !== 0) (node.extra?.rare as Rare).seen = EPOCH.value;
  else node.stamp = EPOCH.value;
}

/**
 * Walks up to the nearest node whose state is known and stamps the path on the way back. I8: a stack of its own, and
 * that only where a node has several parents.
 */
function pull(start: Node): boolean {
  let pending: Node[] | undefined;
  let node = start;
  for (;;) {
    let top = node;
    while (!isKnown(top) && (top.flags & (SHIELD | MANY)) === 0 && top.parent !== undefined) top = top.parent;
    const unknown = isKnown(top) ? [] : decide(top);
    if (unknown.length > 0) {
      pending ??= [];
      pending.push(node);
      for (const parent of unknown) pending.push(parent);
      node = pending.pop() as Node;
      continue;
    }
    if (top.stamp >= 0) stampAlive(top);
    for (let n = node; n !== top; n = n.parent as Node) {
      if (top.stamp < 0) adopt(n, top);
      else stampAlive(n);
    }
    const next = pending?.pop();
    if (next === undefined) return top.stamp < 0;
    node = next;
  }
}

const NONE: readonly Node[] = [];

/** Looks whether a root, a shield or a node with several parents is cancelled; returns the parents to be known first. */
function decide(node: Node): readonly Node[] {
  const parent = node.parent;
  if ((node.flags & SHIELD) !== 0 && parent !== undefined) {
    if (!isKnown(parent)) return [parent];
    // I5: only kill passes a shield.
    if (isKilled(parent)) adoptKill(node, parent);
    return NONE;
  }
  if ((node.flags & MANY) === 0) return NONE;
  const rare = node.extra?.rare as Rare;
  const { parents } = rare;
  if ((node.flags & ALL) !== 0) {
    const live = firstLive(rare);
    if (live !== undefined) return isKnown(live) ? NONE : [live];
  }
  const unknown = parents.filter((parent) => !isKnown(parent));
  if (unknown.length > 0) return unknown;
  const cancelled = parents.filter((parent) => parent.stamp < 0);
  const number = joined(
    node,
    parents,
    cancelled.map((parent) => -parent.stamp),
  );
  const chosen = cancelled.find((parent) => parent.stamp === -number);
  if (chosen !== undefined) adopt(node, chosen);
  return NONE;
}

/** One live parent keeps the node alive: those that were seen cancelled are not looked at again, for they stay so. */
function firstLive(rare: Rare): Node | undefined {
  const { parents } = rare;
  while ((parents[rare.firstLive]?.stamp ?? 0) < 0) rare.firstLive++;
  return parents[rare.firstLive];
}
