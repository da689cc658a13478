/**
 * A reply by itself: as the provider takes it back, with its calls as the model said them, and which of those may run.
 *
 * @module
 */
import { wrongType } from '../../core/foundation/check.ts';
import { isCutShort, type ReplyEnd } from '../../core/foundation/reply-end.ts';
import type { ToolOutcome } from '../from-core.ts';
import { field, isRecord } from '../reading/fields.ts';
import { endOf, messagesIn, unsaidIn } from '../reading/reply-in.ts';
import { builtInWords, halfBy, type Words } from '../words/wording.ts';
import { isHalfCall } from '../reading/ends/half-call.ts';
import type { Cause, DialectRules, SaidCall, SettleOptions } from './rules.ts';
import { settlePart } from './settle-part.ts';

/** Nobody said why. */
export const UNKNOWN: Cause = { kind: 'unknown' };

/** A reply that can be sent. */
export interface LegalReply<M> {
  /** Without results of its calls, but for those that it holds itself. */
  readonly messages: readonly M[];
  /** The same with a result for each of its calls. */
  readonly settled: () => readonly M[];
  /** The calls in `messages`, by the names and with the arguments that the model said. */
  readonly calls: readonly SaidCall[];
  /** Whether a call of these may run: it is whole, and nobody is still to be asked. */
  readonly mayRun: (call: SaidCall, at: number) => boolean;
  /** What cut it, if anything did. */
  readonly cutBy: Cause | undefined;
  /** Whether something has to follow: the rest of what was cut, or the end of what the provider runs. */
  readonly isOpen: boolean;
  /** Whether a person is to answer before the model goes on. */
  readonly asks: boolean;
  /** How it ended, where that was inside a call. */
  readonly endedInside: ReplyEnd | undefined;
  /** What the model is to be told of it besides: of what stands in no message. */
  readonly notesBy: (words: Words) => readonly string[];
}

/** How a reply is read. */
export interface LegalReplyOptions<M = object> {
  readonly words: Words;
  /** What cut it, where the reply itself need not say so. */
  readonly cutBy?: Cause | undefined;
  /** The replies before it that are not over: what the provider ran there may end here. `unknown` where nobody has them. */
  readonly open?: readonly M[] | 'unknown' | undefined;
  /** What stands before it. */
  readonly before?: SettleOptions['before'];
}

/**
 * Makes a reply legal.
 *
 * @throws TypeError – it is of another dialect; or it was not cut, and there is no reply in it.
 */
export function legalReply<M>(rules: DialectRules<M>, value: unknown, options: LegalReplyOptions<M>): LegalReply<M> {
  requireReply(rules, value);
  const { words, open, before } = options;
  const end = endOf(rules, value);
  const cutBy = options.cutBy ?? cutOf(end);
  const isWhole = cutBy === undefined;
  const said = rules.repliesIn(value) ?? (isWhole ? refuse(rules, value) : []);
  const known = isWhole
    ? { outcomeOf: toCome }
    : { cut: { by: cutBy, isWhole: end !== 'unknown' && cutOf(end) === undefined } };
  // What stands in this very reply has not begun before it.
  const here = rules.hosted?.begunIn(said);
  const anywhere = { has: (id: unknown): boolean => here?.has(id) !== true };
  const begun = open === 'unknown' ? anywhere : open && rules.hosted?.begunIn(open);
  const settle = (waits?: 'all'): readonly M[] =>
    settlePart(rules, said, { words, goesOn: isWhole, before, begun, waits, ...known });
  const { isHalf = isHalfCall } = rules;
  // A fold has read the arguments, and has no half call among its own.
  const isCut = isCutShort(end) && isRecord(value) && field(value, 'isComplete') === undefined;
  const isFull = (call: SaidCall, at: number): boolean =>
    isWhole && !isHalf(call, { isCut, isLast: at === calls.length - 1, reply: said.at(-1) as M });
  const given = new Set(said);
  // A word of what was lost is told behind the results.
  const legal = settle('all').filter((message) => given.has(message) || !rules.turns.isPrompt(message));
  /** A no to a question, in the place of a person's answer. */
  const isNo = (message: M): boolean => !given.has(message) && rules.questions?.answerTo(message) !== undefined;
  const hosted = rules.hosted?.read(said, !isWhole);
  const unsaid = isWhole && isRecord(value) ? unsaidIn(rules, value) : [];
  const own = rules.callsIn(said, value);
  const calls = asSaid(rules.callsIn(legal), own);
  const lost = hosted?.notes ?? [];
  const isLostByEnd = lost.length > 0 && isCutShort(end);
  // What answers its calls at its end the model has yet to read: not before a person has answered.
  const asks = own.some(isAsked) || legal.some(isNo);
  const isUnread = rules.callsIn(said.slice(0, -1)).length > own.length && !asks;
  return {
    messages: legal,
    settled: settle,
    calls,
    mayRun: (call, at) => !isAsked(call) && isFull(call, at),
    cutBy,
    isOpen: !isWhole || hosted?.isOpen === true || end === 'paused' || lost.length > 0 || isUnread,
    asks,
    endedInside: isWhole && (isLostByEnd || unsaid.length > 0 || !calls.every(isFull)) ? end : undefined,
    notesBy: (wording) => [...lost, ...unsaid.map((call) => noteOf(call, end, wording))],
  };
}

