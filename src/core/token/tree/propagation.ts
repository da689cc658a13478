/**
 * The three things that can happen to a node: cancel, kill, release – and the walk that tells everybody below.
 * Upholds I1, I3, I4, I6, I7 and I8 of `node.ts`.
 *
 * @module
 */
import { clearAlarm } from '../time/alarm-heap.ts';
import { clockOf } from './environment.ts';
import { dropKids, handOver, unlinkUp } from './child-lists.ts';
import { markKilled, passKillOn } from './kills.ts';
import { dropListeners, runKillListeners, runListeners } from './listeners.ts';
import {
  ALL,
  EPOCH,
  FIXED,
  FROZEN,
  HINTED,
  KILLED,
  MANY,
  SHIELD,
  WAS_CANCELLED,
  WAS_KILLED,
  type Cancellation,
  type Extra,
  type Node,
} from './node.ts';
import { adopt, cancellationAt, isCancelled, isCancelledByParents, isKilled, mark } from './state.ts';

/** Whether a cancel would change anything here. */
export function isLive(node: Node): boolean {
  return (node.flags & FIXED) === 0 && !isCancelled(node);
}

/** Cancels a live node and tells everybody below; the caller has checked `isLive`. */
export function cancelNode(node: Node, cancellation: Cancellation): void {
  mark(node, cancellation);
  tell(node, false);
}

/** The second rung, for a node that is neither released nor killed; `cancellation` counts only where nobody cancelled. */
export function killNode(node: Node, cancellation: Cancellation): void {
  markKill(node, cancellation);
  tell(node, true);
}

/** The first half of a kill, as `mark` is that of a cancel: everything below reads it from here on. */
export function markKill(node: Node, cancellation: Cancellation): void {
  if (!isCancelled(node)) mark(node, cancellation);
  markKilled(node, { number: ++EPOCH.cancels, reason: cancellation.reason });
  EPOCH.kills++;
  // Shields below have to look up again.
  EPOCH.value++;
}

/** Tells a marked node and everybody below, depth first: a node's own listeners, then its children in link order. */
export function tell(start: Node, killing: boolean): void {
  const open: Node[] = [];
  visit(start, killing, open);
  // Many ways may lead to a node with several parents; one walk goes in once.
  let seen: Set<Node> | undefined;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!isReached(node)) continue;
    if ((node.flags & MANY) !== 0) {
      seen ??= new Set();
      if (seen.has(node)) continue;
      seen.add(node);
    }
    visit(node, killing && isKilled(node), open);
  }
}

/** Whether the walk goes on to a child: a plain one is cancelled with its parent, the others have to look. */
function isReached(kid: Node): boolean {
  // Asked once for each of its parents.
  if ((kid.flags & ALL) !== 0) return isCancelledByParents(kid);
  const { parent } = kid;
  if (kid.stamp <= 0 || (kid.flags & (SHIELD | MANY | HINTED)) !== 0 || parent === undefined || parent.stamp >= 0)
    return isCancelled(kid);
  adopt(kid, parent);
  return true;
}

/** Runs a node's own listeners; its children come next, whatever becomes of their link meanwhile. */
function visit(node: Node, killing: boolean, open: Node[]): void {
  const extra = node.extra;
  // I6: no flag is needed where nobody listens; such a node is asked through its parent.
  if (extra === undefined) return;
  // Disarmed, and kept: a cancelled token still tells what its deadline was.
  if (extra.deadline !== undefined) clearAlarm(clockOf(node), extra.deadline);
  const { reason } = cancellationAt(node);
  // Counts as watched while its callbacks run: one that unregisters the last listener must not unlink the node meanwhile.
  extra.watch++;
  runListeners(node, extra, reason);
  if (killing) {
    passKillOn(node);
    if (extra.rare !== undefined) runKillListeners(node, extra, reason);
  }
  const { kids } = extra;
  if (kids instanceof Set) for (const kid of [...kids].reverse()) open.push(kid);
  else if (kids !== undefined) open.push(kids);
  walkOn(node, extra, killing);
}

/**
 * The walk goes on from a node: it keeps only what it needs for kill. A walk that tells only a cancel may come to a killed
 * node first, from inside a callback; who is to hear of the kill stays linked for the one that tells it.
 */
function walkOn(node: Node, extra: Extra, killing: boolean): void {
  if ((node.flags & KILLED) !== 0) {
    dropGrace(node, extra);
    if (killing) dropKids(extra);
  }
  if (--extra.watch > 0) return;
  extra.kids = undefined;
  unlinkUp(node);
}

/** Freezes what the token says (I6) and cancels nothing (I4); what is below goes on hearing from above. */
export function releaseNode(node: Node): void {
  if ((node.flags & FIXED) !== 0) return;
  const said = isCancelled(node) ? (isKilled(node) ? WAS_CANCELLED | WAS_KILLED : WAS_CANCELLED) : 0;
  const extra = node.extra;
  if (extra !== undefined) dropOwn(node, extra);
  node.flags |= FROZEN | said;
  if (extra?.kids !== undefined && said === 0) handOver(node);
}

/** Drops the token's own limit, grace and listeners. */
function dropOwn(node: Node, extra: Extra): void {
  const { deadline } = extra;
  if (deadline !== undefined) {
    clearAlarm(clockOf(node), deadline);
    extra.deadline = undefined;
  }
  dropListeners(extra);
  dropGrace(node, extra);
}

function dropGrace(node: Node, extra: Extra): void {
  const rare = extra.rare;
  if (rare?.grace === undefined) return;
  clearAlarm(clockOf(node), rare.grace);
  rare.grace = undefined;
}
