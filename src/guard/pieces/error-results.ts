/**
 * What a tool throws, where its framework has made a result of it before a guard hears of it: the tools of Strands do so.
 *
 * @module
 */
import { fieldsOf } from '../../core/interrupt/calls/call-identity.ts';

/** The error that a result stands for; `undefined` if it stands for none. */
export function errorIn(result: unknown): Error | undefined {
  const { type, status, error } = fieldsOf(result);
  return type === 'toolResultBlock' && status === 'error' && error instanceof Error ? error : undefined;
}
