/**
 * Transcripts with what somebody knows of the calls that were open when they were cut.
 *
 * @module
 */
import { array, constantFrom, tuple, type Arbitrary } from 'fast-check';

import type { CancelReason, ToolOutcome } from '../../../../src/index.ts';
import type { TranscriptCall } from '../../../../src/transcript/index.ts';
import {
  conversation,
  type Conversation,
  type ConversationCall,
  type ConversationConstraints,
} from '../../../../src/testing/fast-check/transcripts/conversation.ts';
import type { AnyFormat } from '../../../../src/testing/fast-check/transcripts/transcript.ts';
import { writeRound, writerOf } from '../../../../src/testing/fast-check/transcripts/writers/index.ts';
import { anyReason } from './any-reason.ts';
import { oddValues } from './odd-values.ts';

/** A transcript, and what is known of calls that have no result in it. */
export interface InterruptedTranscript<M> {
  /** The same in no dialect. */
  readonly conversation: Conversation;
  readonly messages: M[];
  /**
   * Rows of a ledger for calls that have no result yet. What a completed one gave holds the mark of its call, `row<2>`, and
   * beside it whatever tools give: dates, errors, values that refer to themselves.
   */
  readonly outcomes: readonly ToolOutcome[];
  /** The row of a call, as `repair` asks for it: a call is known by the mark in its arguments, whatever its id. */
  readonly outcomeOf: (call: TranscriptCall) => ToolOutcome | undefined;
}

/** What is drawn of a row. */
type Leaving = readonly [status: 'none' | 'completed' | 'stopped' | 'failed', value: unknown];

/** Transcripts of a dialect with the rows of a ledger for some of the calls that have no result; a failure shrinks to few of both. */
export function interruptedTranscript<M>(
  dialect: AnyFormat<M>,
  constraints: ConversationConstraints = {},
): Arbitrary<InterruptedTranscript<M>> {
  const writer = writerOf(dialect);
  const leaving = tuple(
    constantFrom('none' as const, 'completed' as const, 'completed' as const, 'stopped' as const, 'failed' as const),
    constantFrom(...oddValues()),
  );
  return tuple(conversation(constraints), array(leaving, { maxLength: 4 }), anyReason()).map(
    ([one, leavings, reason]) => {
      const rows = rowsOf(one, leavings, reason);
      return {
        conversation: one,
        messages: one.rounds.flatMap((round) => writeRound(writer, round)) as M[],
        outcomes: [...rows.values()],
        outcomeOf: ({ input }) => rows.get(/call<(\d+)>/.exec(JSON.stringify({ input }))?.[1] ?? ''),
      };
    },
  );
}

/** Rows by the marks of their calls. */
function rowsOf(
  { rounds, answered }: Conversation,
  leavings: readonly Leaving[],
  reason: CancelReason,
): ReadonlyMap<string, ToolOutcome> {
  const calls = rounds.flatMap(({ replies }) => replies.flatMap((reply) => reply.calls));
  const open = calls.filter(({ mark, isHalf }) => !isHalf && !answered.has(mark)).reverse();
  return new Map(
    leavings.slice(0, open.length).flatMap(([status, value], i): [string, ToolOutcome][] => {
      const call = open[i] as ConversationCall;
      return status === 'none' ? [] : [[call.mark, rowOf(call, status, value, reason)]];
    }),
  );
}

function rowOf(
  { id = '', name, mark }: ConversationCall,
  status: Exclude<Leaving[0], 'none'>,
  value: unknown,
  reason: CancelReason,
): ToolOutcome {
  const base = { id, name, call: {}, ms: 1 };
  if (status === 'completed') return { ...base, status, value: { mark: `row<${mark}>`, value } };
  return status === 'failed' ? { ...base, status, error: value } : { ...base, status, reason, partial: value };
}
