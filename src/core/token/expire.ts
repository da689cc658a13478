/**
 * Deadlines that have passed while nothing let a timer run.
 * On the token floor above `source.ts`: it rings alarms before their time is told.
 *
 * @module
 */
import { clearAlarm, type Alarm } from './deadline.ts';
import { clockOf } from './environment.ts';
import { FROZEN, MANY, SHIELD, parentsOf, type Node } from './node.ts';

/** Cancels what passed deadlines of this node, or of anything above it, should have cancelled by now; earliest first. */
export function expire(start: Node): void {
  const due = new Map<Alarm, Node>();
  const seen = new Set<Node>();
  const open: Node[] = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    collect(node, due);
    // One parent is the rule: no bookkeeping for a chain.
    let above = node;
    while ((above.flags & (SHIELD | FROZEN | MANY)) === 0 && above.parent !== undefined) {
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
