/**
 * Where a cut reply stands among the messages of a turn: as it is, or as another moment of the same stream.
 * An index, because a turn may have as many cut replies as messages; of what stands above the turn nothing is read.
 *
 * @module
 */
import { addTo, isRecord } from './fields.ts';
import { formsOf } from './ids.ts';
import type { AskedCall, ReplyParts, ReplyReader } from './partials.ts';
import { askedFor } from './recorded-call.ts';

/** Every id of which one may be a copy. */
export type OriginalsOf = (id: string) => readonly string[];

/** The messages among which a reply is looked for, from one index up to another, without that. */
export interface Bounds {
  readonly floor: number;
  readonly before: number;
}

/** Finds replies among messages. */
export interface ReplyFinder<M> {
  /** The index of the last message that holds this reply; -1 if none does. */
  find(message: M, reply: ReplyParts, bounds: Bounds & { readonly mayMerge: boolean }): number;
  /**
   * The index of the last reply there is, if nothing but results stands behind it and it is at least this one of its
   * turn: one that begins like it may be another moment of it. -1 if there is none.
   */
  last(bounds: Bounds, modelCall: number): number;
  parts(at: number): ReplyParts | undefined;
}

/** An index of messages that grows as far up as somebody asks. */
export function createReplyFinder<M>(
  messages: readonly M[],
  reader: ReplyReader<M>,
  originalsOf: OriginalsOf,
  isRecorded: (id: string) => boolean = () => false,
): ReplyFinder<M> {
  const read: (ReplyParts | undefined)[] = [];
  /** How many replies there are from an index on. */
  const counts: number[] = [];
  counts[messages.length] = 0;
  /** The messages with a key, from the end upwards. */
  const places = new Map<string, number[]>();
  /** Those that no key tells. */
  const others: number[] = [];
  let low = messages.length;

  function readTo(floor: number): void {
    for (; low > floor; low -= 1) {
      const message = messages[low - 1] as M;
      const parts = reader.parts(message);
      read[low - 1] = parts;
      counts[low - 1] = (counts[low] as number) + (parts === undefined ? 0 : 1);
      if (parts === undefined) continue;
      const keys = reader.keys === undefined ? keysOf(parts) : reader.keys(message);
      if (keys === undefined) others.push(low - 1);
      else for (const key of new Set(keys)) addTo(places, key, low - 1);
    }
  }

  function keysOf({ prose, wholeCalls, seals }: ReplyParts): string[] {
    const lines = reader.mayMerge === true ? prose.split('\n') : [firstLine(prose)];
    const ids = wholeCalls.flatMap(({ id }) => originalsOf(id));
    return [...lines.map(lineKey), ...ids.map(callKey), ...seals.map(sealKey)];
  }

  function candidates(message: M, { prose, wholeCalls, seals }: ReplyParts): readonly number[] {
    const [call] = wholeCalls;
    const keys =
      reader.keys !== undefined
        ? (reader.keys(message, true) ?? [])
        : prose !== ''
          ? [lineKey(firstLine(prose))]
          : call === undefined
            ? seals.slice(0, 1).map(sealKey)
            : formsOf(call.id).map(callKey);
    const lists = [...keys.map((key) => places.get(key) ?? []), others].filter((list) => list.length > 0);
    return lists.length < 2 ? (lists[0] ?? []) : [...new Set(lists.flat())].sort((a, b) => b - a);
  }

  /** Whether a reply is nothing but calls that ran: settling may have put it there, behind the one that was cut. */
  function isOfLedger({ prose, calls, seals }: ReplyParts): boolean {
    const isBare = prose === '' && seals.length === 0 && calls.length > 0;
    return isBare && calls.every((id) => originalsOf(id).some(isRecorded));
  }

  return {
    find(message, reply, { floor, before, mayMerge }) {
      readTo(floor);
      for (const at of candidates(message, reply)) {
        if (at >= before) continue;
        if (at < floor) break;
        const own = read[at] as ReplyParts;
        const isIt =
          reader.holds === undefined
            ? holds(own, reply, originalsOf) || (mayMerge && isWithin(own, reply, originalsOf))
            : reader.holds(messages[at] as M, message);
        if (isIt) return at;
      }
      return -1;
    },
    last({ floor, before }, modelCall) {
      readTo(floor);
      let at = before - 1;
      for (; at >= floor; at -= 1) {
        const own = read[at];
        if (own === undefined ? reader.isPrompt(messages[at] as M) : !isOfLedger(own)) break;
      }
      const count = at < floor ? 0 : (counts[floor] as number) - (counts[at + 1] as number);
      return at >= floor && read[at] !== undefined && count >= modelCall ? at : -1;
    },
    parts(at) {
      if (at < low && at >= 0) readTo(at);
      return read[at];
    },
  };
}

function firstLine(prose: string): string {
  const end = prose.indexOf('\n');
  return end === -1 ? prose : prose.slice(0, end);
}

