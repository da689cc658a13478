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
  rareOf,
  type Extra,
  type Kids,
  type Node,
  type Rare,
} from './node.ts';
import { isKilled } from './state.ts';

/** Bits of a node with several parents or a signal, rather than one parent or none. */
const JOINED = FOREIGN | MANY;
/** Bits of a node that has nothing more to say. */
const SILENT = KILLED | NEVER;

/** Whether there is nothing above a node to be linked to: true of a source by itself, which needs no more than this look. */
function isTop(node: Node): boolean {
  return node.parent === undefined && (node.flags & JOINED) === 0;
}

/** Links a node to its parents, and them to theirs, up to the first that is linked already. */
export function linkUp(node: Node): void {
  if (!isTop(node)) linkPath(node);
}

/** Takes a node out of its parents' lists, and them out of theirs where it was the last. */
export function unlinkUp(node: Node): void {
  if (!isTop(node)) unlinkPath(node);
}

function linkPath(start: Node): void {
  let node: Node | undefined = start;
  while (node !== undefined && (node.flags & JOINED) === 0) node = join(node);
  if (node !== undefined) climb(node, join, joinMany, attach);
}

function unlinkPath(start: Node): void {
  let node: Node | undefined = start;
  while (node !== undefined && (node.flags & JOINED) === 0) node = leave(node);
  if (node !== undefined) climb(node, leave, leaveMany, detach);
}

/** The way up from a node that has several parents or a signal, each way to its end, the first parent's first. */
function climb(
  start: Node,
  one: (node: Node) => Node | undefined,
  many: (node: Node) => Node[],
  signal: (root: Node) => void,
): void {
  const open: (Node | undefined)[] = [start];
  while (open.length > 0) {
    const node = open.pop();
    if (node === undefined) continue;
    if ((node.flags & JOINED) === 0) open.push(one(node));
    else if ((node.flags & FOREIGN) !== 0) signal(node);
    else for (const up of many(node).reverse()) open.push(up); // no spread: there may be more than a call takes
  }
}

/** Links a node to its one parent; returns the parent if it has to be linked upwards itself. */
function join(node: Node): Node | undefined {
  const { parent } = node;
  if (parent === undefined || !linkable(parent)) return undefined;
  const extra = extraOf(parent);
  (node.extra as Extra).index = extra.kids === undefined ? 0 : addKid(parent, extra, extra.kids, node);
  if (extra.kids === undefined) extra.kids = node;
  return extra.watch++ === 0 ? parent : undefined;
}

/** The same for each of several parents. */
function joinMany(node: Node): Node[] {
  const { parents, indexes } = rareOf(node);
  return parents.filter((parent, i) => {
    if (!linkable(parent)) return false;
    const extra = extraOf(parent);
    indexes[i] = extra.kids === undefined ? 0 : addKid(parent, extra, extra.kids, node);
    extra.kids ??= node;
    return extra.watch++ === 0;
  });
}

/** A cancelled parent can still be killed; a killed one has nothing more to say. */
function linkable(parent: Node): boolean {
  return (parent.flags & SILENT) === 0 && (EPOCH.kills === 0 || !isKilled(parent));
}

/** Puts a child behind the others. */
function addKid(parent: Node, extra: Extra, kids: Kids, kid: Node): number {
  if (!Array.isArray(kids)) {
    extra.kids = [kids, kid];
    return 1;
  }
  const rare = extra.rare;
  // Only the lists of cancelled nodes are ever walked, and a walk must find everybody in place.
  if (rare !== undefined && rare.kidHoles > kids.length >> 1 && parent.stamp >= 0) {
    squeeze(kids, (each, index) => {
      place(each, parent, index);
    });
    rare.kidHoles = 0;
  }
  return kids.push(kid) - 1;
}

/** Closes the holes of a list and tells everybody in it the new place. */
export function squeeze<T>(list: (T | undefined)[], tell: (item: T, index: number) => void): void {
  let to = 0;
  for (const item of list) {
    if (item === undefined) continue;
    tell(item, to);
    list[to++] = item;
  }
  list.length = to;
}

function place(kid: Node, parent: Node, index: number): void {
  const extra = kid.extra as Extra;
  if ((kid.flags & MANY) === 0) extra.index = index;
  else {
    const rare = extra.rare as Rare;
    // Not searched for: there may be thousands.
    rare.order ??= new Map(rare.parents.map((each, i) => [each, i]));
    rare.indexes[rare.order.get(parent) as number] = index;
  }
}

/** Takes a node out of its one parent's list; returns the parent if that was its last reason to be linked. */
function leave(node: Node): Node | undefined {
  const own = node.extra as Extra;
  const { index } = own;
  if (index < 0) return undefined;
  own.index = -1;
  return removeKid(node.parent as Node, index);
}

function leaveMany(node: Node): Node[] {
  const { parents, indexes } = rareOf(node);
  return parents.filter((parent, i) => {
    const index = indexes[i] as number;
    indexes[i] = -1;
    return index >= 0 && removeKid(parent, index) !== undefined;
  });
}

function removeKid(parent: Node, index: number): Node | undefined {
  const extra = parent.extra as Extra;
  const kids = extra.kids;
  if (!Array.isArray(kids)) extra.kids = undefined;
  else if (index === kids.length - 1) kids.pop();
  else {
    kids[index] = undefined;
    rareOf(parent).kidHoles++;
  }
  if (--extra.watch > 0) return undefined;
  if (extra.kids !== undefined) forgetKids(extra);
  return parent;
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
  if ((node.extra?.index ?? -1) >= 0 || (node.flags & JOINED) !== 0) return;
  let { parent } = node;
  while (parent?.parent !== undefined && (parent.flags & FROZEN) !== 0 && isPlain(parent)) parent = parent.parent;
  if (parent === node.parent || parent === undefined) return;
  node.parent = parent;
  parent.flags |= PARENT;
}

/** A released live node with one linked child hands its place to that child. */
export function handOver(node: Node): void {
  const own = node.extra;
  const { parent } = node;
  const kid = own?.kids;
  if (own === undefined || parent === undefined || kid === undefined || Array.isArray(kid)) return;
  if (own.index < 0 || own.watch !== 1 || !isPlain(node) || (kid.flags & JOINED) !== 0) return;
  const above = parent.extra as Extra;
  if (Array.isArray(above.kids)) above.kids[own.index] = kid;
  else above.kids = kid;
  (kid.extra as Extra).index = own.index;
  kid.parent = parent;
  parent.flags |= PARENT;
  own.index = -1;
  own.watch = 0;
  own.kids = undefined;
}
