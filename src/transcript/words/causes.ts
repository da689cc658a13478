/**
 * What the model is told about who or what wanted a stop.
 * The kinds of the core are not asked for: a dialect would carry the messages of reasons with them.
 *
 * @module
 */
import type { StandardCancelKind } from '../../core/foundation/cancel-kind.ts';
import type { CancelKind } from '../from-core.ts';

/** No prototype: a plain look-up says whether a word is a kind. */
export const causes: Readonly<Record<StandardCancelKind, string> & Partial<Record<string, string>>> = {
  __proto__: null as never,
  user: 'the user cancelled',
  interjection: 'a newer message came first',
  superseded: 'newer work took its place',
  deadline: 'a time limit passed',
  idle: 'nothing moved for too long',
  budget: 'the budget of this run was used up',
  sibling: 'other work running beside it failed',
  disconnect: 'the connection to the client was lost',
  shutdown: 'the process was shutting down',
  'lease-lost': 'the run moved to another process',
  ended: 'what it was part of is over',
  unknown: 'the run was interrupted',
};

/** The kind that stands for a kind: an application's own, or that of another version, says nothing that we have words for. */
export function causeOf(kind: string): StandardCancelKind {
  return causes[kind] === undefined ? 'unknown' : (kind as StandardCancelKind);
}

/** Whether a value can be the kind of a reason: ours, or `namespace:name`, neither of them empty. */
export function isKind(kind: unknown): kind is CancelKind {
  return typeof kind === 'string' && (causes[kind] !== undefined || /^[^:]+:./s.test(kind));
}
