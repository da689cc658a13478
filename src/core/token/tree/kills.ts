/**
 * How a node learns of a kill above it. Not a hot path: it climbs, and that only where a cancelled node asks and there was
 * a kill in the process. Upholds I1, I2, I5 and I8 of `node.ts`.
 *
 * @module
 */
import type { CancelReason } from '../../foundation/reason.ts';
import { foldUp } from './fold-up.ts';
import { ALL, BELOW_MANY, EPOCH, KILLED, MANY, parentsOf, rareOf, type Kill, type Node, type Rare } from './node.ts';

const NONE: readonly Node[] = [];

/** Whether a kill reached this cancelled node. */
export function isKilledSlow(node: Node): boolean {
  return EPOCH.kills > 0 && killOf(node) !== undefined;
}

/** Why a cancelled node was killed, if it was: the token itself keeps the reason of its cancel. */
export function killReason(node: Node): CancelReason | undefined {
  return EPOCH.kills === 0 ? undefined : killOf(node)?.reason;
}

/**
 * I2: which of the numbered cancels or kills of its parents counts for a node: the first, or the last where all are needed. 0 if
 * not enough of them have come.
 */
export function joined(node: Node, parents: readonly unknown[], numbers: readonly number[]): number {
  const all = (node.flags & ALL) !== 0;
  if (numbers.length < (all ? parents.length : 1)) return 0;
  return numbers.reduce((a, b) => (a < b === all ? b : a));
}

/**
 * Whether a parent is found that was not killed, which is enough for a node that needs all of them. Parents that were found
 * killed stay so and are passed over the next time. `false` also where a parent has several parents itself: then the look
 * has to go all the way up.
 */
function hasUnkilled(rare: Rare): boolean {
  const { parents } = rare;
  for (let parent = parents[rare.firstUnkilled]; parent !== undefined; parent = parents[++rare.firstUnkilled]) {
    if ((parent.flags & BELOW_MANY) !== 0) return false;
    if (killOf(parent) === undefined) return true;
  }
  return false;
}

/** Where a look for a kill has to go on: above a killed node there is nothing to find. */
function unkilledParents(node: Node): readonly Node[] {
  return (node.flags & KILLED) !== 0 ? NONE : parentsOf(node);
}

/** The kill that reached a node. */
function killOf(start: Node): Kill | undefined {
  const { cancellation } = start;
  const isPlain = cancellation !== undefined && (start.flags & BELOW_MANY) === 0;
  // When this was asked last, no kill had come to it from above, and none has come anywhere since: to cancel a long chain from
  // its end upwards must not climb it for each node.
  if (isPlain && cancellation.kills === 0 && cancellation.unkilledAt === EPOCH.kills) return undefined;
  const kill = climbToKill(start);
  if (isPlain && kill === undefined) cancellation.unkilledAt = EPOCH.kills;
  return kill;
}

function climbToKill(start: Node): Kill | undefined {
  let node = start;
  while ((node.flags & (KILLED | MANY)) === 0 && node.parent !== undefined) node = node.parent;
  if ((node.flags & KILLED) !== 0) return node.extra?.rare?.kill;
  if ((node.flags & MANY) === 0) return undefined;
  if ((node.flags & ALL) !== 0 && hasUnkilled(node.extra?.rare as Rare)) return undefined;
  return foldUp<Kill | undefined>(node, unkilledParents, (each, above) => {
    if ((each.flags & KILLED) !== 0) return each.extra?.rare?.kill;
    const number = joined(
      each,
      above,
      above.flatMap((kill) => kill?.number ?? []),
    );
    return above.find((kill) => kill?.number === number);
  });
}

/** Notes on a node that it is killed, here or above. */
export function markKilled(node: Node, kill: Kill): void {
  node.flags |= KILLED;
  if (node.cancellation !== undefined) node.cancellation.kills++;
  rareOf(node).kill = kill;
}

/** The same for a node below the one that was killed, so that the next look need not climb. */
export function passKillOn(node: Node): void {
  if ((node.flags & KILLED) === 0) markKilled(node, killOf(node) as Kill);
}

/** A shield that was killed: the same reason, but its place in the order of cancels is that of the kill. */
export function adoptKill(node: Node, parent: Node): void {
  const kill = killOf(parent) as Kill;
  node.cancellation = parent.cancellation;
  node.stamp = -kill.number;
  markKilled(node, kill);
}