const lineKey = (line: string): string => `line ${line}`;
const callKey = (id: string): string => `call ${id}`;
const sealKey = (seal: string): string => `seal ${seal}`;

/** Whether a message holds this reply beside others: all its lines, all its calls. */
function isWithin(message: ReplyParts, { prose, wholeCalls }: ReplyParts, originalsOf: OriginalsOf): boolean {
  const isThere = callsIn(message.wholeCalls, originalsOf);
  return `\n${message.prose}\n`.includes(`\n${prose}\n`) && wholeCalls.every(isThere);
}

/** Whether a message is this reply, perhaps repaired, and perhaps with a mark of somebody's below its text. */
export function holds(message: ReplyParts, reply: ReplyParts, originalsOf: OriginalsOf): boolean {
  if (!areCallsOf(message, reply, originalsOf)) return false;
  if (!reply.wholeCalls.every(callsIn(message.wholeCalls, originalsOf))) return false;
  if (message.seals.length !== reply.seals.length) return false;
  if (!message.seals.every((seal, i) => seal === reply.seals[i])) return false;
  return reply.prose === '' || message.prose === reply.prose || message.prose.startsWith(`${reply.prose}\n`);
}

/**
 * Whether a message is an earlier moment of this reply: it says something, and nothing that the reply does not say as
 * well.
 */
export function isEarlier(message: ReplyParts, reply: ReplyParts, originalsOf: OriginalsOf): boolean {
  const saysSomething = message.prose !== '' || message.calls.length > 0 || message.seals.length > 0;
  return (
    saysSomething &&
    reply.prose.startsWith(message.prose) &&
    areSealsOf(message, reply) &&
    areCallsOf(message, reply, originalsOf)
  );
}

/** Whether every text and thought of a message, sealed or not, is the beginning of one of a later moment of it. */
export function saysAllOf(message: unknown, later: unknown): boolean {
  const said = wordsIn(later);
  return wordsIn(message).every((words) => said.some((one) => one.startsWith(words.trimEnd())));
}

function wordsIn(value: unknown, isSaid = false): string[] {
  if (typeof value === 'string') return isSaid && value.trim() !== '' ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => wordsIn(one, isSaid));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => wordsIn(one, spoken.test(key)));
}

const spoken = /^(?:text|content|thinking|thought|refusal|summary|reasoning\w*)$/;

/** Whether a message is a later moment of this reply: of a mere text also one with thoughts and calls. */
export function isLater(message: ReplyParts, reply: ReplyParts, originalsOf: OriginalsOf): boolean {
  return (
    (reply.prose !== '' || reply.seals.length > 0) &&
    message.prose.startsWith(reply.prose) &&
    (reply.seals.length === 0 || areSealsOf(reply, message)) &&
    (reply.calls.length === 0 || areCallsOf(message, reply, originalsOf)) &&
    reply.wholeCalls.every(callsIn(message.wholeCalls, originalsOf))
  );
}

/** Whether a message has the beginning of this mere text, and holds more than a text: thoughts that nobody told of. */
export function isFuller(message: ReplyParts, { prose, calls, seals }: ReplyParts): boolean {
  return message.prose !== '' && prose.startsWith(message.prose) && calls.length + seals.length === 0;
}

/** Whether a message that holds every step of a turn ends in this reply: one of the two begins like the other. */
export function endsIn({ prose: said }: ReplyParts, { prose, calls, seals }: ReplyParts): boolean {
  if (prose === '' || calls.length + seals.length > 0) return false;
  for (let at = 0; at !== -1 && at < said.length; at = nextLine(said, at)) {
    const tail = said.slice(at, at + prose.length);
    if (tail !== '' && prose.startsWith(tail)) return true;
  }
  return false;
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? -1 : end + 1;
}

/** Whether an earlier moment has the reasoning of a later one: all of it, once it says something. */
function areSealsOf({ prose, seals }: ReplyParts, later: ReplyParts): boolean {
  if (prose !== '') return seals.length === later.seals.length && seals.every((seal, i) => seal === later.seals[i]);
  return seals.every((seal, i) => later.seals[i]?.startsWith(seal));
}

/** Whether a message has no call that this reply has not. */
function areCallsOf(message: ReplyParts, reply: ReplyParts, originalsOf: OriginalsOf): boolean {
  const own = new Set(reply.calls.flatMap(formsOf));
  return message.calls.every((id) => originalsOf(id).some((one) => own.has(one)));
}

/** Looks calls of a reply up among those of a message: an id that comes again in every round does not tell by itself. */
function callsIn(calls: readonly AskedCall[], originalsOf: OriginalsOf): (call: AskedCall) => boolean {
  const known = new Map<string, AskedCall[]>();
  for (const call of calls) for (const id of originalsOf(call.id)) addTo(known, id, call);
  const isSame = (one: AskedCall, other: AskedCall): boolean =>
    one.name === other.name && (one.input === other.input || askedFor(one.input) === askedFor(other.input));
  return (call) => formsOf(call.id).some((form) => known.get(form)?.some((one) => isSame(one, call)) === true);
}
