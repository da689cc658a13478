/**
 * What can be read by walking up: how long a node has, and whether anything can still happen to it.
 *
 * @module
 */
import { ALL, FOREIGN, FROZEN, KILLED, MANY, NEVER, PASSIVE, SHIELD, parentsOf, type Node } from './node.ts';
import { isCancelled } from './state.ts';
import { foldUp } from './fold-up.ts';

/** What a node's own limit allows. */
function ownDeadline(node: Node): number {
  return node.extra?.deadline?.at ?? Infinity;
}

/** The parents whose limit is also the node's: none above a shield (I5). */
function limitingParents(node: Node): readonly Node[] {
  return (node.flags & SHIELD) !== 0 ? [] : parentsOf(node);
}

/**
 * The earliest deadline of a node and everything above it that could cancel it; a node that needs all its parents has
 * as long as the last of them.
 */
export function deadlineOf(start: Node): number {
  let at = ownDeadline(start);
  let node = start;
  while ((node.flags & (SHIELD | MANY)) === 0 && node.parent !== undefined) {
    node = node.parent;
    at = Math.min(at, ownDeadline(node));
  }
  if ((node.flags & MANY) === 0) return at;
  const above = foldUp<number>(node, limitingParents, (each, limits) => {
    const all = (each.flags & ALL) !== 0;
    const joint = limits.length === 0 ? Infinity : limits.reduce((a, b) => (a < b === all ? b : a));
    return Math.min(joint, ownDeadline(each));
  });
  return Math.min(at, above);
}

/** Whether this node's state can still change by its own source. */
export function canChange(node: Node): boolean {
  return (node.flags & (FROZEN | NEVER | KILLED)) === 0;
}

/** Whether a node is cancelled, or anything can still cancel it. */
export function canBeCancelled(start: Node): boolean {
  if ((start.flags & FROZEN) !== 0) return false;
  return foldUp<boolean>(
    start,
    (node) => ((node.flags & (PASSIVE | FROZEN)) === 0 ? [] : parentsOf(node)),
    (node, above) => {
      if (isCancelled(node)) return true;
      if ((node.flags & NEVER) !== 0) return false;
      if ((node.flags & (PASSIVE | FROZEN)) === 0 || (node.flags & FOREIGN) !== 0) return true;
      if (node.extra?.deadline !== undefined) return true;
      return (node.flags & ALL) !== 0 ? above.length > 0 && !above.includes(false) : above.includes(true);
    },
  );
}
