/**
 * The calls at the end of a list that have no result, and the reply that they are of.
 *
 * @module
 */
import type { TranscriptCall } from '../../dialect.ts';
import type { DialectRules } from '../../dialects/rules.ts';

/** A call, the index of its message, and that of its result if it has one. */
interface Place {
  readonly at: number;
  readonly call: TranscriptCall;
  answeredAt?: number;
}

/** The calls behind the last words of a person. An id may come again: each is known by its place. */
function callsAtEnd<M>({ callsIn, named, turns }: DialectRules<M>, messages: readonly M[]): readonly Place[] {
  const places: Place[] = [];
  const open = new Map<string, Place>();
  let at = messages.length;
  while (at > 0 && !turns.isPrompt(messages[at - 1] as M)) at -= 1;
  const result = (id = ''): string => {
    Object.assign(open.get(id) ?? {}, { answeredAt: at });
    open.delete(id);
    return id;
  };
  for (; at < messages.length; at += 1) {
    const message = messages[at] as M;
    named?.(message, { call: (id = '') => id, result });
    for (const call of callsIn([message])) {
      const place = { at, call };
      places.push(place);
      open.set(call.id, place);
    }
  }
  return places;
}

/** Those of them that have no result. */
export function openCallsIn<M>(rules: DialectRules<M>, messages: readonly M[]): readonly TranscriptCall[] {
  return callsAtEnd(rules, messages).flatMap(({ call, answeredAt }) => (answeredAt === undefined ? call : []));
}

/** A reply whose calls are open. */
export interface OpenReply {
  /** Where its messages, which may be several, begin. */
  readonly start: number;
  /** Behind the last of them. */
  readonly end: number;
  readonly calls: readonly TranscriptCall[];
  /** The ids that its calls had before they were made legal: who runs them knows them by those. */
  readonly before: ReadonlyMap<string, TranscriptCall>;
}

/**
 * The reply at the end of these messages whose calls are open.
 *
 * @param given The same messages before they were made legal.
 */
export function openReply<M>(
  rules: DialectRules<M>,
  messages: readonly M[],
  given: readonly M[],
): OpenReply | undefined {
  const places = callsAtEnd(rules, messages);
  const open = places.filter(({ answeredAt }) => answeredAt === undefined);
  const last = open.at(-1);
  if (last === undefined) return undefined;
  // With all calls whose results stand behind one that is open: it goes on with those, or without any.
  let start = last.at;
  for (const { at, answeredAt = Infinity } of [...places].reverse())
    if (answeredAt >= start) start = Math.min(at, start);
  let end = last.at + 1;
  while (end < messages.length && rules.callsIn(messages.slice(end, end + 1)).length > 0) end += 1;
  const calls = open.map(({ call }) => call);
  const rest = [...openCallsIn(rules, given)];
  const before = new Map<string, TranscriptCall>();
  for (const call of calls) {
    // Those that could not stay are passed over.
    while (rest.length > 0 && JSON.stringify(rest[0]?.input) !== JSON.stringify(call.input)) rest.shift();
    before.set(rest.shift()?.id ?? call.id, call);
  }
  return { start, end, calls, before };
}
