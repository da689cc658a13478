/**
 * Deadlines that have passed while nothing let a timer run.
 *
 * @module
 */
import { clearAlarm, type Alarm } from './alarm-heap.ts';
import { clockOf } from '../tree/environment.ts';
import { MANY, SHIELD, parentsOf, type Node } from '../tree/node.ts';
import { isCancelled } from '../tree/state.ts';

/**
 * Asked wherever something is about to start: whether it is too late. A limit at or above the token that has passed while
 * nothing let a timer run cancels now, the earliest first. Where there is no limit the clock is not read.
 *
 * @returns Whether the token is cancelled.
 */
export function cancelIfOverdue(token: Node): boolean {
  if (isCancelled(token)) return true;
  if (!mayHaveLimit(token)) return false;
  expire(token);
  return isCancelled(token);
}

/** Whether there can be a limit at or above a node: asked at every start, so it makes nothing, not even a number. */
function mayHaveLimit(start: Node): boolean {
  let node = start;
  while (node.extra?.deadline === undefined) {
    if ((node.flags & (SHIELD | MANY)) !== 0) return (node.flags & MANY) !== 0;
    if (node.parent === undefined) return false;
    node = node.parent;
  }
  return true;
}

/** Cancels what passed deadlines of this node, or of anything above it, should have cancelled by now; earliest first. */
export function expire(start: Node): void {
  // Made when there is something to put in: mostly no limit has passed, and there is one way up.
  let due: Map<Alarm, Node> | undefined;
  let seen: Set<Node> | undefined;
  const open: Node[] = [start];
  for (let node = open.pop(); node !== undefined;) {
    const alarm = node.extra?.deadline;
    if (alarm !== undefined && alarm.index >= 0 && alarm.at <= clockOf(node).now())
      (due ??= new Map()).set(alarm, node);
    if ((node.flags & (SHIELD | MANY)) === 0 && node.parent !== undefined) node = node.parent;
    else {
      if ((node.flags & (SHIELD | MANY)) === MANY && !(seen ??= new Set()).has(node)) {
        seen.add(node);
        open.push(...parentsOf(node));
      }
      node = open.pop();
    }
  }
  if (due === undefined) return;
  // Of two at the same instant the one whose timer would have rung first.
  for (const [alarm, node] of [...due].sort(([a], [b]) => a.at - b.at || a.order - b.order)) {
    clearAlarm(clockOf(node), alarm);
    alarm.ring();
  }
}
