/**
 * A value of a node that depends on all that is above it. Upholds I8 of `node.ts`.
 *
 * @module
 */
import type { Node } from './node.ts';

/**
 * Works a value out from the values of the parents, each node once, however many ways lead to it, and with a stack of
 * our own (I8).
 */
export function foldUp<T>(
  start: Node,
  parents: (node: Node) => readonly Node[],
  combine: (node: Node, above: readonly T[]) => T,
): T {
  const known = new Map<Node, T>();
  const stack = [start];
  for (let node = stack.at(-1); node !== undefined; node = stack.at(-1)) {
    const above = parents(node);
    const open = known.has(node) ? [] : above.filter((parent) => !known.has(parent));
    if (open.length > 0) {
      for (const parent of open) stack.push(parent);
      continue;
    }
    stack.pop();
    if (!known.has(node))
      known.set(
        node,
        combine(
          node,
          above.map((parent) => known.get(parent) as T),
        ),
      );
  }
  return known.get(start) as T;
}
