/**
 * A dialect for messages of a type of one's own: most agents keep more of a message than its provider takes.
 *
 * @module
 */
import { isThenable, requireFunction, requireNames, wrongType, type OptionNames } from '../../core/foundation/check.ts';
import type { TranscriptCall, TranscriptDialect } from '../dialect.ts';
import type { ToolOutcome } from '../from-core.ts';
import { createDialect, rulesOf } from '../dialects/create-dialect.ts';
import { requireReply } from '../dialects/legal-reply.ts';
import type { AnsweredCall, DialectRules } from '../dialects/rules.ts';
import type { CallPlace } from '../reading/ends/half-call.ts';
import { isRecord } from '../reading/fields.ts';
import { requireMessage } from '../reading/require-messages.ts';
import type { Answer } from '../words/values.ts';

/**
 * How messages of one's own become those of a provider, and back.
 *
 * @since 0.1.0
 */
export interface MessageMap<M, W> {
  /** Called once for each message object. `undefined` for one that never goes to the provider: a notice, a mark for a page. */
  readonly toWire: (message: M) => W | undefined;
  /**
   * Called for what the dialect makes: a reply, a result, a message that had to be changed. Of results `calls` says what
   * became of their calls; `unrecorded` is what nobody knows yet.
   */
  readonly fromWire: (message: W, calls: readonly MappedCall[]) => M;
}

type MappedCall = Pick<ToolOutcome, 'id' | 'name'> & { readonly status: Answer['status'] };

const mapNames: OptionNames<MessageMap<object, object>> = { toWire: 1, fromWire: 1 };

/**
 * A dialect of messages of your own type, by the rules of a provider's. A message that need not be changed stays the same
 * object, with all that you keep in it; one that has to be is made anew by `fromWire`.
 *
 * A message is read once: change one by putting another in its place, not in place. What does not go to the provider stays
 * behind the message that it stood behind. What a model call returns, and gives to `partial`, stays the provider's; and a
 * call and its result in one message of your own fit nowhere: each has a message in every provider's list.
 *
 * @param dialect The provider's.
 * @param map The two ways.
 * @returns A dialect for `new Conversation` and `repair`.
 * @throws TypeError – no dialect, or no two functions, or one of them returns no message.
 * @example What an agent of one's own keeps
 * ```ts
 * import { Conversation, mapDialect } from 'desist/transcript'
 * import { openaiChat, type OpenAIChatMessage } from 'desist/transcript/openai-chat'
 *
 * type Mine =
 *   | { readonly kind: 'said'; readonly at: number; readonly wire: OpenAIChatMessage }
 *   | { readonly kind: 'notice'; readonly text: string }
 * const mine = mapDialect<Mine, OpenAIChatMessage>(openaiChat, {
 *   toWire: (one) => (one.kind === 'said' ? one.wire : undefined),
 *   fromWire: (wire) => ({ kind: 'said', at: 0, wire }),
 * })
 * const chat = new Conversation(mine, { messages: [{ kind: 'said', at: 7, wire: { role: 'user', content: 'Hi' } }] })
 * chat.push({ kind: 'notice', text: 'The model was changed.' }, 'Still there?')
 * chat.messages.map((one) => (one.kind === 'said' ? one.at : one.text)) // => [7, 'The model was changed.', 0]
 * ```
 * @since 0.1.0
 */
