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

/** What stands around messages, of whichever provider or fold. */
const wrappers = ['messages', 'message', 'output', 'response', 'choices', 'candidates'];

/** The messages in a value, whosever they are: itself, or what it is wrapped around. */
export function messagesIn(value: unknown): readonly object[] {
  if (Array.isArray(value)) return value.flatMap(messagesIn);
  if (!isRecord(value)) return [];
  const content = field(value, 'content');
  if (isRecord(content)) return messagesIn(content);
  const isOne = content !== undefined || ['role', 'type'].some((name) => field(value, name) !== undefined);
  const held = isOne ? undefined : wrappers.map((name) => field(value, name)).find((one) => typeof one === 'object');
  return (held ?? undefined) === undefined ? [value] : messagesIn(held);
}
