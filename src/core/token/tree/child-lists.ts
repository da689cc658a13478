/**
 * Links between nodes: a node hangs in its parents' lists exactly while somebody listens at it or below it.
 *
 * @module
 */
import { addAbortListener, removeAbortListener } from './abort-listener.ts';
import {
  EPOCH,
  FOREIGN,
  FROZEN,
  KILLED,
  MANY,
  NEVER,
  OWN,
  PARENT,
  SHIELD,
  extraOf,
  parentsOf,
  rareOf,
  type Extra,
  type Node,
  type Rare,
} from './node.ts';
import { isKilled } from './state.ts';

/** Bits of a node with several parents or a signal, rather than one parent or none. */
const JOINED = FOREIGN | MANY;
/** Bits of a node that has nothing more to say. */
const SILENT = KILLED | NEVER;

/** Links a node to its parents, and them to theirs, up to the first that is linked already. */
export function linkUp(node: Node): void {
  let kid = node;
  // One parent is the rule, and a source by itself has nothing above it to be linked to.
  while ((kid.flags & JOINED) === 0) {
    const { parent } = kid;
    if (parent === undefined || !addKid(kid, parent)) return;
    kid = parent;
  }
  climb(kid, addKid, attach);
}

/** Takes a node out of its parents' lists, and them out of theirs where it was the last. */
export function unlinkUp(node: Node): void {
  let kid = node;
  while ((kid.flags & JOINED) === 0) {
    const { parent } = kid;
    if (parent === undefined || !removeKid(kid, parent)) return;
    kid = parent;
  }
  climb(kid, removeKid, detach);
}

/** The way up from a node that has several parents or a signal, each way to its end, the first parent's first. */
function climb(start: Node, step: (kid: Node, parent: Node) => boolean, signal: (root: Node) => void): void {
  const open = [start];
  for (let kid = open.pop(); kid !== undefined; kid = open.pop()) {
    const from: Node = kid;
    if ((from.flags & FOREIGN) !== 0) signal(from);
    const ups = parentsOf(from).filter((parent) => step(from, parent));
    // No spread: there may be more than a call takes.
    for (const up of ups.reverse()) open.push(up);
  }
}

/** Puts a node behind the other children of a parent; returns whether that is linked for the first time. */
function addKid(kid: Node, parent: Node): boolean {
  // A cancelled parent can still be killed; a killed one has nothing more to say.
  if ((parent.flags & SILENT) !== 0 || (EPOCH.kills > 0 && isKilled(parent))) return false;
  const extra = extraOf(parent);
  const { kids } = extra;
  if (kids === undefined) extra.kids = kid;
  else if (kids instanceof Set) kids.add(kid);
  else extra.kids = new Set([kids, kid]);
  return extra.watch++ === 0;
}

/** Takes a node out of the list of a parent; returns whether that was the last reason for that to be linked. */
function removeKid(kid: Node, { extra }: Node): boolean {
  if (extra === undefined) return false;
  const { kids } = extra;
  if (kids instanceof Set ? !kids.delete(kid) : kids !== kid) return false;
  if (kids === kid) extra.kids = undefined;
  if (--extra.watch > 0) return false;
  extra.kids = undefined;
  return true;
}

/** Cuts every link from a node to its children: what it was is final, nothing more will come from it (I6). */
export function dropKids(extra: Extra): void {
  const { kids } = extra;
  if (kids !== undefined) extra.watch -= kids instanceof Set ? kids.size : 1;
  extra.kids = undefined;
}

/** Takes one of several parents away from a node: what comes from there concerns it no more. */
export function dropParent(node: Node, parent: Node): void {
  const rare = rareOf(node);
  rare.parents = rare.parents.filter((each) => each !== parent);
  if (removeKid(node, parent)) unlinkUp(parent);
}

/** One native listener per foreign signal, and only while somebody listens below. */
function attach(root: Node): void {
  const rare = root.extra?.rare as Rare;
  if (root.stamp >= 0 && rare.signal !== undefined) addAbortListener(rare.signal, rare.onAbort as () => void);
}

function detach(root: Node): void {
  const rare = root.extra?.rare as Rare;
  if (rare.signal !== undefined) removeAbortListener(rare.signal, rare.onAbort as () => void);
}

/** Whether a node only passes on what its one parent says. */
function isPlain(node: Node): boolean {
  return (node.flags & (SHIELD | JOINED | OWN | KILLED | NEVER)) === 0;
}

/**
 * Takes released nodes out of the way up from a node, so that a chain of them does not grow. Only where the node is in no
 * list: what is linked keeps its place.
 */
export function shorten(node: Node): void {
  if ((node.extra?.watch ?? 0) > 0 || (node.flags & JOINED) !== 0) return;
  let { parent } = node;
  while (parent?.parent !== undefined && (parent.flags & FROZEN) !== 0 && isPlain(parent)) parent = parent.parent;
  if (parent === node.parent || parent === undefined) return;
  node.parent = parent;
  parent.flags |= PARENT;
}

/** A released live node with one linked child hands its place to that child, unless there are others beside it. */
export function handOver(node: Node): void {
  const own = node.extra;
  const { parent } = node;
  const kid = own?.kids;
  if (own === undefined || parent === undefined || kid === undefined || kid instanceof Set) return;
  const above = parent.extra as Extra;
  if (above.kids !== node || own.watch !== 1 || !isPlain(node) || (kid.flags & JOINED) !== 0) return;
  above.kids = kid;
  kid.parent = parent;
  parent.flags |= PARENT;
  own.watch = 0;
  own.kids = undefined;
}
