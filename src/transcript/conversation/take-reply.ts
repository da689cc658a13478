/**
 * What a reply comes to, taken once when it comes or is cut: messages that are legal by themselves, their calls with ids
 * that no call of the conversation has, and which of those may run.
 *
 * @module
 */
import type { TranscriptCall } from '../dialect.ts';
import { callsInReply, isComplete, isCutCall, readOutcome, requireReplies } from '../dialects/create-dialect.ts';
import { isResult } from '../dialects/requirements.ts';
import type { DialectRules } from '../dialects/rules.ts';
import type { CancelReason } from '../from-core.ts';
import type { Words } from '../words/wording.ts';

/** A reply, as the conversation keeps it. */
export interface TakenReply<M> {
  /** Without results; nothing if the reply said nothing. */
  readonly messages: readonly M[];
  /** All calls in `messages`: each object stands for its call from here on. */
  readonly calls: readonly TranscriptCall[];
  /** Those among them that may run. */
  readonly runnable: readonly TranscriptCall[];
  readonly isWhole: boolean;
  /** Whether the provider may still go on with what it runs itself. */
  readonly isOpen: boolean;
  /** What the provider ran itself when the reply was cut: it stands in no message. */
  readonly lost: readonly string[];
}

/** How a reply is taken. */
export interface TakeOptions {
  /** What cut it, if anything did. */
  readonly cutBy: CancelReason | undefined;
  readonly words: Words;
  /** Gives a call the id that it goes by from here on. */
  readonly idOf: (given: string) => string;
  /** The reply before it is not over: what the provider ran there may end here. */
  readonly goesOn: boolean;
}

/**
 * Takes a reply.
 *
 * @param value What a model call returned or had kept: a reply of the provider, or a fold.
 * @throws TypeError – there is no reply in it.
 */
export function takeReply<M>(rules: DialectRules<M>, value: unknown, options: TakeOptions): TakenReply<M> {
  const { words, idOf, goesOn } = options;
  const given = requireReplies(rules, value);
  // A stream may end cleanly before the reply has: its fold knows.
  const cutBy = options.cutBy ?? readOutcome(value, rules).cutBy;
  const open = given.flatMap((message) => rules.begunIn?.(message) ?? []);
  const isWhole = cutBy === undefined;
  const settled = rules.settle([rules.opening, ...given], {
    words,
    note: () => undefined,
    ids: 'normalise',
    isOver: !isWhole,
    reason: cutBy,
    cut: cutBy && { by: cutBy, isWhole: isComplete(value) },
  });
  const said =
    isWhole && goesOn
      ? given
      : settled.messages.slice(1).filter((message) => given.includes(message) || !isResult(message, rules));
  const messages = withNewIds(rules, said, idOf);
  const before = rules.callsIn(said);
  const calls = namedAsSaid(rules, rules.callsIn(messages), before, value);
  const runnable = calls.filter((_call, at) => {
    const own = before[at];
    return isWhole && own !== undefined && !isCutCall(own, at === calls.length - 1 ? value : undefined);
  });
  return { messages, calls, runnable, isWhole, isOpen: isWhole && open.length > 0, lost: isWhole ? [] : open };
}

function withNewIds<M>(
  { named }: DialectRules<M>,
  messages: readonly M[],
  idOf: (given: string) => string,
): readonly M[] {
  if (named === undefined) return messages;
  const ids = new Map<string, string>();
  return messages.map((message) =>
    named(message, {
      call(given = '', _name, _input, isFixed = false) {
        const id = isFixed ? given : idOf(given);
        ids.set(given, id);
        return id;
      },
      result: (given = '') => ids.get(given) ?? given,
    }),
  );
}

/** A program knows its tools by the names that the model said, which a request may not be able to hold. */
function namedAsSaid<M>(
  rules: DialectRules<M>,
  calls: readonly TranscriptCall[],
  before: readonly TranscriptCall[],
  value: unknown,
): readonly TranscriptCall[] {
  const names = new Map(callsInReply(rules, value).map(({ id, name }) => [id, name]));
  return calls.map((call, at) => {
    const name = names.get(before[at]?.id ?? '') ?? call.name;
    return name === call.name ? call : { ...call, name };
  });
}
