/**
 * Which cut replies of a turn are already in the transcript, and which are still to be added.
 *
 * @module
 */
import type { Cause } from '../dialects/rules.ts';
import type { PartialOutput, ToolOutcome } from '../from-core.ts';
import { field, isRecord } from './fields.ts';
import { createReplyFinder, endsIn, holds, isEarlier, isFuller, isLater, saysAllOf } from './find-reply.ts';
import { originalsBeside } from './links.ts';

/** What identifies a reply, whatever a repair or a mark did to it since. */
export interface ReplyParts {
  /** All its texts, one per line, without the white space at their ends. */
  readonly prose: string;
  /** The ids of its calls, half-streamed ones included. */
  readonly calls: readonly string[];
  /** Its calls whose arguments are whole. */
  readonly wholeCalls: readonly AskedCall[];
  /** What else cannot be mistaken for another's: the seals of its reasoning, the ids of what the provider ran for it. */
  readonly seals: readonly string[];
}

/** A call that only the ledger has. */
export interface RecordedCall {
  readonly id: string;
  readonly name: string;
  /** Plain data. */
  readonly input: object;
}

/** What a call asks for. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  /** As it stands in the transcript. */
  readonly input: unknown;
}

/** How one dialect reads its messages. */
export interface ReplyReader<M> {
  /** The parts of an assistant message; `undefined` for every other message. */
  readonly parts: (message: M) => ReplyParts | undefined;
  /** Whether somebody outside the turn wrote this message, rather than the model or its tools. */
  readonly isPrompt: (message: M) => boolean;
  /** Whether a message holds this reply, where one message can hold several; by default its parts are compared. */
  readonly holds?: (message: M, reply: M) => boolean;
  /** What tells which messages may hold a reply, where `holds` says so; `undefined` for one that may hold any. */
  readonly keys?: (message: M, isReply?: boolean) => readonly string[] | undefined;
  /** A message that has grown to what its partial says; that by default. */
  readonly grown?: (message: M, partial: M) => M;
  /** By what a message is known while it grows, where anything tells. */
  readonly idOf?: (message: M) => string | undefined;
  /** How many replies a message holds, where one may hold all of a turn. */
  readonly stepsIn?: (message: M) => number;
  /** Whether frameworks that ask again within one step make one message of what was cut and of what came next. */
  readonly mayMerge?: boolean;
  /** A call as a message of the model that says nothing else. */
  readonly fromCall: (call: RecordedCall) => M;
  /** What a provider's own reply holds as its message. */
  readonly unwrap?: (value: object) => unknown;
  /** A partial value as an assistant message of the dialect, if it is one. */
  readonly fromPartial: (value: unknown) => M | undefined;
}

/** A message of the transcript to be: one of the input, or a cut reply that was missing. */
export interface Entry<M> {
  readonly message: M;
  /** Its index in the input; for a reply that was missing, the index before which it goes. */
  readonly at: number;
  /** The number of the model call whose reply this is, if it was missing. */
  readonly added: number | undefined;
  /** Why this reply was cut, if it was. */
  readonly cutBy: Cause | undefined;
  /** The provider had said that it was finished: its calls never ran, but nothing of it is missing. */
  readonly isWhole?: boolean | undefined;
  /** The row of the ledger whose call was missing, if this is that call. */
  readonly row?: ToolOutcome;
}

/** A message of a transcript that is settled, and the index of the message in the input that it begins with. */
export interface Settled<M> {
  readonly message: M;
  readonly from: number;
}

/** The entries of a transcript to which nothing is added. */
export function bareEntries<M>(messages: readonly M[]): Entry<M>[] {
  return messages.map((message, at) => ({ message, at, added: undefined, cutBy: undefined }));
}

