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
  expire(token);
  return isCancelled(token);
}

/** Cancels what passed deadlines of this node, or of anything above it, should have cancelled by now; earliest first. */
export function expire(start: Node): void {
  // Made when there is something to put in, for this is asked at every start: mostly there is no limit, and one way up.
  let due: Map<Alarm, Node> | undefined;
  let seen: Set<Node> | undefined;
  let open: Node[] | undefined;
  for (let node: Node | undefined = start; node !== undefined;) {
    const from: Node = node;
    const alarm = from.extra?.deadline;
    if (alarm !== undefined && alarm.index >= 0 && alarm.at <= clockOf(from).now())
      (due ??= new Map()).set(alarm, from);
    const joins = from.flags & (SHIELD | MANY);
    if (joins === MANY && !(seen ??= new Set()).has(from)) {
      seen.add(from);
      (open ??= []).push(...parentsOf(from));
    }
    node = (joins === 0 ? from.parent : undefined) ?? open?.pop();
  }
  if (due === undefined) return;
  // Of two at the same instant the one whose timer would have rung first.
  for (const [alarm, node] of [...due].sort(([a], [b]) => a.at - b.at || a.order - b.order)) {
    clearAlarm(clockOf(node), alarm);
    alarm.ring();
  }
}
