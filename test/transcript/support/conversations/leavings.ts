/**
 * What a turn leaves behind of a conversation at random: rows of its ledger and a reply that was cut.
 *
 * @module
 */
import fc from 'fast-check';

import type { PartialOutput, ToolOutcome } from '../../../../src/core/interrupt/public-types/outcomes.ts';
import type { TranscriptCall } from '../../../../src/transcript/index.ts';
import { reasons, type AnyDialect } from '../arbitraries.ts';
import type { Conversation } from './conversation.ts';
import { oddValue } from './odd-values.ts';
import type { Json, Writer } from './writer.ts';

/** What is drawn; {@link leftBehind} makes a ledger of it. */
export const leavings = fc.record({
  rows: fc.array(fc.tuple(fc.constantFrom('completed', 'completed', 'stopped', 'failed'), oddValue), { maxLength: 4 }),
  extra: fc.boolean(),
  fold: fc.constantFrom('none', 'none', 'cut', 'complete'),
  reason: reasons,
});

type Leavings = typeof leavings extends fc.Arbitrary<infer T> ? T : never;

/** A conversation as one dialect writes it, and what its last turn left behind. */
export function leftBehind({ dialect, round, message }: Writer, conversation: Conversation, left: Leavings) {
  const { rounds, answered, isAmbiguous } = conversation;
  const history = rounds.flatMap(round);
  const last = lastReply(history);
  const open = callsIn(dialect, isAmbiguous ? undefined : last).filter(({ raw }) => !isSaid(raw, answered));
  const outcomes = left.rows.slice(0, open.length).map(([status, value], i) => {
    const { id, name } = open[i] ?? { id: '', name: '' };
    return rowOf(id, name, status, `row<${String(i)}>`, value, left.reason);
  });
  if (left.extra) outcomes.push(rowOf('nowhere', 'pay', 'completed', 'row<paid>', 'x', left.reason));
  const said = message({ text: 'text<fold>', calls: [] });
  const fold = { message: said, text: 'text<fold>', calls: [], isComplete: left.fold === 'complete' };
  const partials: PartialOutput[] = left.fold === 'none' ? [] : [{ modelCall: 9, value: fold, reason: left.reason }];
  return { history, turn: { outcomes, partials, reason: left.reason } };
}

/** The calls of a reply, with the ids that a ledger has; those of a page are its parts. */
function callsIn(
  dialect: AnyDialect<object>,
  reply: Json | undefined,
): readonly Pick<TranscriptCall, 'id' | 'name' | 'raw'>[] {
  if (reply === undefined) return [];
  if (!('parts' in reply) || reply['role'] !== 'assistant') return dialect.calls(reply);
  const all = (reply['parts'] as Json[]).filter((part) => part['type'] === 'dynamic-tool');
  // The framework keeps the rows of a page by the ids of its parts: of two with one id, nobody can say which.
  if (new Set(all.map((part) => part['toolCallId'])).size < all.length) return [];
  const parts = all.filter((part) => part['state'] === 'input-available');
  return parts.map((raw) => ({ id: String(raw['toolCallId']), name: String(raw['toolName']), raw }));
}

/** Whether a call has its result already, or was cut: then no row of a ledger can be its own. */
function isSaid(raw: object, answered: ReadonlySet<string>): boolean {
  const mark = /call<(\d+)>/.exec(JSON.stringify(raw))?.[1];
  return mark === undefined || answered.has(mark);
}

/** What the model said last, in the form in which its SDK gives it. */
function lastReply(history: readonly object[]): Json | undefined {
  const isModels = (one: object): boolean =>
    /"(?:assistant|model)"|"function_call"/.test(JSON.stringify(one).slice(0, 60));
  const at = history.findLastIndex(isModels);
  if (at === -1) return undefined;
  if (!('type' in (history[at] as object))) return history[at] as Json;
  const start = history.slice(0, at).findLastIndex((one) => !isModels(one)) + 1;
  return { output: history.slice(start, at + 1) };
}

function rowOf(
  id: string,
  name: string,
  status: string,
  mark: string,
  value: unknown,
  reason: unknown,
): ToolOutcome & { readonly value?: unknown } {
  const base = { id, name, call: {}, ms: 1, status };
  if (status === 'completed') return { ...base, value: { mark, value } } as never;
  return (status === 'failed' ? { ...base, error: value } : { ...base, reason, partial: value }) as never;
}
