/**
 * Finds the reply in what a model call returned, and whether a limit ended it: each provider has a word of its own for that.
 *
 * @module
 */
import { limitStops } from '../../core/foundation/limit-stops.ts';
import { field, isRecord, recordsIn } from './fields.ts';

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

const stopNames = ['stop_reason', 'finish_reason', 'done_reason', 'finishReason'];

/** Whether a reply says so, or what stands around it. A fold has read the word, and says what is not whole. */
export function isLimited(reply: object): boolean {
  const [choice] = recordsIn(field(reply, 'choices') ?? field(reply, 'candidates'));
  return [reply, choice, field(reply, 'response_metadata')].some(
    (said) => isRecord(said) && stopNames.some((name) => limitStops.has(field(said, name))),
  );
}
