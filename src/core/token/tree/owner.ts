/**
 * What a token was made for, and how work on it tells that. Whoever ended work because of a stop, and answers with a value
 * all the same, says so here: a caller may catch every error and read no field of a result.
 *
 * Prior art: Go's `context.Value`, looked up the same way.
 *
 * @module
 */
import type { AbandonedWork } from '../../foundation/results/abandoned-work.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import { parentsOf, type Node } from './node.ts';

/** Work that a stop has ended, or could not. */
export interface StoppedWork {
  readonly reason: CancelReason;
  /** What of it may still be running. */
  readonly abandoned?: AbandonedWork | undefined;
}

/** What stands on a token that was made for it. */
interface Owner {
  /** Work below the token was stopped. */
  workStopped?(work: StoppedWork): void;
}

/** The nearest owner upwards that is wanted, of several parents that of the first that has one. */
export function findOwner<O extends object>(token: Node, isWanted: (owner: object) => owner is O): O | undefined {
  const pending: Node[] = [token];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const owner = node.extra?.owner;
    if (owner !== undefined && isWanted(owner)) return owner;
    pending.push(...[...parentsOf(node)].reverse());
  }
  return undefined;
}

/** Tells the nearest owner that work on this token did not run to its end, because of a cancel of the token. */
export function tellStopped(token: Node, work: StoppedWork): void {
  findOwner(token, isAny)?.workStopped?.(work);
}

function isAny(_owner: object): _owner is Owner {
  return true;
}