/** A transcript with the cut replies that were missing, and where the turn that they belong to ends. */
export interface LaidEntries<M> {
  readonly entries: readonly Entry<M>[];
  /** The index in the input before which what else is missing goes. */
  readonly end: number;
  /** The indices in the input of the messages in whose place a later moment of them stands. */
  readonly outgrown: ReadonlySet<number>;
}

/** Where the turn begins, if the caller knows, its ledger, and where to write down what could not be read. */
export interface LayOptions {
  readonly outcomes: readonly ToolOutcome[];
  readonly turnStart?: number | undefined;
  readonly note: (at: number, rule: string, what: string) => void;
}

/**
 * Lays the cut replies of a turn beside its transcript, each where it belongs: before the next one that is there
 * already, else at the end of the turn.
 *
 * A reply counts as present if a message begins with its text, holds the same signed reasoning and no other calls. One
 * that a message of the user cut was handed to the caller, who may have pushed it anywhere; any other was thrown away by
 * the cut, so only what follows the last prompt is compared: the same words in an older turn are another reply.
 *
 * Replies are looked for in the transcript as it is once it is settled by itself. Settling again begins with just that,
 * so it finds the same ones, whatever the repair took from a message or put into it.
 *
 * @param alone The same messages, settled without any partial.
 */
export function withPartials<M>(
  messages: readonly M[],
  alone: readonly Settled<M>[],
  partials: readonly PartialOutput[],
  reader: ReplyReader<M>,
  { turnStart, outcomes, note }: LayOptions,
): LaidEntries<M> {
  const settled = alone.map(({ message }) => message);
  const named = new Map<string | undefined, number>();
  if (reader.idOf !== undefined) settled.forEach((message, at) => named.set(reader.idOf?.(message), at));
  named.delete(undefined);
  const placeOf = (at: number): number => alone[at]?.from ?? messages.length;
  const originalsOf = originalsBeside(outcomes);
  const rowIds = new Set(outcomes.map(({ id }) => id));
  const finder = createReplyFinder(settled, reader, originalsOf, (id) => rowIds.has(id));
  const cuts = new Map<number, Cause>();
  const missing: Entry<M>[] = [];
  const outgrown = new Set<number>();
  const start = turnStart === undefined ? undefined : firstFrom(alone, turnStart);
  const last = turnStart === undefined ? messages.length : turnEnd(messages, turnStart, reader);
  let before = turnStart === undefined ? settled.length : firstFrom(alone, last);
  let place = last;
  let end = settled.length;
  let prompt = before;
  const floorOf = (): number => {
    if (prompt >= before) prompt = findLastPrompt(settled, before, reader);
    return start ?? prompt + 1;
  };
  let afterPrompt = partials.length === 0 ? 0 : floorOf();
  for (const partial of [...partials].reverse()) {
    const message = replyIn(partial.value, reader);
    const reply = message === undefined ? undefined : reader.parts(message);
    if (reply === undefined && isSomething(partial.value)) noteUnread(partial, messages.length, note);
    if (message === undefined || reply === undefined || saysNothing(reply)) continue;
    const { modelCall: added, reason: cutBy } = partial;
    const isByMessage = cutBy.kind === 'interjection';
    const floor = isByMessage ? (start ?? 0) : afterPrompt;
    const mayMerge = isByMessage && reader.mayMerge === true;
    const isWhole = isComplete(partial.value);
    let found = named.get(reader.idOf?.(message)) ?? finder.find(message, reply, { floor, before: end, mayMerge });
    const steps = before > 0 ? reader.stepsIn?.(settled[before - 1] as M) : undefined;
    const last = found === -1 && !isByMessage ? finder.last({ floor, before }, added - (steps ?? 1) + 1) : -1;
    const own = finder.parts(found === -1 ? last : found);
    if (own !== undefined && found === -1) {
      const raw = messages[placeOf(last)] as M;
      if (!isWhole && isLater(own, reply, originalsOf)) found = last;
      else if (isEarlier(own, reply, originalsOf) && reader.parts(raw) !== undefined && saysAllOf(raw, message)) {
        before = end = last;
        place = placeOf(last);
        outgrown.add(place);
        missing.push({ message: reader.grown?.(raw, message) ?? message, at: place, added, cutBy, isWhole });
        afterPrompt = floorOf();
        continue;
      } else if (!isWhole && (isFuller(own, reply) || (steps !== undefined && endsIn(own, reply)))) found = last;
    }
    if (found === -1) {
      missing.push({ message, at: place, added, cutBy, isWhole });
    } else {
      const isMerged = mayMerge && own !== undefined && !holds(own, reply, originalsOf);
      if (!isMerged) cuts.set(placeOf(found), cutBy);
      // Replies keep their order, so an earlier one stands further up.
      before = found;
      place = placeOf(found);
      end = reader.holds === undefined && !isMerged ? found : found + 1; // one message may hold several
      afterPrompt = floorOf();
    }
  }
  return { entries: merge(messages, cuts, missing.reverse(), outgrown), end: last, outgrown };
}

