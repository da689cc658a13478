/**
 * Finds the reply in what a model call returned, and how it ended: each provider says that in a place of its own.
 *
 * @module
 */
import { replyEnd, type ReplyEnd } from '../../core/foundation/reply-end.ts';
import type { DialectRules } from '../dialects/rules.ts';
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

/** What says how a reply ended. */
export type EndRules<M> = Pick<DialectRules<M>, 'ended' | 'failure'>;

/** What a provider says of its failure: in a reply, in the place of one, or in what a fold made of one. */
export function failureOf<M>({ failure }: EndRules<M>, value: object): unknown {
  return field(value, 'error') ?? failure?.(value) ?? undefined;
}

/** How a reply ended: as its provider says it, or a fold in the words of all. */
export function endOf<M>(rules: EndRules<M>, value: unknown): ReplyEnd {
  if (typeof value !== 'object' || value === null) return 'unknown';
  if (failureOf(rules, value) !== undefined) return 'failed';
  const isComplete = field(value, 'isComplete');
  if (isComplete === undefined) return replyEnd(rules.ended(value));
  const said = replyEnd(field(value, 'stopReason'));
  // A stream may end before the reply has.
  if (isComplete === false) return said === 'failed' ? said : 'unfinished';
  return said === 'unknown' ? 'whole' : said;
}

/** The calls that stand in no message: what a fold has of those that were begun, and what a framework could not read. */
export function unsaidIn<M>({ unread }: Pick<DialectRules<M>, 'unread'>, value: object): readonly object[] {
  return [...recordsIn(field(value, 'fragments')), ...(unread?.(value) ?? [])];
}
