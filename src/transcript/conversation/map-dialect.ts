/**
 * A dialect for messages of a type of one's own: most agents keep more of a message than its provider takes.
 *
 * @module
 */
import { requireFunction, wrongType } from '../../core/foundation/check.ts';
import type { TranscriptDialect } from '../dialect.ts';
import { createDialect, rulesOf } from '../dialects/create-dialect.ts';
import type { DialectRules } from '../dialects/rules.ts';
import { isRecord } from '../reading/fields.ts';
import { requireRoleAndContent } from '../reading/require-messages.ts';

/**
 * How messages of one's own become those of a provider, and back.
 *
 * @since 0.1.0
 */
export interface MessageMap<M, W> {
  /** Called once for each message object. */
  readonly toWire: (message: M) => W;
  /** Called for what the dialect makes: a reply, a result, a message that had to be changed. */
  readonly fromWire: (message: W) => M;
}

/**
 * A dialect of messages of your own type, by the rules of a provider's. A message that need not be changed stays the same
 * object, with all that you keep in it; one that has to be is made anew by `fromWire`.
 *
 * A message is read once: change one by putting another in its place, not in place.
 *
 * @param dialect The provider's.
 * @param map The two ways.
 * @returns A dialect for `new Conversation` and `repair`.
 * @throws TypeError – no dialect, or no two functions.
 * @example Messages with a time of their own
 * ```ts
 * import { Conversation, mapDialect } from 'desist/transcript'
 * import { openaiChat, type OpenAIChatMessage } from 'desist/transcript/openai-chat'
 *
 * interface Mine { readonly at: number; readonly wire: OpenAIChatMessage }
 * const mine = mapDialect<Mine, OpenAIChatMessage>(openaiChat, {
 *   toWire: ({ wire }) => wire,
 *   fromWire: (wire) => ({ at: 0, wire }),
 * })
 * const chat = new Conversation(mine, { messages: [{ at: 7, wire: { role: 'user', content: 'Hi' } }] })
 * chat.push('Still there?')
 * chat.messages.map(({ at }) => at) // => [7, 0]
 * ```
 * @since 0.1.0
 */
export function mapDialect<M extends object, W extends object>(
  dialect: TranscriptDialect<W, unknown, unknown, unknown>,
  map: MessageMap<M, W>,
): TranscriptDialect<M> {
  const inner: DialectRules<W> = rulesOf({ dialect });
  if (!isRecord(map)) throw wrongType('map', 'an object such as { toWire, fromWire }', map);
  requireFunction('map.toWire', map.toWire);
  requireFunction('map.fromWire', map.fromWire);
  const wires = new WeakMap<object, W>();
  const owns = new WeakMap<object, M>();
  const {
    named,
    begunIn,
    join,
    isUnfinished,
    turns,
    rewrite = (message: W, each: <T>(value: T) => T): W => each(message),
  } = inner;
  return createDialect<M>({
    name: inner.name,
    settle: (messages, turn) => ({ messages: inner.settle(messages.map(to), turn).messages.map(from) }),
    check: (messages, ...how) => {
      inner.check(messages.map(to), ...how);
    },
    turns: {
      isPrompt: (message) => turns.isPrompt(to(message)),
      isReply: (message) => turns.isReply(to(message)),
      say: (text, last) => maybe(turns.say(text, last === undefined ? undefined : to(last))),
    },
    requireMessage: (name, message) => {
      (inner.requireMessage ?? requireRoleAndContent)(name, isRecord(message) ? to(message as M) : message);
    },
    repliesIn: (value, isLegal) => inner.repliesIn(value, isLegal)?.map(from),
    callsIn: (messages) => inner.callsIn(messages.map(to)),
    results: (answered) => inner.results(answered).map(from),
    rewrite: (message, each) => from(rewrite(to(message), each)),
    user: (text) => from(inner.user(text)),
    opening: from(inner.opening),
    ...(isUnfinished && { isUnfinished }),
    ...(named && { named: (message: M, ids: Parameters<typeof named>[1]) => from(named(to(message), ids)) }),
    ...(begunIn && { begunIn: (message: M) => begunIn(to(message)) }),
    ...(join && { join: (messages: readonly M[]) => join(messages.map(to)).map(from) }),
  });

  function to(message: M): W {
    const known = wires.get(message);
    if (known !== undefined) return known;
    const wire = map.toWire(message);
    wires.set(message, wire);
    // One wire message may stand for several of one's own: the first is as good as any.
    if (isRecord(wire) && !owns.has(wire)) owns.set(wire, message);
    return wire;
  }

  function from(wire: W): M {
    const known = owns.get(wire);
    if (known !== undefined) return known;
    const message = map.fromWire(wire);
    owns.set(wire, message);
    wires.set(message, wire);
    return message;
  }

  function maybe(wire: W | undefined): M | undefined {
    return wire === undefined ? undefined : from(wire);
  }
}