/** The first settled message that comes from this index of the input, or from a later one. */
function firstFrom(alone: readonly Settled<unknown>[], index: number): number {
  const found = alone.findIndex(({ from }) => from >= index);
  return found === -1 ? alone.length : found;
}

/** Where a turn ends that begins at `start`: before the prompts at the end that came after its own. */
export function turnEnd<M>(messages: readonly M[], start: number, reader: Pick<ReplyReader<M>, 'isPrompt'>): number {
  let end = messages.length;
  while (end > start + 1 && reader.isPrompt(messages[end - 1] as M)) end -= 1;
  return end;
}

/** Whether a value holds anything that could be lost. */
export function isSomething(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** Whether a fold says that the provider had finished. */
export function isComplete(value: unknown): boolean {
  return isRecord(value) && field(value, 'isComplete') === true;
}

/** Says that a partial was left out. What the model of a tool that is itself an agent said is no word of this conversation. */
export function noteUnread({ modelCall, value }: PartialOutput, at: number, note: LayOptions['note']): void {
  if (isRecord(value) && field(value, 'isOfTool') === true) return;
  note(at, 'partial-unread', `left out what model call ${String(modelCall)} had said: no reply of this dialect`);
}

/**
 * The reply in a value: a message, or what carries one as its `message`, as the fold of a stream does beside its usage
 * and stop reason, or what the provider itself wraps around one.
 */
export function replyIn<M>(value: unknown, reader: ReplyReader<M>): M | undefined {
  const message = reader.fromPartial(value);
  if (message !== undefined || !isRecord(value)) return message;
  const carried = field(value, 'message') ?? reader.unwrap?.(value);
  return carried === undefined ? undefined : reader.fromPartial(carried);
}

/** Both lists are in the order of their places. */
function merge<M>(
  messages: readonly M[],
  cuts: ReadonlyMap<number, Cause>,
  missing: readonly Entry<M>[],
  outgrown: ReadonlySet<number>,
): Entry<M>[] {
  const entries: Entry<M>[] = [];
  let next = 0;
  for (let at = 0; at <= messages.length; at += 1) {
    for (let one = missing[next]; one?.at === at; one = missing[next]) {
      entries.push(one);
      next += 1;
    }
    if (at < messages.length && !outgrown.has(at)) {
      entries.push({ message: messages[at] as M, at, added: undefined, cutBy: cuts.get(at) });
    }
  }
  return entries;
}

function findLastPrompt<M>(messages: readonly M[], before: number, reader: ReplyReader<M>): number {
  let at = before - 1;
  while (at >= 0 && !reader.isPrompt(messages[at] as M)) at -= 1;
  return at;
}

/** Whether nothing of a reply can be sent: a call that was cut inside its arguments never ran. */
function saysNothing(reply: ReplyParts): boolean {
  return reply.prose === '' && reply.wholeCalls.length === 0 && reply.seals.length === 0;
}
