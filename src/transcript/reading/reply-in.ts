/**
 * Finds the reply in what a model call returned.
 *
 * @module
 */
import { field, isRecord } from './fields.ts';

/**
 * The reply in a value: a message, or what carries one as its `message`, as the fold of a stream does beside its usage
 * and stop reason, or what the provider itself wraps around one.
 *
 * @param read Reads a value as a message of the model; `undefined` if it is none.
 */
export function replyIn<M>(
  value: unknown,
  read: (value: unknown) => M | undefined,
  unwrap: (value: object) => unknown = () => undefined,
): M | undefined {
  const message = read(value);
  if (message !== undefined || !isRecord(value)) return message;
  const carried = field(value, 'message') ?? unwrap(value);
  return carried === undefined ? undefined : read(carried);
}
