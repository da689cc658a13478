/**
 * Transcripts with what their last turn left behind: rows of its ledger, and a reply that was cut.
 *
 * @module
 */
import { array, boolean, constantFrom, record, tuple, type Arbitrary } from 'fast-check';

import type { CancelReason, PartialOutput, ToolOutcome } from '../../../index.ts';
import type { TranscriptCall, TranscriptDialect } from '../../../transcript/index.ts';
import { cancelReason } from '../cancel-reason.ts';
import { conversation, type Conversation, type ConversationRound } from './conversation.ts';
import { oddValues } from './odd-values.ts';
import type { AnyDialect, TranscriptConstraints } from './transcript.ts';
import { writeRound, writerOf, type Writer } from './writers/index.ts';

/**
 * A transcript, and what is known of the turn that was interrupted at its end.
 *
 * @since 0.1.0
 */
export interface InterruptedTranscript<M> {
  /** The same in no dialect. */
  readonly conversation: Conversation;
  readonly messages: M[];
  /** What the turn's report says, in the form in which `settleTranscript` takes it. */
  readonly turn: {
    /**
     * Rows of the ledger for calls that have no result yet. What a completed one gave holds a mark, `row<0>`, and beside it
     * whatever tools give: dates, errors, values that refer to themselves. `row<paid>` is of a call that the messages do
     * not know.
     */
    readonly outcomes: readonly ToolOutcome[];
    /** At most one reply that is not in the transcript, with the mark `text<fold>`; whole, or cut. */
    readonly partials: readonly PartialOutput[];
    readonly reason: CancelReason;
  };
}

/** What is drawn. */
interface Leavings {
  readonly rows: readonly (readonly [status: 'completed' | 'stopped' | 'failed', value: unknown])[];
  readonly isPaid: boolean;
  readonly fold: 'none' | 'cut' | 'complete';
  readonly reason: CancelReason;
}

/**
 * Transcripts of a dialect with what `report` says of the turn that was interrupted: rows of the ledger for calls without a
 * result, a row for a call that the messages do not know, a reply that was cut, and any reason.
 *
 * @param dialect The dialect.
 * @param constraints Which conversations, and which kind of messages.
 * @returns An arbitrary; a failure shrinks to few and plain messages, and to few rows.
 * @throws TypeError, RangeError – it is no dialect, or the constraints are none.
 * @example Nothing that a tool has done is lost
 * ```ts
 * import fc from 'fast-check'
 * import { settleTranscript } from 'desist/transcript'
 * import { openaiChat } from 'desist/transcript/openai-chat'
 * import { interruptedTranscript } from 'desist/testing/fast-check'
 *
 * const law = fc.property(interruptedTranscript(openaiChat), ({ conversation, messages, turn }) => {
 *   const settled = JSON.stringify(settleTranscript(messages, { dialect: openaiChat, ...turn }).messages)
 *   const isPaid = turn.outcomes.some(({ id }) => id === 'nowhere')
 *   return [...conversation.answered].every((mark) => settled.includes(`result<${mark}>`)) &&
 *     settled.includes('row<paid>') === isPaid
 * })
 * fc.check(law).failed // => false
 * ```
 * @since 0.1.0
 */
export function interruptedTranscript<M>(
  dialect: TranscriptDialect<M, unknown, unknown, unknown>,
  { form, ...constraints }: TranscriptConstraints = {},
): Arbitrary<InterruptedTranscript<M>> {
  const writer = writerOf(dialect, form);
  if (typeof dialect !== 'object') throw new TypeError(`dialect must be a dialect, got the name ${String(dialect)}`);
  const value = constantFrom(...oddValues());
  const leavings = record({
    rows: array(tuple(constantFrom('completed', 'completed', 'stopped', 'failed'), value), { maxLength: 4 }),
    isPaid: boolean(),
    fold: constantFrom('none', 'none', 'cut', 'complete'),
    reason: cancelReason(),
  });
  return tuple(conversation(constraints), leavings).map(([one, left]) => ({
    conversation: one,
    messages: one.rounds.flatMap((round) => writeRound(writer, round)) as M[],
    turn: turnOf(dialect as AnyDialect<never>, writer, one, left),
  }));
}

function turnOf(
  dialect: AnyDialect<never>,
  writer: Writer,
  { rounds, answered }: Conversation,
  { rows, isPaid, fold, reason }: Leavings,
): InterruptedTranscript<never>['turn'] {
  const last = rounds.at(-1);
  const calls = last === undefined || rounds.some(isAmbiguous) ? [] : callsIn(dialect, writer, last);
  const open = calls.filter(({ raw }) => !isSaid(raw, answered));
  const outcomes = rows.slice(0, open.length).map(([status, value], i) => {
    const { id, name } = open[i] ?? { id: '', name: '' };
    return rowOf(id, name, status, `row<${String(i)}>`, value, reason);
  });
  if (isPaid) outcomes.push(rowOf('nowhere', 'pay', 'completed', 'row<paid>', 'x', reason));
  const said = writer.reply({ text: 'text<fold>', calls: [] }, []);
  const message = areItems(said) ? said : said[0];
  const value = { message, text: 'text<fold>', calls: [], isComplete: fold === 'complete' };
  return { outcomes, partials: fold === 'none' ? [] : [{ modelCall: 9, value, reason }], reason };
}

/** Whether replies that follow each other give one id twice, or none: then no row can say which call it is of. */
function isAmbiguous({ replies }: ConversationRound): boolean {
  const ids = replies.flatMap(({ calls }) => calls.map(({ id }) => id));
  return replies.length > 1 && (new Set(ids).size < ids.length || ids.some((id) => id === undefined || id === ''));
}

const areItems = (messages: readonly object[]): boolean => messages.some((one) => 'type' in one);

/** The calls of the last reply, with the ids that a ledger has; those of a user interface are its parts. */
function callsIn(
  dialect: AnyDialect<never>,
  writer: Writer,
  { replies, results }: ConversationRound,
): readonly Pick<TranscriptCall, 'id' | 'name' | 'raw'>[] {
  const said = replies.flatMap((reply) => writer.reply(reply, results));
  const last = said.at(-1) as { readonly role?: string; readonly parts?: readonly Part[] };
  if (areItems(said)) return dialect.calls({ output: said });
  if (last.role !== 'assistant' || last.parts === undefined) return dialect.calls(last);
  const parts = last.parts.filter(({ type }) => type === 'dynamic-tool');
  // The framework keeps the rows of a page by the ids of its parts: of two with one id, nobody can say which.
  if (new Set(parts.map(({ toolCallId }) => toolCallId)).size < parts.length) return [];
  return parts
    .filter(({ state }) => state === 'input-available')
    .map((raw) => ({ id: String(raw.toolCallId), name: String(raw.toolName), raw }));
}

/** A part of a message of a user interface. */
interface Part {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly state?: string;
}

/** Whether a call has its result already, or was cut: then no row of a ledger can be its own. */
function isSaid(raw: object, answered: ReadonlySet<string>): boolean {
  const mark = /call<(\d+)>/.exec(JSON.stringify(raw))?.[1];
  return mark === undefined || answered.has(mark);
}

function rowOf(
  id: string,
  name: string,
  status: Leavings['rows'][number][0],
  mark: string,
  value: unknown,
  reason: CancelReason,
): ToolOutcome {
  const base = { id, name, call: {}, ms: 1 };
  if (status === 'completed') return { ...base, status, value: { mark, value } };
  return status === 'failed' ? { ...base, status, error: value } : { ...base, status, reason, partial: value };
}
