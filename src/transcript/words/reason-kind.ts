/**
 * Why a turn ended, read from whatever a caller has in hand.
 *
 * @module
 */
import { wrongType } from '../../core/foundation/check.ts';
import type { CancelKind } from '../from-core.ts';
import { field } from '../reading/fields.ts';
import { isKind } from './causes.ts';

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
