/**
 * Finds the reply in what a model call returned, and how it ended: each provider says that in a place of its own.
 *
 * @module
 */
import { isCutShort, replyEnd, type ReplyEnd } from '../../core/foundation/reply-end.ts';
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

const stopNames = ['stop_reason', 'finish_reason', 'done_reason', 'finishReason', 'stopReason'];
/** Where frameworks keep what a provider said around a reply. */
const carriers = ['response_metadata', 'additional_kwargs', 'providerData', 'kwargs'];

/** How a reply ended, as it says itself, or what stands around it. */
export function endOf(value: unknown): ReplyEnd {
  const items = Array.isArray(value) ? value : isRecord(value) ? field(value, 'output') : undefined;
  const isCut = field(recordsIn(items).at(-1) ?? {}, 'status') === 'incomplete';
  if (!isRecord(value)) return isCut ? 'limit' : 'unknown';
  const [choice = {}] = recordsIn(field(value, 'choices') ?? field(value, 'candidates'));
  const said = [...stopNames.flatMap((name) => [field(value, name), field(choice, name)]), statusIn(value)].map(
    replyEnd,
  );
  const carried = (): ReplyEnd[] => carriers.map((name) => endOf(field(value, name)));
  const known = [...said, ...carried()].find((end) => end !== 'unknown') ?? (isCut ? 'limit' : 'unknown');
  // A fold whose stream ended before the reply had.
  if (field(value, 'isComplete') === false) return known === 'failed' ? known : 'unfinished';
  const isDone = field(value, 'isComplete') === true || field(value, 'done') === true;
  return known === 'unknown' && isDone ? 'whole' : known;
}

/** What a response says of itself, or why it is no whole one. */
function statusIn(response: object): unknown {
  const details = field(response, 'incomplete_details');
  if (!Array.isArray(field(response, 'output')) && details === undefined) return undefined;
  return (isRecord(details) && field(details, 'reason')) || field(response, 'status');
}

/** The calls that stand in no message: what a fold has of those that were begun, and what frameworks could not read. */
export function begunIn(value: object): readonly object[] {
  const fragments = recordsIn(field(value, 'fragments'));
  if (!isCutShort(endOf(value))) return fragments;
  const unread = recordsIn(field(value, 'toolCalls')).filter((call) => field(call, 'invalid') === true);
  const calls = unread.map((call) => ({ id: field(call, 'toolCallId'), name: field(call, 'toolName') }));
  return [...fragments, ...recordsIn(field(value, 'invalid_tool_calls')), ...calls];
}