/** Whether a call waits for a person. */
export function isAsked(call: SaidCall): boolean {
  return call.isAsked === true;
}

function noteOf(call: object, end: ReplyEnd, words: Words): string {
  const name = String(field(call, 'name'));
  return `[Your call of ${name}: ${words('unknown', halfBy(end), name)}]`;
}

/**
 * The reply in what `turn.model` resolved with, which has a status and a value; everything else is a reply itself.
 *
 * @throws TypeError – as {@link legalReply}.
 */
export function readReply<M>(rules: DialectRules<M>, reply: unknown): LegalReply<M> {
  const legal = read();
  const last = legal.calls.filter(legal.mayRun).at(-1);
  if (last !== undefined) readBy.set(last, legal);
  return legal;

  function read(): LegalReply<M> {
    const known = { words: builtInWords, open: 'unknown' } as const;
    const status = isRecord(reply) ? field(reply, 'status') : undefined;
    if (status === 'interjected' && 'partial' in (reply as object)) {
      const { partial, reason } = reply as { readonly partial: unknown; readonly reason: Cause };
      return legalReply(rules, partial, { ...known, cutBy: reason });
    }
    const isOutcome = status === 'completed' && 'value' in (reply as object);
    return legalReply(rules, isOutcome ? (reply as { readonly value: unknown }).value : reply, known);
  }
}

type Unsaid = Pick<LegalReply<unknown>, 'calls' | 'mayRun' | 'notesBy' | 'endedInside'>;

/** Replies by the last of their calls that may run. */
const readBy = new WeakMap<object, Unsaid>();

/** The reply of which this is the last call that may run: behind its result stands what else is told of it. */
export function replyEndingIn(call: unknown): Unsaid | undefined {
  return isRecord(call) ? readBy.get(call) : undefined;
}

/** Some provider's ids depend on the names; where nothing was taken out, the order tells as much. */
function asSaid(calls: readonly SaidCall[], said: readonly SaidCall[]): readonly SaidCall[] {
  if (calls.length === said.length) return said;
  const byId = new Map(said.map((call) => [call.id, call]));
  return calls.map((call) => byId.get(call.id) ?? call);
}

/** Every call of a whole reply stays, for it will have a result. */
function toCome({ id, name }: SaidCall): ToolOutcome {
  return { id, name, call: {}, ms: 0, status: 'completed', value: '' };
}

/** A stream may end cleanly before the reply has. By whom it was cut nobody says. */
function cutOf(end: ReplyEnd): Cause | undefined {
  return end === 'unfinished' || end === 'failed' ? UNKNOWN : undefined;
}

/**
 * Refuses what only another dialect reads, by the question that is asked of each message of a list: it would be lost
 * without a word. What else a program may have kept of a reply that was cut is no message.
 *
 * @param isWhole Nothing cut it, unless it says so itself.
 * @throws TypeError – it is of another dialect; or it was not cut, and there is no reply in it.
 */
export function requireReply<M>(rules: DialectRules<M>, value: unknown, isWhole = false): void {
  // What the AI SDK streams is read by nobody here: each field is a promise that fails with the stream.
  if (isRecord(value) && 'fullStream' in value) refuse(rules, value);
  if (rules.requireReply !== undefined) {
    rules.requireReply(value, isWhole);
    return;
  }
  const form = foreignForm(rules, value);
  if (form === '') refuse(rules, value);
  if (form !== undefined) throw new TypeError(`reply must be a reply of ${rules.name}, got one with ${form}`);
  if (isWhole && cutOf(endOf(rules, value)) === undefined && rules.repliesIn(value) === undefined) refuse(rules, value);
}

/** What of a value only others read; nothing that has a name where nothing of it can be read here. */
function foreignForm<M>({ foreignIn, repliesIn }: DialectRules<M>, value: unknown): string | undefined {
  try {
    const messages = messagesIn(value) as readonly Readonly<Record<string, unknown>>[];
    const around = isRecord(value) ? [value as (typeof messages)[number]] : [];
    const form = [...around, ...messages].map((one) => foreignIn?.(one, true)).find((one) => one !== undefined);
    if (form !== undefined) return form;
    const says = messages.some(({ role, content }) => role !== 'user' && (content ?? undefined) !== undefined);
    return says && repliesIn(value) === undefined ? '' : undefined;
  } catch {
    return undefined; // it cannot be read at all
  }
}

function refuse<M>({ name }: DialectRules<M>, value: unknown): never {
  throw wrongType('reply', `a reply of ${name}, a fold of one, or what turn.model resolved with`, value);
}