export function mapDialect<M extends object, W extends object>(
  dialect: TranscriptDialect<W, unknown>,
  map: MessageMap<M, W>,
): TranscriptDialect<M> {
  const inner: DialectRules<W> = rulesOf({ dialect });
  if (!isRecord(map)) throw wrongType('map', 'an object such as { toWire, fromWire }', map);
  requireNames('map', map, mapNames);
  requireFunction('map.toWire', map.toWire);
  requireFunction('map.fromWire', map.fromWire);
  const wires = new WeakMap<object, W | undefined>();
  const owns = new WeakMap<object, M>();
  /** Results that were made before for the same reply, by its first call: one that says the same is the same message. */
  const toldOf = new WeakMap<object, Map<string, M>>();
  const {
    named,
    hosted,
    OpenReplies,
    questions,
    orders,
    joins,
    isHalf,
    loops,
    turns,
    ended,
    unread,
    rewrite = (message: W, each: <T>(value: T) => T): W => each(message),
  } = inner;
  return createDialect<M>({
    name: inner.name,
    settle(messages, { before, ...turn }) {
      const known = { ...turn, before: before && (() => sentOf(before() as readonly M[])) };
      return { messages: among(messages, (sent) => inner.settle(sent, known).messages) };
    },
    check(messages, note, ...how) {
      const places = messages.flatMap((message, at) => (to(message) === undefined ? [] : [at]));
      const noteOwn: typeof note = (at, ...what) => {
        note(places[at] ?? at, ...what);
      };
      inner.check(sentOf(messages), noteOwn, ...how);
    },
    turns: {
      isPrompt: (message) => is(turns.isPrompt, message),
      isReply: (message) => is(turns.isReply, message),
      say: (text, last) => maybe(turns.say(text, last && to(last))),
    },
    isSent: (message) => to(message) !== undefined,
    requireMessage(name, message) {
      const wire = isRecord(message) ? to(message as M) : message;
      if (isThenable(wire)) throw wrongType(`${name}, by map.toWire,`, 'a message or undefined', wire);
      if (wire !== undefined) requireMessage(inner, name, wire);
    },
    requireReply(value, isWhole) {
      if (isOwnReply(value))
        throw wrongType('reply', 'what the provider said, and no message of your own: give map.toWire(message)', value);
      requireReply(inner, value, isWhole);
    },
    ended,
    unread,
    repliesIn: (value) => inner.repliesIn(value)?.map((wire) => from(wire)),
    callsIn: (messages, reply) => inner.callsIn(sentOf(messages), reply),
    results,
    rewrite: (message, each) => changed(message, (wire) => rewrite(wire, each)),
    user: (text) => from(inner.user(text)),
    opening: from(inner.opening),
    ...(isHalf && {
      isHalf: (call: TranscriptCall, place: CallPlace<M>) => isHalf(call, { ...place, reply: to(place.reply) as W }),
    }),
    ...(loops && { loops, adopt: (wire: object, calls: Parameters<typeof from>[1]) => from(wire as W, calls) }),
    ...(OpenReplies !== undefined && { OpenReplies }),
    ...(questions && {
      questions: {
        ...questions,
        answerTo: (message: M) => sentOf([message]).map(questions.answerTo)[0],
        asks: (message: M) => sentOf([message]).map(questions.asks)[0],
        isOfModel: (message: M) => is(questions.isOfModel, message),
      },
    }),
    ...(named && {
      named: (message: M, ids: Parameters<typeof named>[1]) => changed(message, (wire) => named(wire, ids)),
    }),
    ...(orders && {
      orders: {
        ...orders,
        openIn: (messages: readonly M[], reply: readonly M[]) => orders.openIn(sentOf(messages), sentOf(reply)),
        refused: (message: M, open: ReadonlySet<unknown>, reason: string) =>
          changed(message, (wire) => orders.refused(wire, open, reason)),
      },
    }),
    ...(hosted && {
      hosted: {
        read: (messages: readonly M[], isOver: boolean) => hosted.read(sentOf(messages), isOver),
        begunIn: (messages: readonly M[]) => hosted.begunIn(sentOf(messages)),
        hasRun: (messages: readonly M[]) => hosted.hasRun(sentOf(messages)),
      },
    }),
    ...(joins && {
      joins: {
        ...joins,
        opening: (message: M) => maybe(joins.opening(to(message) as W)),
        isOne: (before: M, message: M) => is((wire) => joins.isOne(to(before) as W, wire), message),
        join: (run: readonly M[]) => from(joins.join(sentOf(run))),
      },
    }),
  });

  function to(message: M): W | undefined {
    if (wires.has(message)) return wires.get(message);
    const wire = map.toWire(message);
    wires.set(message, wire);
    // One wire message may stand for several of one's own: the first is as good as any.
    if (isRecord(wire) && !owns.has(wire)) owns.set(wire, message);
    return wire;
  }

  function from(wire: W, calls: readonly MappedCall[] = []): M {
    const known = owns.get(wire);
    if (known !== undefined) return known;
    const message = map.fromWire(wire, calls);
    if (!isRecord(message) || isThenable(message)) throw wrongType('what map.fromWire returns', 'a message', message);
    owns.set(wire, message);
    wires.set(message, wire);
    return message;
  }

  /** A provider has one message for each result, or one for all of them. */
  function results(answered: readonly AnsweredCall[]): readonly M[] {
    const calls = answered.map(({ outcome: { id, name }, answer: { status } }): MappedCall => ({ id, name, status }));
    const wires = inner.results(answered);
    const first: unknown = answered[0]?.outcome.call;
    const before = isRecord(first) ? toldOf.get(first) : undefined;
    const now = new Map<string, M>();
    const messages = wires.map((wire, at) => {
      const own = wires.length === 1 ? calls : calls.slice(at, wires.length === calls.length ? at + 1 : at);
      const key = JSON.stringify([wire, own]);
      const message = before?.get(key) ?? from(wire, own);
      now.set(key, message);
      return message;
    });
    if (isRecord(first)) toldOf.set(first, now);
    return messages;
  }

  /** Whether it is a reply only when it is mapped: it would be lost without a word. */
  function isOwnReply(value: unknown): boolean {
    try {
      if (!isRecord(value) || inner.repliesIn(value) !== undefined) return false;
      const wire = wires.get(value) ?? map.toWire(value as M);
      return wire !== undefined && (wire as object) !== value && inner.turns.isReply(wire);
    } catch {
      return false; // what a program may have kept of a reply that was cut is no message
    }
  }

  function maybe(wire: W | undefined): M | undefined {
    return wire === undefined ? undefined : from(wire);
  }

  function sentOf(messages: readonly M[]): readonly W[] {
    return messages.flatMap((message) => to(message) ?? []);
  }

  function is(what: (wire: W) => boolean, message: M): boolean {
    const wire = to(message);
    return wire !== undefined && what(wire);
  }

  function changed(message: M, change: (wire: W) => W): M {
    const wire = to(message);
    return wire === undefined ? message : from(change(wire));
  }

  /** Changes what is sent of messages. The others stay where they were: each behind what it stood behind, or what that became. */
  function among(messages: readonly M[], change: (sent: readonly W[]) => readonly W[]): readonly M[] {
    const made = change(sentOf(messages)).map((wire) => from(wire));
    if (messages.every((message) => to(message) !== undefined)) return made;
    const kept = new Set(made);
    const given = new Set(messages);
    const all: M[] = [];
    let next = 0;
    for (const message of messages) {
      if (to(message) === undefined) all.push(message);
      else {
        const isChanged = !kept.has(message);
        // One that was changed became the next new one; without one it is gone.
        const end = isChanged
          ? next + Number(next < made.length && !given.has(made[next] as M))
          : made.indexOf(message, next) + 1;
        while (next < end) all.push(made[next++] as M);
      }
    }
    return [...all, ...made.slice(next)];
  }
}
