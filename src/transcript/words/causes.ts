/**
 * What the model is told about who or what wanted a stop, and that read from whatever a caller has in hand.
 * The kinds of the core are not asked for: a dialect would carry the messages of reasons with them.
 *
 * @module
 */
import type { StandardCancelKind } from '../../core/foundation/cancel-kind.ts';
import { wrongType } from '../../core/foundation/check.ts';
import type { CancelKind } from '../from-core.ts';
import { field } from '../reading/fields.ts';

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

/**
 * What can say why a turn ended: a reason, a kind, an error that carries a reason, the reason of a signal.
 *
 * @since 0.1.0
 */
export type ReasonLike = CancelKind | Error | { readonly kind: CancelKind };

/**
 * The kind of a reason, whatever form it has. An error that carries no reason is a time limit if it is named so, and
 * else says nothing about who did it.
 *
 * @param name What the value is called, for the refusal.
 * @returns `undefined` for nothing.
 * @throws TypeError – anything else.
 */
export function reasonKind(name: string, value: unknown): CancelKind | undefined {
  if (value === undefined || value === null) return undefined;
  if (isKind(value)) return value;
  if (typeof value === 'object') {
    const kind = field(value, 'kind');
    if (isKind(kind)) return kind;
    const carried = field(value, 'reason');
    const inside = typeof carried === 'object' && carried !== null ? field(carried, 'kind') : undefined;
    if (isKind(inside)) return inside;
    if (field(value, 'name') === 'TimeoutError') return 'deadline';
    // Of another realm, or another package: an error is known by its shape.
    if (value instanceof Error || typeof field(value, 'message') === 'string') return 'unknown';
  }
  throw wrongType(name, 'a reason, a kind or an error', value);
}
