/**
 * Deadlines that have passed while nothing let a timer run.
 *
 * @module
 */
import type { Clock } from '../../foundation/clock.ts';
import { clearAlarm, type Alarm } from './alarm-heap.ts';
import { clockOf } from '../tree/environment.ts';
import { deadlineOf } from '../tree/ancestors.ts';
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
  if (!mayBeDue(token) || deadlineOf(token) === Infinity) return false;
  expire(token);
  return isCancelled(token);
}

/** Whether a limit on the one way up has passed; where the ways part, that is for {@link expire} to find. */
function mayBeDue(start: Node): boolean {
  let clock: Clock | undefined;
  let now = 0;
  for (let node: Node | undefined = start; node !== undefined; node = node.parent) {
    const alarm = node.extra?.deadline;
    if (alarm !== undefined) {
      const its = clockOf(node);
      if (its !== clock) now = (clock = its).now();
      if (alarm.at <= now) return true;
    }
    if ((node.flags & (SHIELD | MANY)) !== 0) return (node.flags & MANY) !== 0;
  }
  return false;
}

/** Cancels what passed deadlines of this node, or of anything above it, should have cancelled by now; earliest first. */
export function expire(start: Node): void {
  const due = new Map<Alarm, Node>();
  const seen = new Set<Node>();
  const open: Node[] = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    collect(node, due);
    // One parent is the rule: no bookkeeping for a chain.
    let above = node;
    while ((above.flags & (SHIELD | MANY)) === 0 && above.parent !== undefined) {
      above = above.parent;
      collect(above, due);
    }
    if ((above.flags & (SHIELD | MANY)) !== MANY || seen.has(above)) continue;
    seen.add(above);
    open.push(...parentsOf(above));
  }
  // Of two at the same instant the one whose timer would have rung first.
  const inOrder = [...due].sort(([a], [b]) => a.at - b.at || a.order - b.order);
  for (const [alarm, node] of inOrder) {
    clearAlarm(clockOf(node), alarm);
    alarm.ring();
  }
}

function collect(node: Node, due: Map<Alarm, Node>): void {
  const alarm = node.extra?.deadline;
  if (alarm === undefined || alarm.index < 0) return;
  if (alarm.at <= clockOf(node).now()) due.set(alarm, node);
}
