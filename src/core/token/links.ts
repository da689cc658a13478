/**
 * Links between nodes: a node hangs in its parents' lists exactly while somebody listens at it or below it.
 * On the token floor above `node.ts`; the lists keep link order, unlinking writes a hole in O(1) (I6), and everything
 * that climbs has a stack of its own (I8).
 *
 * @module
 */
import {
  EPOCH,
  FOREIGN,
  FROZEN,
  KILLED,
  MANY,
  NEVER,
  extraOf,
  rareOf,
  type Extra,
  type Node,
  type Rare,
} from './node.ts';
import { isKilled } from './pull.ts';

/**
 * Links a node to its parents, and them to theirs, up to the first that is linked already. One parent is the rule: a
 * stack is made only where there are several.
 */
export function linkUp(start: Node): void {
  let pending: Node[] | undefined;
  let node: Node | undefined = start;
  do {
    const { flags, parent }: Node = node;
    let up: Node | undefined;
    if ((flags & (FROZEN | FOREIGN | MANY)) === 0) {
      if (parent !== undefined && linkable(parent)) {
        const extra = extraOf(parent);
        (node.extra as Extra).index = addKid(parent, extra, node);
        if (extra.watch++ === 0) up = parent;
      }
    } else if ((flags & FROZEN) === 0) {
      if ((flags & FOREIGN) !== 0) attach(node);
      else pending = linkMany(node, pending);
    }
    node = up ?? pending?.pop();
  } while (node !== undefined);
}

/** Links a node to each of its parents; returns what still has to be linked upwards itself, the first one on top. */
function linkMany(node: Node, before: Node[] | undefined): Node[] | undefined {
  const { parents, indexes } = node.extra?.rare as Rare;
  const fresh: Node[] = [];
  parents.forEach((parent, i) => {
    if (!linkable(parent)) return;
    const extra = extraOf(parent);
    indexes[i] = addKid(parent, extra, node);
    if (extra.watch++ === 0) fresh.push(parent);
  });
  if (before === undefined) return fresh.reverse();
  for (let parent = fresh.pop(); parent !== undefined; parent = fresh.pop()) before.push(parent);
  return before;
}

/** A cancelled parent can still be killed; a killed or released one has nothing more to say. */
function linkable(parent: Node): boolean {
  return (parent.flags & (FROZEN | KILLED | NEVER)) === 0 && (EPOCH.kills === 0 || !isKilled(parent));
}

function addKid(parent: Node, extra: Extra, kid: Node): number {
  const kids = extra.kids;
  if (kids === undefined) {
    extra.kids = kid;
    return 0;
  }
  if (!Array.isArray(kids)) {
    extra.kids = [kids, kid];
    return 1;
  }
  const rare = extra.rare;
  // Only the lists of cancelled nodes are ever walked, and a walk must find everybody in place.
  if (rare !== undefined && rare.kidHoles > kids.length >> 1 && parent.stamp >= 0) squeeze(parent, rare, kids);
  return kids.push(kid) - 1;
}

/** Closes the holes and tells every child its new place. */
function squeeze(parent: Node, rare: Rare, kids: (Node | undefined)[]): void {
  let to = 0;
  for (const kid of kids) {
    if (kid === undefined) continue;
    place(kid, parent, to);
    kids[to++] = kid;
  }
  kids.length = to;
  rare.kidHoles = 0;
}

function place(kid: Node, parent: Node, index: number): void {
  const extra = kid.extra as Extra;
  if ((kid.flags & MANY) === 0) extra.index = index;
  else {
    const rare = extra.rare as Rare;
    rare.indexes[rare.parents.indexOf(parent)] = index;
  }
}

/** Takes a node out of its parents' lists, and them out of theirs where it was the last. */
export function unlinkUp(start: Node): void {
  let pending: Node[] | undefined;
  let node: Node | undefined = start;
  while (node !== undefined) {
    const extra = node.extra as Extra;
    let up: Node | undefined;
    if ((node.flags & (FOREIGN | MANY)) === 0) {
      const { index } = extra;
      if (index >= 0) {
        const parent = node.parent as Node;
        extra.index = -1;
        if (removeKid(parent, index)) up = parent;
      }
    } else if ((node.flags & FOREIGN) !== 0) detach(node);
    else pending = unlinkMany(extra.rare as Rare, pending);
    node = up ?? pending?.pop();
  }
}

function unlinkMany({ parents, indexes }: Rare, before: Node[] | undefined): Node[] | undefined {
  let pending = before;
  parents.forEach((parent, i) => {
    const index = indexes[i] as number;
    indexes[i] = -1;
    if (index >= 0 && removeKid(parent, index)) (pending ??= []).push(parent);
  });
  return pending;
}

/** Returns whether the parent has lost its last reason to be linked. */
function removeKid(parent: Node, index: number): boolean {
  const extra = parent.extra as Extra;
  const kids = extra.kids;
  if (Array.isArray(kids)) {
    if (index === kids.length - 1) kids.pop();
    else {
      kids[index] = undefined;
      rareOf(parent).kidHoles++;
    }
  } else extra.kids = undefined;
  if (--extra.watch > 0) return false;
  forgetKids(extra);
  return true;
}

/** Lets go of a list that nobody stands in any more. */
export function forgetKids(extra: Extra): void {
  extra.kids = undefined;
  if (extra.rare !== undefined) extra.rare.kidHoles = 0;
}

/** Cuts every link from a node to its children: what it was is final, nothing more will come from it (I6). */
export function dropKids(parent: Node): void {
  const extra = parent.extra as Extra;
  const kids = extra.kids;
  if (kids === undefined) return;
  forgetKids(extra);
  for (const kid of Array.isArray(kids) ? kids : [kids]) {
    if (kid === undefined) continue;
    place(kid, parent, -1);
    extra.watch--;
  }
}

/** One native listener per foreign signal, and only while somebody listens below. */
function attach(root: Node): void {
  const rare = root.extra?.rare as Rare;
  if (root.stamp >= 0) rare.signal?.addEventListener('abort', rare.onAbort as () => void);
}

function detach(root: Node): void {
  const rare = root.extra?.rare as Rare;
  rare.signal?.removeEventListener('abort', rare.onAbort as () => void);
}
